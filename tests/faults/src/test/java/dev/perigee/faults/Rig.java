package dev.perigee.faults;

import dev.perigee.faults.cluster.Cluster;
import dev.perigee.faults.cluster.Contestant;
import dev.perigee.faults.cluster.GroupWatch;
import dev.perigee.faults.cluster.Node;
import dev.perigee.faults.fault.Fault;
import dev.perigee.faults.fault.FaultKind;
import dev.perigee.faults.fault.Plan;
import dev.perigee.faults.fault.Plan.Episode;
import dev.perigee.faults.fault.Plan.Overlap;
import dev.perigee.faults.fault.Plan.Planned;
import dev.perigee.faults.history.Availability;
import dev.perigee.faults.history.Availability.Span;
import dev.perigee.faults.history.Checker;
import dev.perigee.faults.history.Elections;
import dev.perigee.faults.history.History;
import dev.perigee.faults.history.Operation.Led;
import dev.perigee.faults.machine.Leftovers;
import dev.perigee.faults.machine.Moment;
import dev.perigee.faults.machine.Network;
import dev.perigee.faults.machine.RigName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** One run: a cluster under load has the faults of a plan, and what its clients saw is checked. For one thread. */
final class Rig {
    /** So many acknowledgements since it was healed say that a cluster is well, and are a load between two episodes. */
    static final int WELL = 200;

    private static final Duration RECOVERY = Duration.ofMinutes(2);
    private static final Duration RECOVERY_BY_HAND = Duration.ofMinutes(10);
    /** Where a whole cluster takes minutes to start, a node that starts again may take as long. */
    private static final int STARTS = 5;

    private static final Duration LOOK = Duration.ofMillis(100);
    /** How often a client asks a group for offsets. */
    private static final int ASK_MS = 50;

    /**
     * What a run is to be.
     *
     * @param flush the flushDiskType of all nodes
     * @param faults how many
     * @param kinds of which, as far as this machine can do them
     * @param calmSeconds how long there is load and no fault before the first one
     * @param electionMs for so long a leader of a Perigee group may be unheard, 0 for the default
     */
    record Settings(
            Contestant contestant,
            String flush,
            long seed,
            int faults,
            List<FaultKind> kinds,
            Overlap overlap,
            int calmSeconds,
            int electionMs) {
        private Map<String, String> ofNodes() {
            Map<String, String> all = new TreeMap<>(Map.of("flushDiskType", flush));
            if (electionMs > 0 && contestant == Contestant.PERIGEE_GROUP_3) {
                all.put("raftElectionTimeout", Integer.toString(electionMs));
            }
            return all;
        }
    }

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
    private final List<String> targets = new ArrayList<>();
    private Duration recovery = RECOVERY;
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
                Cluster cluster = Cluster.start(settings.contestant(), network, name, folder, settings.ofNodes());
                RecordedLoad load = RecordedLoad.start(
                        cluster.namesrv(), folder, settings.contestant().isGroup() ? ASK_MS : 0);
                GroupWatch watch = cluster.watch()) {
            System.out.println("faults: " + settings + " on " + cluster.description());
            Stage stage = new Stage(cluster, load, watch);
            Duration start = Duration.of(STARTS * (Moment.nowUs() - beganUs), ChronoUnit.MICROS);
            recovery = start.compareTo(RECOVERY) > 0 ? start : RECOVERY;
            cluster.awaitTopic();
            awaitWell(stage, RECOVERY_BY_HAND);
            long calmUs = Moment.nowUs();
            Moment.afterMs(TimeUnit.SECONDS.toMillis(settings.calmSeconds()));
            Plan plan = plan(cluster);
            for (Episode episode : plan.episodes()) {
                play(episode, stage);
            }
            Span whole = new Span(calmUs, Moment.nowUs());
            History history = load.end();
            watch.addTo(history);
            return new RunReport(
                    settings,
                    cluster.description(),
                    RunReport.kindsOf(plan),
                    history.acknowledged().size(),
                    Checker.check(history),
                    Availability.longestGapsMs(history, spans),
                    ofGroup(watch, whole),
                    new RunReport.Trouble(cluster.deaths(), helped, cluster.foldersPutAside()),
                    TimeUnit.MICROSECONDS.toSeconds(Moment.nowUs() - beganUs));
        }
    }

    private RunReport.OfGroup ofGroup(GroupWatch watch, Span whole) throws IOException {
        if (!settings.contestant().isGroup()) {
            return RunReport.OfGroup.NONE;
        }
        List<Led> led = watch.led();
        Files.write(folder.resolve("led.txt"), led.stream().map(Led::toString).toList());
        Elections elections = new Elections(led);
        long hurtUs =
                spans.stream().mapToLong(span -> span.endUs() - span.beginUs()).sum();
        return new RunReport.OfGroup(
                targets,
                spans.stream().map(elections::in).toList(),
                elections.outside(whole, spans),
                TimeUnit.MICROSECONDS.toSeconds(whole.endUs() - whole.beginUs() - hurtUs));
    }

    private Plan plan(Cluster cluster) {
        List<FaultKind> possible = settings.kinds().stream()
                .filter(kind -> kind.isPossible(cluster.nodes()))
                .toList();
        System.out.println("faults: possible here are " + possible);
        return Plan.draw(
                settings.seed(), settings.faults(), possible, cluster.nodes().size(), settings.overlap());
    }

    private void play(Episode episode, Stage stage) throws IOException {
        List<Step> steps = steps(episode, stage);
        if (settings.contestant().isGroup()) {
            note("members before: " + stage.watch().said());
        }
        long beganUs = Moment.nowUs();
        for (Step step : steps) {
            Moment.awaitUs(beganUs + TimeUnit.MILLISECONDS.toMicros(step.atMs()));
            note(step.text());
            step.act().run();
        }
        recover(stage);
        note("all is well");
        spans.add(new Span(beganUs, Moment.nowUs()));
    }

    private List<Step> steps(Episode episode, Stage stage) {
        List<Step> steps = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        int turn = turn(episode, stage);
        for (Planned planned : episode.faults()) {
            List<Node> nodes = stage.cluster().nodes();
            int node = (planned.node() + turn) % nodes.size();
            Fault fault = planned.kind().on(nodes, node, new Random(planned.detailSeed()));
            texts.add(planned.kind() + (fault.shape().isEmpty() ? "" : "-" + fault.shape()) + whose(node, stage));
            steps.add(new Step(planned.startMs(), fault + " begins", fault::start));
            steps.add(new Step(planned.healMs(), fault + " is healed", fault::heal));
        }
        targets.add(String.join("+", texts));
        steps.sort(Comparator.comparingLong(Step::atMs));
        return steps;
    }

    private static String whose(int node, Stage stage) {
        return stage.watch().leader().stream().anyMatch(leader -> leader == node) ? "@leader" : "@follower";
    }

    /** In groups half of all episodes begin at whoever leads then, and the others at a follower; so all nodes are turned until that fits. */
    private int turn(Episode episode, Stage stage) {
        int leader = stage.watch().leader().orElse(-1);
        if (leader < 0) {
            return 0;
        }
        int nodes = stage.cluster().nodes().size();
        Planned first = episode.faults().get(0);
        int distance = (first.detailSeed() & 1) == 0 ? 0 : 1 + first.node() % (nodes - 1);
        return Math.floorMod(leader + distance - first.node(), nodes);
    }

    /** Waits until it is well, and where it does not come back by itself does what an operator would. */
    private void recover(Stage stage) throws IOException {
        try {
            awaitWell(stage, recovery);
        } catch (ConditionTimeoutException e) {
            helped++;
            note(settings.contestant() + " does not come back by itself, all of it is started again");
            stage.cluster().startAgain();
            awaitWell(stage, RECOVERY_BY_HAND);
        }
    }

    /** What comes next comes when so much has arrived, not when so much time has passed. */
    private void awaitWell(Stage stage, Duration patience) {
        Awaitility.await("nodes of " + settings.contestant())
                .atMost(patience)
                .pollInterval(LOOK)
                .until(stage::isUp);
        long target = stage.load().acknowledged() + WELL + random.nextInt(WELL);
        Awaitility.await("acknowledgements of " + settings.contestant())
                .atMost(patience)
                .pollInterval(LOOK)
                .until(() -> stage.isUp() && stage.load().acknowledged() >= target);
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

    /** What is played on, by whom it is loaded, and who looks at it. */
    private record Stage(Cluster cluster, RecordedLoad load, GroupWatch watch) {
        boolean isUp() throws IOException {
            return cluster.isUp() && watch.isOfOneMind();
        }
    }

    private record Step(long atMs, String text, Act act) {}

    private interface Act {
        void run() throws IOException;
    }
}
