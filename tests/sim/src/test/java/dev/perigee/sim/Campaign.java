package dev.perigee.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.sim.fault.FaultKind;
import dev.perigee.sim.kind.GroupScene;
import dev.perigee.sim.kind.KindSimulation;
import dev.perigee.store.disk.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Runs seeds nobody tried before, one after the other, from {@code -Dsoak.first} (10,000) on. It goes on where the last one stopped: each
 * seed adds a line to a file in the folder {@code -Dsoak.results} ({@code target/soak}), and a further one begins while less than
 * {@code -Dsoak.minutes} (30) have passed and less than {@code -Dsoak.seeds} seeds were run (no limit).
 *
 * @param <R> a simulation
 */
final class Campaign<R> {
    private static final long FIRST_SEED = Long.getLong("soak.first", 10_000);

    private final FaultRun.Simulation<R> simulation;
    private final Path results;
    private final Function<R, String> figures;
    private final List<String> broken = new ArrayList<>();

    /** Of a master with slaves. */
    static Campaign<KindSimulation> ofPairs() throws IOException {
        return new Campaign<>(FaultRun.PAIRS, "sim-pairs.txt", Campaign::figures);
    }

    /** Of the brokers of a group. */
    static Campaign<KindSimulation> ofMembers() throws IOException {
        return new Campaign<>(FaultRun.MEMBERS, "sim-members.txt", Campaign::figuresOfMembers);
    }

    private static String figuresOfMembers(KindSimulation run) {
        return "stored=" + run.stored() + " onMajority=" + run.onMajority() + " locks=" + run.locksGranted()
                + " locksMoved=" + run.locksMoved() + " frames=" + run.frames() + " simulatedMs=" + run.simulatedMs()
                + " underLoadMs=" + run.pace().simulatedMs() + " mixed=" + GroupScene.counts(run.happened())
                + " faults=" + kinds(run.happened());
    }

    private static String figures(KindSimulation run) {
        return "stored=" + run.stored() + " onSlaves=" + run.copies().checked() + " takeovers="
                + run.copies().takeovers() + " promotions=" + run.promotions() + " offsetsOfSlaves="
                + run.offsetsOfSlaves() + " lost=" + run.lost() + " givenUp="
                + run.givenUp() + " frames="
                + run.frames() + " simulatedMs=" + run.simulatedMs()
                + " underLoadMs=" + run.pace().simulatedMs() + " faults="
                + kinds(run.plan().kinds());
    }

    private static String kinds(Map<FaultKind, Integer> kinds) {
        return kinds.entrySet().stream()
                .map(kind -> kind.getKey() + ":" + kind.getValue())
                .collect(Collectors.joining(","));
    }

    /** @param figures what is written down of a run in which all held */
    Campaign(FaultRun.Simulation<R> simulation, String file, Function<R, String> figures) throws IOException {
        this.simulation = simulation;
        this.results = Files.createDirectories(Path.of(System.getProperty("soak.results", "target/soak")))
                .resolve(file);
        this.figures = figures;
    }

    /** Runs, and fails at the end with every seed in which something did not hold. */
    void run(Path folder) throws Exception {
        long endNs = System.nanoTime()
                + Duration.ofMinutes(Long.getLong("soak.minutes", 30)).toNanos();
        long lastSeed = FIRST_SEED + Long.getLong("soak.seeds", Integer.MAX_VALUE) - 1;
        long seed = nextSeed();
        do {
            Path home = Files.createDirectory(folder.resolve("seed-" + seed));
            String line = lineOf(seed, home);
            Files.writeString(results, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            Folders.delete(home);
            seed++;
        } while (System.nanoTime() < endNs && seed <= lastSeed);
        assertThat(broken).isEmpty();
    }

    private long nextSeed() throws IOException {
        if (!Files.exists(results)) {
            return FIRST_SEED;
        }
        List<String> lines = Files.readAllLines(results);
        return lines.isEmpty()
                ? FIRST_SEED
                : 1 + Long.parseLong(lines.get(lines.size() - 1).split("[ =]", 3)[1]);
    }

    private String lineOf(long seed, Path folder) throws Exception {
        long startedNs = System.nanoTime();
        String start = "seed=" + seed;
        try {
            R run = new FaultRun<>(simulation, seed, folder).check();
            return start + " holds " + figures.apply(run) + " tookMs="
                    + Duration.ofNanos(System.nanoTime() - startedNs).toMillis();
        } catch (AssertionError e) {
            String text = String.valueOf(e.getMessage());
            broken.add(text);
            return start + " broken "
                    + text.lines().findFirst().orElse("") + " "
                    + text.lines()
                            .filter(line -> line.startsWith("alone:"))
                            .findFirst()
                            .orElse("");
        }
    }
}
