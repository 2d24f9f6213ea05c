package dev.perigee.sim;

import static org.assertj.core.api.Assertions.fail;

import dev.perigee.sim.group.GroupSimulation;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

/** Which seeds are run, and what is said when one fails. */
final class Seeds {
    private static final String ONE_SEED = "sim.seed";
    private static final int LAST_LINES = 60;

    private Seeds() {}

    /** So many seeds beginning with the first; only the one asked for by {@code -Dsim.seed=N} when there is one. */
    static LongStream from(long first, long count) {
        Long asked = Long.getLong(ONE_SEED);
        return asked != null ? LongStream.of(asked) : LongStream.range(first, first + count);
    }

    /** Runs one; fails with what did not hold, how to run it alone, and what happened last. */
    static GroupSimulation check(long seed, Path folder) throws Exception {
        GroupSimulation run = new GroupSimulation(seed, folder);
        String problem;
        try {
            problem = run.run();
        } catch (RuntimeException | Error e) {
            throw new AssertionError(report(seed, e.toString(), run.history()), e);
        }
        if (!problem.isEmpty()) {
            fail(report(seed, problem, run.history()));
        }
        return run;
    }

    private static String report(long seed, String problem, List<String> history) {
        List<String> last = history.subList(Math.max(0, history.size() - LAST_LINES), history.size());
        return "seed " + seed + ": " + problem + "\nalone: ./mvnw -Pquick -pl tests/sim -am test"
                + " -Dtest=GroupsOnOneThreadTest#everyInvariantHolds -Dsurefire.failIfNoSpecifiedTests=false -D"
                + ONE_SEED
                + "=" + seed + "\nlast:\n" + String.join("\n", last);
    }
}
