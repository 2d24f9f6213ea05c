package dev.perigee.faults;

import dev.perigee.faults.cluster.Cluster;
import dev.perigee.faults.cluster.Contestant;
import dev.perigee.faults.fault.Fault;
import dev.perigee.faults.fault.FaultKind;
import dev.perigee.faults.fault.Plan;
import dev.perigee.faults.fault.Plan.Episode;
import dev.perigee.faults.fault.Plan.Overlap;
import dev.perigee.faults.fault.Plan.Planned;
import dev.perigee.faults.history.Availability;
import dev.perigee.faults.history.Availability.Span;
import dev.perigee.faults.history.Checker;
import dev.perigee.faults.history.History;
import dev.perigee.faults.machine.Leftovers;
import dev.perigee.faults.machine.Moment;
import dev.perigee.faults.machine.Network;
import dev.perigee.faults.machine.RigName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** One run: a cluster under load has the faults of a plan, and what its clients saw is checked. For one thread. */
final class Rig {
    /** So many acknowledgements since it was healed say that a cluster is well, and are a load between two episodes. */
    static final int WELL = 200;

    private static final Duration RECOVERY = Duration.ofMinutes(2);
    private static final Duration RECOVERY_BY_HAND = Duration.ofMinutes(5);
    private static final Duration LOOK = Duration.ofMillis(100);

    /**
     * What a run is to be.
     *
     * @param flush the flushDiskType of all nodes
     * @param faults how many
     * @param kinds of which, as far as this machine can do them
     */
    record Settings(
            Contestant contestant, String flush, long seed, int faults, List<FaultKind> kinds, Overlap overlap) {}

    /** What nodes are joined by. */
    interface Joining {
        /** Opens it for that rig. */
        Network open(RigName rig) throws IOException;
    }

    private final Settings settings;
    private final Joining joining;
    private final Path folder;
    private final Random random;
    private final List<Span> spans = new ArrayList<>();
    private int helped;

    Rig(Settings settings, Joining joining, Path folder) {
        this.settings = settings;
        this.joining = joining;
        this.folder = folder;
        this.random = new Random(settings.seed());
    }

    /** Blocks until all is over. */
    RunReport run() throws IOException {
        Leftovers.remove().forEach(left -> System.out.println("faults: a rig that is gone had left " + left));
        Files.createDirectories(folder);
        RigName name = RigName.next();
        long beganUs = Moment.nowUs();
        try (Network network = joining.open(name);
                Cluster cluster = Cluster.start(settings.contestant(), network, name, folder, settings.flush());
                RecordedLoad load = RecordedLoad.start(cluster.namesrv(), folder)) {
            System.out.println("faults: " + settings + " on " + cluster.description());
            awaitWell(cluster, load, RECOVERY_BY_HAND);
            Plan plan = plan(cluster);
            for (Episode episode : plan.episodes()) {
                play(episode, cluster, load);
            }
            History history = load.end();
            return new RunReport(
                    settings,
                    cluster.description(),
                    RunReport.kindsOf(plan),
                    history.acknowledged().size(),
                    Checker.check(history),
                    Availability.longestGapsMs(history, spans),
                    new RunReport.Trouble(cluster.deaths(), helped, cluster.foldersPutAside()),
                    TimeUnit.MICROSECONDS.toSeconds(Moment.nowUs() - beganUs));
        }
    }

    private Plan plan(Cluster cluster) {
        List<FaultKind> possible = settings.kinds().stream()
                .filter(kind -> kind.isPossible(cluster.nodes()))
                .toList();
        System.out.println("faults: possible here are " + possible);
        return Plan.draw(
                settings.seed(), settings.faults(), possible, cluster.nodes().size(), settings.overlap());
    }

    private void play(Episode episode, Cluster cluster, RecordedLoad load) throws IOException {
        long beganUs = Moment.nowUs();
        for (Step step : steps(episode, cluster)) {
            Moment.awaitUs(beganUs + TimeUnit.MILLISECONDS.toMicros(step.atMs()));
            note(step.text());
            step.act().run();
        }
        recover(cluster, load);
        note("all is well");
        spans.add(new Span(beganUs, Moment.nowUs()));
    }

    private static List<Step> steps(Episode episode, Cluster cluster) {
        List<Step> steps = new ArrayList<>();
        for (Planned planned : episode.faults()) {
            Fault fault = planned.kind().on(cluster.nodes(), planned.node(), new Random(planned.detailSeed()));
            steps.add(new Step(planned.startMs(), fault + " begins", fault::start));
            steps.add(new Step(planned.healMs(), fault + " is healed", fault::heal));
        }
        steps.sort(Comparator.comparingLong(Step::atMs));
        return steps;
    }

    /** Waits until it is well, and where it does not come back by itself does what an operator would. */
    private void recover(Cluster cluster, RecordedLoad load) throws IOException {
        try {
            awaitWell(cluster, load, RECOVERY);
        } catch (ConditionTimeoutException e) {
            helped++;
            note(settings.contestant() + " does not come back by itself, all of it is started again");
            cluster.startAgain();
            awaitWell(cluster, load, RECOVERY_BY_HAND);
        }
    }

    /** What comes next comes when so much has arrived, not when so much time has passed. */
    private void awaitWell(Cluster cluster, RecordedLoad load, Duration patience) {
        Awaitility.await("nodes of " + settings.contestant())
                .atMost(patience)
                .pollInterval(LOOK)
                .until(cluster::isUp);
        long target = load.acknowledged() + WELL + random.nextInt(WELL);
        Awaitility.await("acknowledgements of " + settings.contestant())
                .atMost(patience)
                .pollInterval(LOOK)
                .until(() -> cluster.isUp() && load.acknowledged() >= target);
    }

    /** What happened when, on the clock of the history beside it. */
    private void note(String text) throws IOException {
        System.out.println("faults: " + text);
        Files.writeString(
                folder.resolve("faults.txt"),
                Moment.nowUs() + " " + text + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    private record Step(long atMs, String text, Act act) {}

    private interface Act {
        void run() throws IOException;
    }
}
