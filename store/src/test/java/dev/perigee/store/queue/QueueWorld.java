package dev.perigee.store.queue;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.view.ViewWorld;
import java.util.Random;

/** A consume-queue view with small files over a test log. */
final class QueueWorld {
    static final QueueConfig SMALL = new QueueConfig(50, 8, 4096, 3, 4);

    private QueueWorld() {}

    static ViewWorld<ConsumeQueueView> open(long seed, QueueConfig config) {
        CrashingDisk disk = new CrashingDisk(new Random(seed));
        return new ViewWorld<>(
                disk, world -> new ConsumeQueueView(world.disk(), config, world.frames()::storeTimestampMs));
    }
}
