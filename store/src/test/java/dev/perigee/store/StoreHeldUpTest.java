package dev.perigee.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.LogTrimmed;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.store.append.AppendRequest;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.Appender;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.ForwardingDisk;
import dev.perigee.store.queue.ConsumeQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The whole store on one thread, over a disk on which the files of the queues cannot be made for a while. */
class StoreHeldUpTest {
    private static final int UNIT_FRAMES = 500;
    /** Enough entries for twice a mebibyte, and half as many again. */
    private static final int UNITS = 320;

    private boolean failing;
    private final SteppedStore world = new SteppedStore(3, 64 << 20, FailingDisk::new);

    /** On which no file of a queue can be opened while that is to fail. */
    private final class FailingDisk extends ForwardingDisk {
        FailingDisk(Disk disk) {
            super(disk);
        }

        @Override
        public DiskFile open(String name) throws IOException {
            if (failing && name.startsWith("consumequeue/" + SteppedStore.TOPIC + "/")) {
                throw new IOException("injected: " + name + " cannot be opened");
            }
            return super.open(name);
        }
    }

    private void run(Store store, int steps) {
        world.run(store, steps * SteppedStore.STEP_MS);
    }

    /** How the append of many small messages at once ends. */
    private AppendResult send(Store store, Appender appender) {
        FrameDraft draft = new FrameDraft()
                .topic(SteppedStore.TOPIC.getBytes(StandardCharsets.UTF_8))
                .body(ByteBuffer.allocate(1));
        ByteBuffer space = appender.reserve(UNIT_FRAMES * draft.sizeBytes());
        if (space == null) {
            return appender.refusal();
        }
        for (int i = 0; i < UNIT_FRAMES; i++) {
            draft.writeTo(space);
        }
        List<AppendResult> results = new ArrayList<>();
        appender.submit(
                new AppendRequest(SteppedStore.TOPIC, 0, UNIT_FRAMES, true, (request, result) -> results.add(result)));
        for (int i = 0; i < 20 && results.isEmpty(); i++) {
            run(store, 1);
        }
        assertThat(results).hasSize(1);
        return results.get(0);
    }

    private static void assertReadable(Store store, long messages) {
        ConsumeQueue queue = Objects.requireNonNull(store.queues().find(SteppedStore.TOPIC, 0));
        assertThat(queue.maxOffset()).isEqualTo(messages);
        long[] seen = {0};
        for (long at = 0; at < messages; ) {
            at += queue.read(at, 10_000, (offset, physical, size, tag) -> ++seen[0] > 0);
        }
        assertThat(seen[0]).isEqualTo(messages);
    }

    @Test
    void messagesAreRefusedByNameWhileQueueFilesAreUnwritableAndTakenAgainAfterwards() throws IOException {
        long taken = 0;
        try (Store store = world.open()) {
            Appender appender = store.newAppender();
            failing = true;
            AppendResult result = AppendResult.APPENDED;
            for (int i = 0; i < UNITS && result == AppendResult.APPENDED; i++) {
                result = send(store, appender);
                taken += result == AppendResult.APPENDED ? UNIT_FRAMES : 0;
            }
            assertThat(result).isEqualTo(AppendResult.VIEWS_HELD_UP);
            run(store, 100);
            assertReadable(store, taken);
            List<AppendResult> facts = new ArrayList<>();
            store.facts().append(new LogTrimmed(0), (done, end) -> facts.add(done));
            run(store, 10);
            assertThat(facts).as("what the broker has to say goes on").containsExactly(AppendResult.APPENDED);
            assertThat(send(store, appender)).isEqualTo(AppendResult.VIEWS_HELD_UP);

            failing = false;
            run(store, 100);
            assertThat(send(store, appender)).isEqualTo(AppendResult.APPENDED);
            taken += UNIT_FRAMES;
            run(store, 2_000);
            assertReadable(store, taken);
            assertThat(store.queues().memoryBytes()).isLessThan(100_000);
        }
        try (Store store = world.open()) {
            assertReadable(store, taken);
        }
        assertThat(world.faults).isEmpty();
    }

    @Test
    void aStoreThatIsClosedMeanwhileLosesNothing() throws IOException {
        long taken = 0;
        try (Store store = world.open()) {
            Appender appender = store.newAppender();
            failing = true;
            while (send(store, appender) == AppendResult.APPENDED) {
                taken += UNIT_FRAMES;
            }
        }
        failing = false;
        try (Store store = world.open()) {
            assertReadable(store, taken);
        }
        assertThat(world.faults).isEmpty();
    }
}
