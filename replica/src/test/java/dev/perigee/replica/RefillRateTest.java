package dev.perigee.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** R35: a slave that is filled slower than its master deletes says so. */
class RefillRateTest {
    private static final int BODY_BYTES = 2_000;

    private final SteppedReplicas replicas = new SteppedReplicas(3);
    private final ReplicaNode master = replicas.node(0);
    private final ReplicaNode slave = replicas.node(1);

    /** The views of the slave stand still, so that it is not full. */
    private void fillFor(long ms) {
        for (long passed = 0; passed < ms; passed += SteppedReplicas.STEP_MS) {
            master.send(BODY_BYTES);
            stepWithoutItsViews();
        }
    }

    private void stepWithoutItsViews() {
        master.step();
        replicas.settle();
        slave.stepWithoutViews();
        replicas.settle();
        replicas.pass();
    }

    private void deleteWhatTheSlaveLacks() throws Exception {
        long ended = slave.log().endOffset();
        replicas.network.breakConnectionsTo(ReplicaNode.MASTER_PORT);
        for (int i = 0; i < 200; i++) {
            master.send(BODY_BYTES);
            master.step();
        }
        master.log().trimTo(master.log().nextSegmentStart(ended));
    }

    @Test
    void aSlaveThatIsFilledSlowerThanItsMasterDeletesSaysHowFastBothAre() throws Exception {
        master.openMaster(false);
        slave.openSlave();
        fillFor(4_000);
        assertThat(slave.log().endOffset()).isPositive();
        assertThat(slave.notYet()).isPresent();
        deleteWhatTheSlaveLacks();
        for (int i = 0; i < 3_000 && slave.tooOld == null; i++) {
            stepWithoutItsViews();
        }
        assertThat(slave.tooOld)
                .contains("did not keep up")
                .containsPattern("filled with [1-9]\\d* bytes a second")
                .containsPattern("grew by [1-9]\\d*,");
    }

    @Test
    void aSlaveThatWasFullAndAwayForTooLongSaysNothingOfThat() throws Exception {
        master.openMaster(false);
        slave.openSlave();
        fillFor(4_000);
        assertThat(replicas.runUntil(() -> slave.notYet().isEmpty())).isTrue();
        deleteWhatTheSlaveLacks();
        assertThat(replicas.runUntil(() -> slave.tooOld != null)).isTrue();
        assertThat(slave.tooOld).doesNotContain("keep up");
    }
}
