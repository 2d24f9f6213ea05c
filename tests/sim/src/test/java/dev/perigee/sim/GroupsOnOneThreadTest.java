package dev.perigee.sim;

import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Groups of each kind on one thread, by seeds: whatever happens to them, every invariant holds. */
final class GroupsOnOneThreadTest {
    private static final long SEEDS = 8;

    static LongStream seeds() {
        return Seeds.from(0, SEEDS);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyInvariantHolds(long seed, @TempDir Path folder) throws Exception {
        new FaultRun<>(FaultRun.GROUPS, seed, folder).check();
    }
}
