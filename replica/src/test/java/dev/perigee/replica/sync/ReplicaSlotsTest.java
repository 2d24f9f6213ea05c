package dev.perigee.replica.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.replica.StreamLimits;
import dev.perigee.replica.sync.ReplicaSlots.Candidate;
import dev.perigee.replica.sync.ReplicaSlots.JoinResult;
import dev.perigee.replica.sync.ReplicaSlots.Joined;
import dev.perigee.replica.sync.ReplicaSlots.Refused;
import java.util.ArrayList;
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

    private static InSyncMember node(int id) {
        return new InSyncMember(id, "n" + id);
    }

    private static Candidate candidate(InSyncMember member, long session, long run) {
        return new Candidate(member, session, run, false, "host" + run);
    }

    /** Of one process for each member. */
    private JoinResult join(InSyncMember member, long session, long nowMs) {
        return slots.join(candidate(member, session, member.hashCode()), nowMs);
    }

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
        ReplicaSlot first = taken(join(NODE_A, 1, 0));
        assertThat(refusal(join(NODE_B, 2, 0))).contains("brokerId 1", "aa", "bb");
        assertThat(slots.all()).containsExactly(first);
        first.disconnected();
        ReplicaSlot second = taken(join(NODE_B, 3, 0));
        assertThat(slots.all()).containsExactly(second);
    }

    @Test
    void aNodeThatComesAgainTakesItsOwnPlace() {
        ReplicaSlot first = taken(join(NODE_A, 1, 0));
        first.held(100, 7);
        ReplicaSlot second = taken(join(NODE_A, 2, 9));
        assertThat(second.heldOffset()).isEqualTo(ReplicaSlot.UNKNOWN);
        assertThat(second.heardMs()).isEqualTo(7);
        assertThat(slots.all()).containsExactly(second);
    }

    /** R6: the usual way to seed a second slave is to copy the first one's folder. */
    @Test
    void aNodeIdIsRefusedAsLongAsAnotherBrokerIdUsesIt() {
        ReplicaSlot first = taken(slots.join(candidate(NODE_A, 1, 1), 0));
        InSyncMember copy = new InSyncMember(2, NODE_A.nodeId());
        Refused refused = (Refused) slots.join(candidate(copy, 2, 2), 0);
        assertThat(refused.reason()).contains("node aa", "brokerId 1 (host1)", "brokerId 2 (host2)", "node-id");
        assertThat(refused.isTaken()).isTrue();
        assertThat(slots.all()).containsExactly(first);
        first.disconnected();
        taken(slots.join(candidate(copy, 3, 2), 0));
    }

    /** One that is away counts as well: a start would take the other one for it. */
    @Test
    void aNodeIdThatCountsUnderAnotherBrokerIdIsRefusedUntilItDoesNot() {
        List<InSyncMember> counting = new ArrayList<>(List.of(NODE_A));
        slots.keep(() -> counting);
        InSyncMember renamed = new InSyncMember(2, NODE_A.nodeId());
        Refused refused = (Refused) slots.join(candidate(renamed, 2, 2), 0);
        assertThat(refused.reason()).contains("node aa", "brokerId 1", "brokerId 2", "host2", "node-id");
        assertThat(refused.isTaken()).as("its id may have been changed").isFalse();
        counting.clear();
        taken(slots.join(candidate(renamed, 3, 2), 0));
    }

    @Test
    void ofTwoProcessesWithOneNodeIdTheOneThatIsThereStays() {
        ReplicaSlot first = taken(slots.join(candidate(NODE_A, 1, 1), 0));
        first.held(100, 10);
        Refused early = (Refused) slots.join(candidate(NODE_A, 2, 2), 20);
        assertThat(early.reason()).contains("brokerId 1 (node aa)", "host1", "host2", "node-id");
        assertThat(early.isTaken()).as("it may be the same one, started anew").isFalse();
        first.held(200, 500);
        Refused late = (Refused) slots.join(candidate(NODE_A, 3, 2), 1_020);
        assertThat(late.isTaken()).as("both are there").isTrue();
        assertThat(slots.all()).containsExactly(first);
        taken(slots.join(candidate(NODE_A, 4, 1), 1_030)); // its connection broke
    }

    /** Its machine went down, which nobody said. */
    @Test
    void aProcessThatIsNotHeardMakesWayForTheNextOneOfItsFolder() {
        ReplicaSlot first = taken(slots.join(candidate(NODE_A, 1, 1), 0));
        first.held(100, 10);
        assertThat(slots.join(candidate(NODE_A, 2, 2), 10 + ReplicaSlots.THERE_MS))
                .isInstanceOf(Refused.class);
        ReplicaSlot second = taken(slots.join(candidate(NODE_A, 3, 2), 11 + ReplicaSlots.THERE_MS));
        assertThat(slots.all()).containsExactly(second);
    }

    @Test
    void takesNoMoreReplicasThanItMay() {
        for (int id = 1; id <= StreamLimits.REPLICAS; id++) {
            taken(join(node(id), id, 0));
        }
        assertThat(refusal(join(node(99), 99, 0))).contains("" + StreamLimits.REPLICAS);
        taken(join(node(1), 100, 0)); // it has a place
    }

    @Test
    void whoIsGoneAndCountsForNothingMakesRoom() {
        InSyncMember counting = node(1);
        slots.keep(() -> List.of(counting));
        for (int id = 1; id <= StreamLimits.REPLICAS; id++) {
            ReplicaSlot slot = taken(join(node(id), id, 0));
            if (id <= 2) {
                slot.disconnected();
            }
        }
        taken(join(node(99), 99, 0));
        assertThat(slots.of(counting)).as("it counts").isPresent();
        assertThat(slots.of(node(2))).isEmpty();
        assertThat(refusal(join(node(98), 98, 0))).contains("" + StreamLimits.REPLICAS);
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
        return slots.join(candidate(member, 1, 1), 0);
    }

    @Test
    void whoAskedIsToldWhatAReplicaHolds() {
        long[] told = {0};
        slots.onHeld(slot -> told[0] = slot.heldOffset());
        taken(join(NODE_A, 1, 0)).held(500, 1);
        assertThat(told[0]).isEqualTo(500);
    }
}
