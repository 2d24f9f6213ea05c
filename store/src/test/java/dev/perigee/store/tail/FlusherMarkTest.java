package dev.perigee.store.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.ForwardingDisk;
import dev.perigee.store.disk.ForwardingFile;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.log.SyncedToMark;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The mark speaks of the byte before the offset it names, also when the log grew while that was forced. */
final class FlusherMarkTest {
    private static final long SYNCED = 1_000;
    private static final int EPOCH = 7;
    private static final long STORED_MS = 5_000;

    private Runnable duringForce = () -> {};

    @Test
    void whatTheLogBecameDuringAForceIsNotSaidOfWhatWasForced() throws IOException {
        CrashingDisk whole = new CrashingDisk(new Random(1));
        ForwardingDisk disk = new ForwardingDisk(whole) {
            @Override
            public DiskFile open(String name) throws IOException {
                return new ForwardingFile(super.open(name)) {
                    @Override
                    public void force() throws IOException {
                        super.force();
                        duringForce.run();
                    }
                };
            }
        };
        LogStorage storage = LogStorage.open(disk, 64 * 1024, 0);
        storage.roll();
        SyncedToMark mark = SyncedToMark.open(disk);
        Flusher flusher = new Flusher(storage, mark, 0, new Flusher.MarkFacts(1, 1, 0, false), new Bell());
        flusher.startAt(1, 0, 0, 0);
        flusher.request(SYNCED, EPOCH, STORED_MS);
        duringForce = () -> flusher.request(2 * SYNCED, EPOCH + 1, STORED_MS + 1);
        flusher.doWork(0);
        assertThat(mark.last()).hasValueSatisfying(said -> {
            assertThat(said.syncedTo()).isEqualTo(SYNCED);
            assertThat(said.epoch()).isEqualTo(EPOCH);
            assertThat(said.storeTimestampMs()).isEqualTo(STORED_MS);
        });

        duringForce = () -> {};
        flusher.doWork(1);
        assertThat(mark.last()).hasValueSatisfying(said -> {
            assertThat(said.syncedTo()).isEqualTo(2 * SYNCED);
            assertThat(said.epoch()).isEqualTo(EPOCH + 1);
        });
    }
}
