package dev.perigee.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.sim.kind.KindSimulation;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind of message against a plain model, while connections break and the broker goes down; and the views made anew. */
final class KindsOnOneThreadTest {
    private static final long SEEDS = 10;
    private static final int LAST_LINES = 80;

    static LongStream seeds() {
        return Seeds.from(0, SEEDS);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void consumersSeeWhatTheModelSaysAndViewsMadeAnewAreThoseThatLived(long seed, @TempDir Path folder)
            throws Exception {
        KindSimulation run = new KindSimulation(seed, folder);
        List<String> problems = run.run();
        List<String> trace = run.trace();
        assertThat(problems)
                .as(
                        "seed %d, alone with -Dsim.seed=%d, last: %s",
                        seed,
                        seed,
                        String.join("\n", trace.subList(Math.max(0, trace.size() - LAST_LINES), trace.size())))
                .isEmpty();
        assertThat(run.stored()).as("seed %d: stored", seed).isGreaterThan(100);
    }

    @Test
    void theSeedsDoEverythingThereIsToDoAndTheSameSeedTakesTheSameCourse(@TempDir Path folder) throws Exception {
        Map<KindSimulation.Act, Integer> all = new EnumMap<>(KindSimulation.Act.class);
        KindSimulation one = new KindSimulation(3, folder.resolve("one"));
        KindSimulation two = new KindSimulation(3, folder.resolve("two"));
        assertThat(one.run()).isEqualTo(two.run());
        assertThat(one.trace()).isEqualTo(two.trace());
        one.acts().forEach((act, times) -> all.merge(act, times, Integer::sum));
        assertThat(all.keySet()).containsExactly(KindSimulation.Act.values());
    }
}
