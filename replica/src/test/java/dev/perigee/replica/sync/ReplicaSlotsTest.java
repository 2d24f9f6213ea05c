package dev.perigee.replica.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.replica.StreamLimits;
import dev.perigee.replica.sync.ReplicaSlots.JoinResult;
import dev.perigee.replica.sync.ReplicaSlots.Joined;
import dev.perigee.replica.sync.ReplicaSlots.Refused;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReplicaSlotsTest {
    private static final InSyncMember NODE_A = new InSyncMember(1, "aa");
    private static final InSyncMember NODE_B = new InSyncMember(1, "bb");

    private final ReplicaSlots slots = new ReplicaSlots();

    private static ReplicaSlot taken(JoinResult result) {
        assertThat(result).isInstanceOf(Joined.class);
        return ((Joined) result).slot();
    }

    private static String refusal(JoinResult result) {
        assertThat(result).isInstanceOf(Refused.class);
        return ((Refused) result).reason();
    }

    @Test
    void aBrokerIdIsRefusedAsLongAsAnotherNodeUsesIt() {
        ReplicaSlot first = taken(slots.join(NODE_A, 1, false, 0));
        assertThat(refusal(slots.join(NODE_B, 2, false, 0))).contains("brokerId 1", "aa", "bb");
        assertThat(slots.all()).containsExactly(first);
        first.disconnected();
        ReplicaSlot second = taken(slots.join(NODE_B, 3, false, 0));
        assertThat(slots.all()).containsExactly(second);
    }

    @Test
    void aNodeThatComesAgainTakesItsOwnPlace() {
        ReplicaSlot first = taken(slots.join(NODE_A, 1, false, 0));
        first.held(100, 7);
        ReplicaSlot second = taken(slots.join(NODE_A, 2, false, 9));
        assertThat(second.heldOffset()).isEqualTo(ReplicaSlot.UNKNOWN);
        assertThat(second.heardMs()).isEqualTo(7);
        assertThat(slots.all()).containsExactly(second);
    }

    @Test
    void takesNoMoreReplicasThanItMay() {
        for (int id = 1; id <= StreamLimits.REPLICAS; id++) {
            taken(slots.join(new InSyncMember(id, "n"), id, false, 0));
        }
        assertThat(refusal(slots.join(new InSyncMember(99, "n"), 99, false, 0))).contains("" + StreamLimits.REPLICAS);
        taken(slots.join(new InSyncMember(1, "n"), 100, false, 0)); // it has a place
    }

    @Test
    void whoIsGoneAndCountsForNothingMakesRoom() {
        InSyncMember counting = new InSyncMember(1, "n");
        slots.keep(counting::equals);
        for (int id = 1; id <= StreamLimits.REPLICAS; id++) {
            ReplicaSlot slot = taken(slots.join(new InSyncMember(id, "n"), id, false, 0));
            if (id <= 2) {
                slot.disconnected();
            }
        }
        taken(slots.join(new InSyncMember(99, "n"), 99, false, 0));
        assertThat(slots.of(counting)).as("it counts").isPresent();
        assertThat(slots.of(new InSyncMember(2, "n"))).isEmpty();
        assertThat(refusal(slots.join(new InSyncMember(98, "n"), 98, false, 0))).contains("" + StreamLimits.REPLICAS);
    }

    /** Their hellos come on two event loops. */
    @Test
    void ofTwoNodesThatAskForOneIdAtOnceOneGetsIt() throws Exception {
        ExecutorService loops = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 2_000; round++) {
                ReplicaSlots contested = new ReplicaSlots();
                CyclicBarrier together = new CyclicBarrier(2);
                Future<JoinResult> a = loops.submit(() -> joinTogether(contested, NODE_A, together));
                Future<JoinResult> b = loops.submit(() -> joinTogether(contested, NODE_B, together));
                assertThat(List.of(a.get(1, TimeUnit.MINUTES), b.get(1, TimeUnit.MINUTES)))
                        .filteredOn(Joined.class::isInstance)
                        .hasSize(1);
            }
        } finally {
            loops.shutdownNow();
        }
    }

    private static JoinResult joinTogether(ReplicaSlots slots, InSyncMember member, CyclicBarrier together)
            throws Exception {
        together.await();
        return slots.join(member, 1, false, 0);
    }

    @Test
    void whoAskedIsToldWhatAReplicaHolds() {
        long[] told = {0};
        slots.onHeld(slot -> told[0] = slot.heldOffset());
        taken(slots.join(NODE_A, 1, false, 0)).held(500, 1);
        assertThat(told[0]).isEqualTo(500);
    }
}
