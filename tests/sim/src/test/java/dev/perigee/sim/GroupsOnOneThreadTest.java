package dev.perigee.sim;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Groups of each kind on one thread, by seeds: whatever happens to them, every invariant holds. */
final class GroupsOnOneThreadTest {
    private static final long SEEDS = 8;

    @Seeded(count = SEEDS)
    void everyInvariantHolds(long seed, @TempDir Path folder) throws Exception {
        new FaultRun<>(FaultRun.GROUPS, seed, folder).check();
    }
}
