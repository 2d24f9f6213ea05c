package dev.perigee.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A former master had begun further epochs and acknowledged in them, alone, before its slave was made the master. It comes back as a slave of
 * that one, which cuts nothing and follows nobody, again and again.
 */
class ReplacedMasterStartTest {
    private final SteppedReplicas replicas = new SteppedReplicas(5);
    private final ReplicaNode master = replicas.node(0);
    private final ReplicaNode slave = replicas.node(1);
    /** The slave's folder, as the master's. */
    private final ReplicaNode promoted = replicas.node(0);
    /** The master's folder, as a slave's. */
    private final ReplicaNode former = replicas.node(2);

    @BeforeEach
    void theMasterGoesOnAlone() throws Exception {
        master.openMaster(false);
        slave.openSlave();
        replicas.run(3_000);
        send(master, 20);
        assertThat(slave.log().endOffset()).isEqualTo(master.log().endOffset());
        slave.close();
        for (int start = 0; start < 3; start++) {
            master.close();
            master.openMaster(false);
            replicas.run(4_000);
            send(master, 20);
        }
        assertThat(master.log().epoch()).isEqualTo(4);
        master.close();
        promoted.disk.putAll(slave.disk);
        former.disk.putAll(master.disk);
    }

    private void send(ReplicaNode node, int messages) {
        int before = node.acknowledged.size();
        for (int i = 0; i < messages; i++) {
            node.send(100);
            replicas.run(SteppedReplicas.STEP_MS);
        }
        assertThat(replicas.runUntil(() -> node.acknowledged.size() == before + messages
                        || node.results.size() >= node.acknowledged.size() + messages))
                .isTrue();
    }

    @Test
    void itDoesNotStopAnotherStartOfTheOneThatReplacedIt() throws Exception {
        promoted.openMaster(true);
        replicas.run(500);
        int epoch = promoted.log().epoch();
        assertThat(epoch).as("beyond all that the former one may have begun").isGreaterThan(4);
        send(promoted, 1);
        former.openSlave();
        byte[] had = former.bytes();
        replicas.run(3_000);
        assertThat(former.refusal())
                .hasValueSatisfying(why -> assertThat(why)
                        .contains("confirm offset the replica knows of is " + had.length, "the master's log ends at"));
        promoted.close();
        promoted.openMaster(true);
        assertThat(replicas.runUntil(() -> promoted.log().epoch() == epoch + 1)).isTrue();
        replicas.run(3_000);
        assertThat(promoted.waits).isEmpty();
        assertThat(former.bytes()).as("nothing of it is cut").isEqualTo(had);
        assertThat(former.isFollowing()).isFalse();
        assertThat(former.seen.exists(KeptRefusal.FILE)).isTrue();
    }

    /** Somebody starts the former one as the master again while the one that replaced it is away: once is enough to give that one up. */
    @Test
    void whoBeganWithLossAcceptedBesideALaterMasterIsNotStoppedByItASecondTime() throws Exception {
        promoted.openMaster(true);
        replicas.run(500);
        send(promoted, 20);
        promoted.close();
        ReplicaNode demoted = replicas.node(1);
        demoted.disk.putAll(promoted.disk);
        demoted.openSlave();
        byte[] had = demoted.bytes();
        int later = demoted.log().epoch();
        master.openMaster(true);
        replicas.run(11_000);
        assertThat(master.waits).last().asString().contains("brokerId 1", "epoch " + later, "--accept-loss");
        master.close();
        master.acceptLoss = true;
        master.openMaster(true);
        assertThat(replicas.runUntil(() -> master.log().epoch() == later + 1)).isTrue();
        replicas.run(1_000);
        master.close();
        master.acceptLoss = false;
        master.waits.clear();
        master.openMaster(true);
        assertThat(replicas.runUntil(() -> master.log().epoch() == later + 2)).isTrue();
        replicas.run(1_000);
        assertThat(master.waits).isEmpty();
        assertThat(demoted.bytes()).as("nothing of it is cut").isEqualTo(had);
    }
}
