package dev.perigee.sim;

import dev.perigee.sim.fault.FaultPlan;
import dev.perigee.sim.fault.Shrinker;
import dev.perigee.sim.group.GroupSimulation;
import dev.perigee.sim.kind.GroupScene;
import dev.perigee.sim.kind.KindSimulation;
import dev.perigee.sim.kind.PairScene;
import dev.perigee.sim.kind.Scene;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * Runs of a seed. What goes wrong in them is drawn by the seed, unless {@code -Dsim.events} lists it; when something does not hold,
 * the run is tried again with fewer and fewer events, and the failure tells the shortest list and the command that runs it.
 *
 * @param <R> a simulation
 */
final class FaultRun<R> {
    /** All kinds of messages, on clusters of several machines. */
    static final Simulation<KindSimulation> KINDS = new Simulation<>(
            "KindsOnOneThreadTest#everySeedHolds",
            seed -> Scene.drawn(seed, Scene.layout(seed)),
            (seed, folder, plan) -> new KindSimulation(seed, folder, new Scene(Scene.layout(seed), plan)),
            KindSimulation::run,
            KindSimulation::trace);

    /** All kinds of messages, on a master with slaves. */
    static final Simulation<KindSimulation> PAIRS = new Simulation<>(
            "PairsOnOneThreadTest#everySeedHolds",
            seed -> PairScene.drawn(seed, PairScene.layout(seed)),
            (seed, folder, plan) -> new KindSimulation(seed, folder, new Scene(PairScene.layout(seed), plan)),
            KindSimulation::run,
            KindSimulation::trace);

    /** All kinds of messages, on brokers of one group, which elect their master. */
    static final Simulation<KindSimulation> MEMBERS = new Simulation<>(
            "MembersUnderFaultsTest#everySeedHolds",
            seed -> GroupScene.drawn(seed, GroupScene.layout(seed)),
            (seed, folder, plan) -> new KindSimulation(seed, folder, new Scene(GroupScene.layout(seed), plan)),
            KindSimulation::run,
            KindSimulation::trace);

    /** Groups of consumers whose members come and go. */
    static final Simulation<GroupSimulation> GROUPS = new Simulation<>(
            "GroupsOnOneThreadTest#everyInvariantHolds",
            GroupSimulation::plan,
            GroupSimulation::new,
            run -> {
                String problem = run.run();
                return problem.isEmpty() ? List.of() : List.of(problem);
            },
            GroupSimulation::history);

    private static final String EVENTS = "sim.events";
    private static final int MAX_RUNS = Integer.getInteger("sim.shrinkRuns", 40);
    private static final int LAST_LINES = 60;

    private final Simulation<R> simulation;
    private final long seed;
    private final Path folder;
    private int runs;

    FaultRun(Simulation<R> simulation, long seed, Path folder) {
        this.simulation = simulation;
        this.seed = seed;
        this.folder = folder;
    }

    /** Makes a run. */
    @FunctionalInterface
    interface Maker<R> {
        R make(long seed, Path folder, FaultPlan plan) throws Exception;
    }

    /** Runs it; gives what does not hold. */
    @FunctionalInterface
    interface Runner<R> {
        List<String> run(R run) throws Exception;
    }

    /**
     * What can be run.
     *
     * @param test runs one seed of it
     * @param plan what a seed makes go wrong
     */
    record Simulation<R>(
            String test,
            LongFunction<FaultPlan> plan,
            Maker<R> maker,
            Runner<R> runner,
            Function<R, List<String>> trace) {}

    private record Outcome<R>(R run, List<String> problems) {}

    private FaultPlan plan() throws IOException {
        String asked = System.getProperty(EVENTS);
        return asked == null ? simulation.plan().apply(seed) : FaultPlan.read(asked);
    }

    private Outcome<R> run(FaultPlan plan) throws Exception {
        Path home = Files.createDirectories(folder.resolve("run-" + runs++));
        R run = simulation.maker().make(seed, home, plan);
        try {
            return new Outcome<>(run, simulation.runner().run(run));
        } catch (RuntimeException | AssertionError e) {
            StringWriter text = new StringWriter();
            e.printStackTrace(new PrintWriter(text));
            return new Outcome<>(run, List.of(text.toString()));
        }
    }

    /** Runs the seed; fails with what does not hold, the shortest list of events found, how to run it alone, and what happened last. */
    R check() throws Exception {
        FaultPlan plan = plan();
        Outcome<R> outcome = run(plan);
        if (!outcome.problems().isEmpty()) {
            throw new AssertionError(report(plan, outcome));
        }
        return outcome.run();
    }

    private String report(FaultPlan plan, Outcome<R> outcome) throws Exception {
        Shrinker shrinker = new Shrinker(shorter -> !run(shorter).problems().isEmpty(), MAX_RUNS);
        FaultPlan shortest = shrinker.shrink(plan);
        Outcome<R> last = shortest.equals(plan) ? outcome : run(shortest);
        List<String> trace = simulation.trace().apply(last.run());
        return "seed " + seed + ": " + String.join("\n", last.problems())
                + "\nevents: " + shortest.events().size() + " of "
                + plan.events().size() + " are enough, found in " + shrinker.runs() + " runs"
                + "\nalone: ./mvnw -Pquick -pl tests/sim -am test -Dtest=" + simulation.test()
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dsim.seed=" + seed + " -D" + EVENTS + "=" + shortest
                + "\nlast:\n"
                + String.join("\n", trace.subList(Math.max(0, trace.size() - LAST_LINES), trace.size()));
    }
}
