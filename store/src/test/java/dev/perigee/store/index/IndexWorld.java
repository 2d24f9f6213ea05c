package dev.perigee.store.index;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.view.ViewWorld;
import java.util.Random;

/** A key index with small files over a test log. */
final class IndexWorld {
    static final IndexConfig SMALL = new IndexConfig(16, 64, 8);

    private IndexWorld() {}

    static ViewWorld<KeyIndexView> open(long seed) {
        CrashingDisk disk = new CrashingDisk(new Random(seed));
        return new ViewWorld<>(disk, world -> new KeyIndexView(world.disk(), SMALL, world.frames()));
    }
}
