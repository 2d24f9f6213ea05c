package dev.perigee.store.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.ForwardingDisk;
import dev.perigee.store.view.TestFrame;
import dev.perigee.store.view.ViewWorld;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A force of the queues' files fails: the kernel drops the pages and calls them clean, so a second force proves nothing. */
class FailedForceTest {
    private static final int QUEUES = 3;
    private static final int MESSAGES = 400;
    private static final long LONGER_THAN_ANY_RETRY_MS = 60_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void noLaterCheckpointTakesDroppedEntriesForDurable(long seed) throws Exception {
        ViewWorld<ConsumeQueueView> world = QueueWorld.open(seed, QueueWorld.SMALL);
        send(world, 0);
        world.checkpoint();
        long covered = world.loop().durableOffset();
        send(world, MESSAGES);
        world.settle();
        world.disk().failForces(1);
        world.checkpoint();
        assertThat(world.loop().durableOffset()).as("seed %d", seed).isEqualTo(covered);
        world.pass(LONGER_THAN_ANY_RETRY_MS);
        world.checkpoint();
        world.powerFailure();
        assertThat(world.differenceFromRebuilt(disk -> new ConsumeQueueView(disk, QueueWorld.SMALL, (at, size) -> 0)))
                .as("rebuild equals what came back, seed %d", seed)
                .isEmpty();
        world.checkpoint();
        assertThat(world.loop().durableOffset())
                .as("a new start checkpoints again, seed %d", seed)
                .isEqualTo(world.log().end());
    }

    @Test
    void aFileThatCannotBeOpenedForAForceIsTriedAgain() throws Exception {
        boolean[] failing = {false};
        CrashingDisk disk = new CrashingDisk(new Random(9));
        Disk watched = new ForwardingDisk(disk) {
            @Override
            public DiskFile open(String name) throws IOException {
                if (failing[0]) {
                    throw new IOException("injected: Too many open files");
                }
                return super.open(name);
            }
        };
        ViewWorld<ConsumeQueueView> world =
                new ViewWorld<>(disk, made -> new ConsumeQueueView(disk, QueueWorld.SMALL, (at, size) -> 0), watched);
        send(world, 0);
        world.settle();
        failing[0] = true;
        world.checkpoint();
        assertThat(world.loop().durableOffset()).isZero();
        failing[0] = false;
        world.pass(LONGER_THAN_ANY_RETRY_MS);
        world.checkpoint();
        assertThat(world.loop().durableOffset()).isEqualTo(world.log().end());
        world.powerFailure();
        assertThat(world.replayedBytes()).isZero();
        assertThat(world.differenceFromRebuilt(fresh -> new ConsumeQueueView(fresh, QueueWorld.SMALL, (at, size) -> 0)))
                .isEmpty();
    }

    private static void send(ViewWorld<ConsumeQueueView> world, int first) {
        for (int i = first; i < first + MESSAGES; i++) {
            world.log().append(TestFrame.of("orders", i % QUEUES, i / QUEUES));
        }
    }
}
