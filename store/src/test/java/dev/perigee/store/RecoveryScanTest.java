package dev.perigee.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.append.Appender;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Recovery reads the log from the last checkpoint on, however long the log is. */
class RecoveryScanTest {
    /** More than the checkpoint's interval. */
    private static final long CHECKPOINT_MS = 61_000;

    private final SteppedStore world = new SteppedStore(11);

    private void send(Store store, int count) {
        Appender appender = store.newAppender();
        for (int i = 0; i < count; i++) {
            world.send(appender, 1);
            world.run(store, 60);
        }
        world.run(store, 1_000);
        assertThat(store.log().confirmOffset()).isEqualTo(store.log().endOffset());
        assertThat(store.viewLoop().appliedOffset()).isEqualTo(store.log().endOffset());
    }

    @Test
    void afterAKillTheScanBeginsAtTheLastCheckpointAndReadsOnlyWhatIsBehindIt() throws IOException {
        Store store = world.open();
        send(store, 200);
        long checkpoint = store.log().endOffset();
        world.run(store, CHECKPOINT_MS);
        assertThat(store.log().endOffset()).as("nothing came meanwhile").isEqualTo(checkpoint);
        send(store, 50);
        int behind = SteppedStore.frames(store, checkpoint).size();
        long end = store.log().endOffset();
        world.disk.kill();

        try (Store again = world.open()) {
            assertThat(again.recovery().clean()).isFalse();
            assertThat(again.recovery().scannedFrom()).isEqualTo(checkpoint);
            assertThat(again.recovery().frames()).isEqualTo(behind).isGreaterThanOrEqualTo(50);
            assertThat(again.recovery().endOffset()).isEqualTo(end);
        }
    }

    @Test
    void withoutACheckpointTheWholeLogIsRead() throws IOException {
        Store store = world.open();
        send(store, 100);
        int all = SteppedStore.frames(store, 0).size();
        world.disk.kill();

        try (Store again = world.open()) {
            assertThat(again.recovery().scannedFrom()).isZero();
            assertThat(again.recovery().frames()).isEqualTo(all);
        }
    }

    @Test
    void aCheckpointOfOneViewThatIsGoneMovesTheScanBack() throws IOException {
        Store store = world.open();
        send(store, 100);
        world.run(store, CHECKPOINT_MS);
        world.disk.kill();
        world.disk.delete("index/view.checkpoint");

        try (Store again = world.open()) {
            assertThat(again.recovery().scannedFrom()).isZero();
        }
    }
}
