package dev.perigee.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.replica.follow.Restoring;
import org.junit.jupiter.api.Test;

/** A replica that may lack something counts for nobody, and counts again when it lacks nothing. */
class RestoringReplicaTest {
    private static final int MOST_STEPS = 10_000;

    private final SteppedReplicas replicas = new SteppedReplicas(5);
    private final ReplicaNode master = replicas.node(0);
    private final ReplicaNode slave = replicas.node(1);

    private boolean isCounted() {
        return master.inSync().stream().anyMatch(member -> member.brokerId() == 1);
    }

    @Test
    void aReplicaThatIsFullBeforeItsStreamBeginsIsCounted() throws Exception {
        master.openMaster(true);
        slave.openSlave();
        replicas.sendFor(500, master, 2, 2_000);
        assertThat(replicas.runUntil(this::isCounted)).isTrue();
        replicas.run(2_000);
        slave.close();
        slave.disk.open(Restoring.FILE).close();

        slave.openSlave();
        for (int i = 0; i < MOST_STEPS && slave.notYet().isPresent(); i++) {
            replicas.network.step();
            slave.step();
        }
        assertThat(slave.notYet()).isEmpty();
        assertThat(slave.isFollowing()).as("the stream has not begun").isFalse();
        replicas.run(3_000);
        assertThat(isCounted()).isTrue();
        int sent = master.acknowledged.size();
        master.send(10);
        replicas.run(1_000);
        assertThat(master.acknowledged).hasSize(sent + 1);
    }
}
