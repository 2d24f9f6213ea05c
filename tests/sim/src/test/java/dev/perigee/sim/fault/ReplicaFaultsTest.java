package dev.perigee.sim.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.cluster.Machine;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.sim.watch.LogWatch;
import dev.perigee.store.log.CommitLog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults that only a master with slaves has do what they are called, and what is over is over. */
@SuppressWarnings("NullAway.Init") // each test begins with start()
final class ReplicaFaultsTest {
    private static final long PATIENCE_MS = 20_000;
    private static final long STEP_MS = 100;

    @TempDir
    private Path folder;

    private final Verdict verdict = new Verdict();
    private final List<String> notes = new ArrayList<>();
    private Cluster cluster;
    private BrokerMachine slave;
    private FaultInjector faults;

    private void start(String events) throws Exception {
        cluster = new Cluster(3, folder, Layout.replicated(1, 1, Layout.Guard.STRICT));
        slave = cluster.slaves().get(0);
        LogWatch watch = new LogWatch(cluster, verdict);
        faults = new FaultInjector(cluster, FaultPlan.read(events), notes::add, watch::byteOfFrame);
    }

    @AfterEach
    void everythingElseHolds() {
        assertThat(verdict.problem()).isEmpty();
        assertThat(faults.problems()).isEmpty();
    }

    private static long end(BrokerMachine machine) {
        return machine.log().map(CommitLog::endOffset).orElse(-1L);
    }

    private boolean becomesLevel() {
        return cluster.passUntil(() -> end(slave) > 0 && end(slave) == end(cluster.machine()), PATIENCE_MS, STEP_MS);
    }

    @Test
    void aWipedSlaveIsAnotherNodeThatFillsItselfAnew() throws Exception {
        start("5000:WIPE:broker-a.1:-:500:0");
        cluster.pass(4_900);
        assertThat(becomesLevel()).isTrue();
        String before = slave.nodeId().orElseThrow();

        cluster.pass(200);
        assertThat(slave.isUp()).isFalse();
        assertThat(slave.nodeId()).isEmpty();

        cluster.pass(500);
        assertThat(slave.nodeId()).isPresent().get().isNotEqualTo(before);
        assertThat(becomesLevel()).isTrue();
    }

    @Test
    void nothingOfAWipedDiskComesBackWhenTheNextOneLosesPower() throws Exception {
        start("5000:RESTART:broker-a.1:-:100:0"); // which checkpoints its views
        cluster.pass(8_000);
        assertThat(becomesLevel()).isTrue();
        assertThat(slave.files("topics")).isNotEmpty();
        slave.end(Machine.End.KILLED);
        List<String> folders = slave.files("");
        slave.wipe();
        slave.start();
        slave.end(Machine.End.POWER_LOST);

        assertThat(folders)
                .contains("topics", "consumequeue")
                .allSatisfy(name -> assertThat(slave.files(name)).isEmpty());
        slave.start();
        assertThat(becomesLevel()).isTrue();
    }

    @Test
    void garbledBytesDoNotGetIntoTheLogOfASlave() throws Exception {
        start("0:GARBLE:broker-a:broker-a.1:5000:100");
        cluster.pass(4_900);
        assertThat(end(slave)).isZero();
        assertThat(end(cluster.machine())).isPositive();

        cluster.pass(200);
        assertThat(becomesLevel()).isTrue();
    }

    @Test
    void aSlaveThatIsPromotedIsTheMasterAndTheFormerOneFollowsIt() throws Exception {
        start("5000:PROMOTE:broker-a.1:broker-a:500:1");
        cluster.pass(4_900);
        assertThat(becomesLevel()).isTrue();
        BrokerMachine former = cluster.master();

        cluster.pass(600);
        assertThat(cluster.master()).isSameAs(slave);
        assertThat(cluster.slaves()).containsExactly(former);
        assertThat(faults.promotions()).isEqualTo(1);

        assertThat(becomesLevel()).isTrue();
    }

    @Test
    void whoIsNotTheMasterIsNotReplaced() throws Exception {
        start("5000:PROMOTE:broker-a.1:broker-a.7:500:1");
        cluster.pass(6_000);
        assertThat(cluster.master()).isSameAs(cluster.machine());
        assertThat(faults.promotions()).isZero();
    }

    @Test
    void whatIsHealedDoesNotFailAnyMore() throws Exception {
        start("5000:KILL_IN_CALL:broker-a.1:-:0:1000,5001:FAIL_FORCE:broker-a.1:-:0:0,5001:HEAL:broker-a.1:-:0:0");
        cluster.pass(10_000);
        assertThat(notes).noneMatch(note -> note.contains("started"));
        assertThat(becomesLevel()).isTrue();
    }
}
