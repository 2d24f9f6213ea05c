package dev.perigee.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.sim.group.GroupSimulation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * More seeds than every build has time for. The campaign goes on where the last one stopped: each seed adds a line to
 * {@code sim-groups.txt} in the folder {@code -Dsoak.results} ({@code target/soak}), and a further one begins while less
 * than {@code -Dsoak.minutes} (30) have passed.
 */
final class GroupCampaignTest {
    /** The seeds of {@link GroupsOnOneThreadTest} come before. */
    private static final long FIRST_MORE = 1_000;

    /** About a minute's worth, of every full build. */
    private static final long MORE_SEEDS = 80;

    private static final long MANY_MORE_SEEDS = 150 - MORE_SEEDS;
    private static final long FIRST_SOAK = 10_000;

    static LongStream moreSeeds() {
        return Seeds.from(FIRST_MORE, MORE_SEEDS);
    }

    static LongStream manyMoreSeeds() {
        return Seeds.from(FIRST_MORE + MORE_SEEDS, MANY_MORE_SEEDS);
    }

    @Tag("full")
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("moreSeeds")
    void everyInvariantHoldsOverMoreSeeds(long seed, @TempDir Path folder) throws Exception {
        Seeds.check(seed, folder);
    }

    @Tag("soak")
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("manyMoreSeeds")
    void everyInvariantHoldsOverManyMoreSeeds(long seed, @TempDir Path folder) throws Exception {
        Seeds.check(seed, folder);
    }

    @Tag("soak")
    @Test
    void everyInvariantHoldsOverSeedsNobodyTriedBefore(@TempDir Path folder) throws Exception {
        Path results = Files.createDirectories(Path.of(System.getProperty("soak.results", "target/soak")))
                .resolve("sim-groups.txt");
        long endNs = System.nanoTime()
                + Duration.ofMinutes(Long.getLong("soak.minutes", 30)).toNanos();
        List<String> broken = new ArrayList<>();
        long seed = nextSeed(results);
        do {
            String line = lineOf(seed, Files.createDirectory(folder.resolve("seed-" + seed)), broken);
            Files.writeString(results, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            seed++;
        } while (System.nanoTime() < endNs);
        assertThat(broken).isEmpty();
    }

    private static long nextSeed(Path results) throws IOException {
        if (!Files.exists(results)) {
            return FIRST_SOAK;
        }
        List<String> lines = Files.readAllLines(results);
        return lines.isEmpty()
                ? FIRST_SOAK
                : 1 + Long.parseLong(lines.get(lines.size() - 1).split("[ =]", 3)[1]);
    }

    private static String lineOf(long seed, Path folder, List<String> broken) throws Exception {
        long startedNs = System.nanoTime();
        String start = "seed=" + seed;
        try {
            GroupSimulation run = Seeds.check(seed, folder);
            return start + " holds acknowledged=" + run.acknowledged() + " settledLooks=" + run.settledLooks()
                    + " simulatedMs=" + run.simulatedMs() + " tookMs="
                    + Duration.ofNanos(System.nanoTime() - startedNs).toMillis();
        } catch (AssertionError e) {
            broken.add(String.valueOf(e.getMessage()));
            return start + " broken "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        }
    }
}
