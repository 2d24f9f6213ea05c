package dev.perigee.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.cluster.Cluster;
import dev.perigee.faults.cluster.Contestant;
import dev.perigee.faults.cluster.GroupWatch;
import dev.perigee.faults.cluster.Node;
import dev.perigee.faults.history.Checker;
import dev.perigee.faults.history.Findings;
import dev.perigee.faults.history.History;
import dev.perigee.faults.history.Operation.Led;
import dev.perigee.faults.machine.Cable;
import dev.perigee.faults.machine.Leftovers;
import dev.perigee.faults.machine.Moment;
import dev.perigee.faults.machine.Network;
import dev.perigee.faults.machine.RigName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Check K13: three replicas under load lose their leader over and over, killed and cut off from the others in turn; then all three are started
 * again, while one lacks what the others confirmed.
 */
final class LostLeaderTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration LOOK = Duration.ofMillis(50);
    /** So many acknowledgements say that sends go on. */
    private static final int SOME = 50;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    /** A run of the check. For one thread. */
    private record Trial(Cluster cluster, RecordedLoad load, GroupWatch watch) {
        void loseLeader(boolean killed) throws IOException {
            int leader = leader();
            Node lost = node(leader);
            long beganUs = Moment.nowUs();
            if (killed) {
                lost.kill();
            } else {
                cutOff(leader, true);
            }
            await(
                    "another leader than " + lost,
                    () -> watch.led().stream().anyMatch(led -> led.atUs() > beganUs && indexOf(led) != leader));
            awaitMore();
            if (killed) {
                lost.launch();
            } else {
                cutOff(leader, false);
            }
            await("all follow one again", () -> cluster.isUp() && watch.isOfOneMind());
        }

        private void cutOff(int index, boolean cut) throws IOException {
            for (int i = 0; i < cluster.nodes().size(); i++) {
                if (i != index) {
                    node(i).cable().hearNothingFrom(cut ? List.of(cable(index)) : List.of());
                }
            }
            List<Cable> others = cluster.nodes().stream()
                    .filter(node -> node != node(index))
                    .map(Node::cable)
                    .toList();
            node(index).cable().hearNothingFrom(cut ? others : List.of());
        }

        /** The one that lacks something is there first, and the other that must win comes then. */
        void startAllWithOneBehind() throws IOException {
            int leader = leader();
            int behind = (leader + 1) % 3;
            int other = (leader + 2) % 3;
            node(behind).kill();
            awaitMore();
            node(leader).kill();
            node(other).kill();
            long beganUs = Moment.nowUs();
            node(behind).launch();
            node(other).launch();
            awaitMore();
            List<Led> since =
                    watch.led().stream().filter(led -> led.atUs() > beganUs).toList();
            assertThat(since)
                    .as("who led while one of two lacked what was confirmed")
                    .isNotEmpty()
                    .allMatch(led -> indexOf(led) == other);
            node(leader).launch();
            await("all follow one again", () -> cluster.isUp() && watch.isOfOneMind());
            awaitMore();
        }

        private static int indexOf(Led led) {
            return Integer.parseInt(led.leader().substring(1));
        }

        private int leader() {
            await("a leader", () -> watch.isOfOneMind() && watch.leader().isPresent());
            return watch.leader().orElseThrow();
        }

        private Node node(int index) {
            return cluster.nodes().get(index);
        }

        private Cable cable(int index) {
            return node(index).cable();
        }

        private void awaitMore() {
            long target = load.acknowledged() + SOME;
            await("sends go on", () -> load.acknowledged() >= target);
        }

        private static void await(String what, Callable<Boolean> condition) {
            Awaitility.await(what).atMost(PATIENCE).pollInterval(LOOK).until(condition);
        }
    }

    private void check(int losses) throws Exception {
        Leftovers.remove();
        RigName name = RigName.next();
        // A busy machine must not elect for nothing all the time.
        Map<String, String> settings = Map.of("flushDiskType", "ASYNC_FLUSH", "raftElectionTimeout", "3000");
        try (Network network = Network.open(name);
                Cluster cluster = Cluster.start(Contestant.PERIGEE_GROUP_3, network, name, folder, settings);
                RecordedLoad load = RecordedLoad.start(cluster.namesrv(), folder, 50);
                GroupWatch watch = cluster.watch()) {
            Trial trial = new Trial(cluster, load, watch);
            boolean canCut = cluster.nodes().get(0).cable().knowsWhoSpeaks();
            for (int i = 0; i < losses; i++) {
                trial.loseLeader(i % 2 == 0 || !canCut);
            }
            trial.startAllWithOneBehind();
            History history = load.end();
            watch.addTo(history);
            Findings findings = Checker.check(history);
            assertThat(findings.violations()).as(findings::toString).isEmpty();
            assertThat(history.acknowledged()).hasSizeGreaterThan((losses + 3) * SOME);
            System.out.println("faults: " + losses + " leaders lost, "
                    + history.acknowledged().size() + " messages acknowledged, no violation");
        }
    }

    @Test
    @Tag("full")
    void whatWasAcknowledgedSurvivesLostLeadersAndNoneIsElectedThatLacksIt() throws Exception {
        check(2);
    }

    @Test
    @Tag("soak")
    void soItDoesWhenFiftyLeadersAreLost() throws Exception {
        check(50);
    }
}
