package dev.perigee.replica.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.Replication.Holders;
import dev.perigee.store.receive.SenderState;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Scripts: what happens to a master, and what it confirms and says then. */
class MasterReplicationTest {
    private static final InSyncMember ONE = new InSyncMember(1, "n1");
    private static final InSyncMember TWO = new InSyncMember(2, "n2");
    private static final long SILENCE_MS = 15_000;
    private static final long GAP_BYTES = 1_000_000;

    private final ReplicaSlots slots = new ReplicaSlots();
    private MasterReplication master = master(FlushMode.SYNC, true, 2, 1);
    private long nowMs;
    private long sessions;

    private MasterReplication master(FlushMode mode, boolean synchronous, int inSync, int minInSync) {
        MasterReplication made = new MasterReplication(
                new ReplicationRules(mode, synchronous, inSync, minInSync, 3_000, GAP_BYTES, SILENCE_MS), slots, 100);
        made.keptAlone(true);
        made.recovered(1, 100);
        made.begin(Optional.empty(), false, 0);
        made.tick(0);
        return made;
    }

    /** What is confirmed once the log loop has looked. */
    private long confirm() {
        master.advance();
        return master.confirmOffset();
    }

    private ReplicaSlot hello(InSyncMember member) {
        return joined(member, false);
    }

    private ReplicaSlot restoringHello(InSyncMember member) {
        return joined(member, true);
    }

    private ReplicaSlot joined(InSyncMember member, boolean restoring) {
        long run = member.brokerId();
        return ((ReplicaSlots.Joined)
                        slots.join(new ReplicaSlots.Candidate(member, ++sessions, run, restoring, "there"), nowMs))
                .slot();
    }

    private void append(long endOffset) {
        master.appended(endOffset);
        master.flushed(1, endOffset);
    }

    /** Appends the fact of the open proposal, which ends at that offset; not forced yet. */
    private List<InSyncMember> recordAt(long endOffset) {
        SyncProposal asked = master.proposal().orElseThrow();
        master.appended(endOffset);
        master.recorded(asked.number(), endOffset);
        return asked.members();
    }

    private void tick() {
        nowMs += MasterReplication.RETRY_MS;
        master.tick(nowMs);
    }

    /** The first fact of the epoch, at 200, says that nobody is in sync. */
    private void begin() {
        tick();
        assertThat(recordAt(200)).isEmpty();
        master.flushed(1, 200);
        assertThat(confirm()).isEqualTo(200);
    }

    /** As above, and then one replica comes; its fact ends at 300. */
    private ReplicaSlot beginWith(InSyncMember member) {
        begin();
        ReplicaSlot slot = hello(member);
        slot.held(200, nowMs);
        tick();
        assertThat(recordAt(300)).containsExactly(member);
        master.flushed(1, 300);
        slot.held(300, nowMs);
        assertThat(confirm()).isEqualTo(300);
        assertThat(master.inSync()).containsExactly(member);
        return slot;
    }

    @Test
    void anAsynchronousMasterConfirmsByItsOwnFlushAlone() {
        master = master(FlushMode.SYNC, false, 1, 1);
        master.appended(500);
        assertThat(confirm()).isEqualTo(100);
        master.flushed(1, 500);
        assertThat(confirm()).isEqualTo(500);
        assertThat(master.confirmed(500)).isEqualTo(AppendResult.APPENDED);
        tick();
        assertThat(master.proposal()).as("alone, it says nothing").isEmpty();
    }

    @Test
    void aSetOfNobodyCountsOnceItIsKeptThatThisNodeConfirmsAlone() {
        ReplicaSlot slot = beginWith(ONE);
        assertThat(master.holders()).isEqualTo(Holders.OTHERS);
        master.keptAlone(false);
        slot.held(300, nowMs);
        nowMs += SILENCE_MS;
        tick();
        assertThat(recordAt(400)).isEmpty();
        master.flushed(1, 400);
        assertThat(master.holders()).isEqualTo(Holders.ALONE);
        assertThat(confirm()).isEqualTo(300);
        master.keptAlone(true);
        assertThat(confirm()).isEqualTo(400);
    }

    /** It holds the fact that names it, and not what was confirmed behind that meanwhile. */
    @Test
    void othersHoldWhatThisNodeConfirmedAloneOnlyWhenTheyHaveCaughtUp() {
        begin();
        ReplicaSlot slot = hello(ONE);
        slot.held(200, nowMs);
        tick();
        assertThat(recordAt(300)).containsExactly(ONE);
        append(700);
        assertThat(confirm()).as("nobody is asked yet").isEqualTo(700);
        slot.held(300, nowMs);
        assertThat(confirm()).isEqualTo(700);
        assertThat(master.inSync()).containsExactly(ONE);
        assertThat(master.holders()).isEqualTo(Holders.UNKNOWN);
        slot.held(699, nowMs);
        confirm();
        assertThat(master.holders()).isEqualTo(Holders.UNKNOWN);
        slot.held(700, nowMs);
        confirm();
        assertThat(master.holders()).isEqualTo(Holders.OTHERS);
    }

    @Test
    void nobodyKnowsWhoHasWhatAnEarlierRunConfirmedBeforeASetCounts() {
        assertThat(master.holders()).isEqualTo(Holders.UNKNOWN);
        assertThat(master(FlushMode.SYNC, false, 1, 1).holders()).isEqualTo(Holders.ALONE);
    }

    @Test
    void withAsynchronousFlushTheAppendIsItsOwnCopy() {
        master = master(FlushMode.ASYNC, false, 1, 1);
        master.appended(500);
        assertThat(confirm()).isEqualTo(500);
    }

    @Test
    void aSynchronousMasterConfirmsNothingBeforeItsLogSaysWhoIsInSync() {
        append(150);
        assertThat(confirm()).isEqualTo(100);
        begin();
    }

    @Test
    void aSynchronousMasterWaitsForAReplicaInSync() {
        ReplicaSlot one = beginWith(ONE);
        append(400);
        assertThat(confirm()).isEqualTo(300);
        one.held(350, nowMs);
        assertThat(confirm()).isEqualTo(350);
        one.held(400, nowMs);
        assertThat(confirm()).isEqualTo(400);
        assertThat(master.confirmed(400)).isEqualTo(AppendResult.APPENDED);
    }

    @Test
    void aReplicaThatIsFasterThanTheOwnFlushConfirmsNothing() {
        ReplicaSlot one = beginWith(ONE);
        master.appended(400);
        one.held(400, nowMs);
        assertThat(confirm()).isEqualTo(300);
        assertThat(master.overdue(400)).isEqualTo(AppendResult.FLUSH_TIMEOUT);
        assertThat(master.patienceMs(400, 5_000)).isEqualTo(5_000);
    }

    /** R11: SEND_OK means that the copies exist. */
    @Test
    void withoutAReplicaInSyncWhatIsStoredIsNotCalledAcknowledged() {
        begin();
        append(250);
        assertThat(confirm()).isEqualTo(250);
        assertThat(master.confirmed(250)).isEqualTo(AppendResult.SLAVE_NOT_AVAILABLE);
    }

    @Test
    void aReplicaInSyncThatIsLateIsWaitedForAndThenNamed() {
        beginWith(ONE);
        append(400);
        assertThat(master.patienceMs(400, 5_000)).isEqualTo(3_000);
        assertThat(master.overdue(400)).isEqualTo(AppendResult.SLAVE_TIMEOUT);
    }

    /** R11: the in-sync set is a fact, and a smaller one confirms nothing before it is confirmed itself. */
    @Test
    void aSmallerSetConfirmsNothingBeforeItsFactIsDurable() {
        ReplicaSlot one = beginWith(ONE);
        append(400);
        nowMs = one.heardMs() + SILENCE_MS + 1;
        tick();
        assertThat(recordAt(450)).isEmpty();
        assertThat(confirm()).as("its fact is not on the disk").isEqualTo(300);
        master.flushed(1, 450);
        assertThat(confirm()).isEqualTo(450);
        assertThat(master.confirmed(400)).isEqualTo(AppendResult.SLAVE_NOT_AVAILABLE);
        assertThat(master.confirmed(300)).isEqualTo(AppendResult.APPENDED);
    }

    /** R11: {1, 2} shrinks to {2} while 2 has less than 1 had: 2 must hold the fact, and with it everything before. */
    @Test
    void aMemberOfASmallerSetMustHoldItsFactFirst() {
        ReplicaSlot one = beginWith(ONE);
        ReplicaSlot two = hello(TWO);
        two.held(300, nowMs);
        tick();
        assertThat(recordAt(400)).containsExactly(ONE, TWO);
        master.flushed(1, 400);
        one.held(400, nowMs);
        two.held(400, nowMs);
        append(500);
        one.held(500, nowMs);
        assertThat(confirm()).as("one of two is enough").isEqualTo(500);
        restoringHello(ONE);
        tick();
        assertThat(recordAt(600)).containsExactly(TWO);
        master.flushed(1, 600);
        append(700);
        assertThat(confirm()).isEqualTo(500);
        assertThat(master.inSync()).containsExactly(ONE, TWO);
        two.held(650, nowMs);
        assertThat(confirm()).isEqualTo(650);
        assertThat(master.inSync()).containsExactly(TWO);
    }

    /** A replica that joins is not counted before it holds the fact that names it: a promotion asks those whom the log names. */
    @Test
    void aReplicaThatJoinsCountsOnceItHoldsTheFactThatNamesIt() {
        begin();
        ReplicaSlot one = hello(ONE);
        one.held(150, nowMs);
        tick();
        assertThat(recordAt(300)).containsExactly(ONE);
        master.flushed(1, 300);
        append(400);
        assertThat(confirm()).isEqualTo(400);
        assertThat(master.confirmed(400)).isEqualTo(AppendResult.SLAVE_NOT_AVAILABLE);
        one.held(400, nowMs);
        append(500);
        assertThat(confirm()).isEqualTo(400);
        one.held(500, nowMs);
        assertThat(confirm()).isEqualTo(500);
        assertThat(master.confirmed(500)).isEqualTo(AppendResult.APPENDED);
    }

    @Test
    void aReplicaFarBehindDoesNotJoin() {
        begin();
        append(GAP_BYTES * 2);
        confirm();
        ReplicaSlot one = hello(ONE);
        one.held(200, nowMs);
        tick();
        assertThat(master.proposal()).isEmpty();
        one.held(GAP_BYTES + 200, nowMs);
        tick();
        assertThat(master.proposal()).isPresent();
    }

    @Test
    void aReplicaThatFallsFarBehindLeaves() {
        ReplicaSlot one = beginWith(ONE);
        append(300 + GAP_BYTES);
        one.held(300, nowMs);
        tick();
        assertThat(master.proposal()).isEmpty();
        append(301 + GAP_BYTES);
        tick();
        assertThat(master.proposal().orElseThrow().members()).isEmpty();
    }

    /** R5: acknowledgements carry a session, and a new one resets what the replica held. */
    @Test
    void aNewSessionOfAReplicaHoldsNothingUntilItSaysSo() {
        ReplicaSlot one = beginWith(ONE);
        append(400);
        ReplicaSlot again = hello(ONE);
        one.held(400, nowMs);
        assertThat(confirm()).as("the old session's word").isEqualTo(300);
        again.held(400, nowMs);
        assertThat(confirm()).isEqualTo(400);
    }

    @Test
    void whoOnlySaysHelloAgainAndAgainLeavesTheSet() {
        ReplicaSlot one = beginWith(ONE);
        long heardMs = one.heardMs();
        for (nowMs = heardMs; nowMs <= heardMs + SILENCE_MS; nowMs += 1_000) {
            hello(ONE);
            master.tick(nowMs);
            assertThat(master.proposal()).isEmpty();
        }
        hello(ONE);
        nowMs = heardMs + SILENCE_MS + 1;
        master.tick(nowMs);
        assertThat(master.proposal().orElseThrow().members()).isEmpty();
    }

    /** R6: the same id with another folder is another replica. */
    @Test
    void anotherNodeWithTheSameIdDoesNotStandInForTheOneThatIsInSync() {
        ReplicaSlot one = beginWith(ONE);
        append(400);
        one.disconnected();
        ReplicaSlot other = hello(new InSyncMember(1, "wiped"));
        other.held(400, nowMs);
        assertThat(confirm()).isEqualTo(300);
    }

    @Test
    void moreCopiesAreWaitedForWhenTheyAreAskedFor() {
        master = master(FlushMode.ASYNC, true, 3, 1);
        tick();
        recordAt(200);
        ReplicaSlot one = hello(ONE);
        ReplicaSlot two = hello(TWO);
        one.held(200, nowMs);
        two.held(200, nowMs);
        confirm();
        tick();
        assertThat(recordAt(300)).containsExactly(ONE, TWO);
        master.flushed(1, 300);
        one.held(300, nowMs);
        two.held(300, nowMs);
        assertThat(confirm()).isEqualTo(300);
        master.appended(400);
        one.held(400, nowMs);
        assertThat(confirm()).isEqualTo(300);
        two.held(350, nowMs);
        assertThat(confirm()).isEqualTo(350);
    }

    /** A start asks only those whom the log names, so the fact must outlive a loss of power before a new member's word counts. */
    @Test
    void withAsynchronousFlushASetThatSomebodyJoinsCountsOnceItsFactIsOnTheDisk() {
        master = master(FlushMode.ASYNC, true, 2, 1);
        tick();
        recordAt(200);
        assertThat(confirm()).as("nobody comes into it").isEqualTo(200);
        ReplicaSlot one = hello(ONE);
        one.held(200, nowMs);
        tick();
        assertThat(recordAt(300)).containsExactly(ONE);
        one.held(300, nowMs);
        confirm();
        assertThat(master.inSync()).isEmpty();
        assertThat(master.confirmed(300)).isEqualTo(AppendResult.SLAVE_NOT_AVAILABLE);
        master.flushed(1, 300);
        confirm();
        assertThat(master.inSync()).containsExactly(ONE);
        assertThat(master.confirmed(300)).isEqualTo(AppendResult.APPENDED);
    }

    /** In Perigee a synchronous master's word is always that a replica has it, whatever inSyncReplicas says. */
    @Test
    void oneCopyIsNeverEnoughForASynchronousMaster() {
        master = master(FlushMode.ASYNC, true, 1, 1);
        tick();
        recordAt(200);
        assertThat(confirm()).isEqualTo(200);
        assertThat(master.confirmed(200)).isEqualTo(AppendResult.SLAVE_NOT_AVAILABLE);
    }

    @Test
    void nothingIsAppendedBelowTheLeastNumberOfReplicas() {
        master = master(FlushMode.SYNC, true, 2, 2);
        assertThat(master.admission()).isEqualTo(AppendResult.TOO_FEW_REPLICAS);
        beginWith(ONE);
        assertThat(master.admission()).isEqualTo(AppendResult.APPENDED);
    }

    @Test
    void anAsynchronousMasterAppendsWithoutReplicasWhateverTheLeastNumberIs() {
        master = master(FlushMode.SYNC, false, 2, 2);
        assertThat(master.admission()).isEqualTo(AppendResult.APPENDED);
    }

    @Test
    void aFactThatCouldNotBeAppendedIsProposedAgain() {
        tick();
        SyncProposal first = master.proposal().orElseThrow();
        master.recorded(first.number(), -1);
        master.tick(nowMs);
        assertThat(master.proposal()).as("not at once").isEmpty();
        assertThat(master.nextTickMs()).isEqualTo(nowMs + MasterReplication.RETRY_MS);
        tick();
        assertThat(master.proposal().orElseThrow().number()).isGreaterThan(first.number());
    }

    @Test
    void theFactOfAProposalThatWasReplacedCountsNothing() {
        ReplicaSlot one = beginWith(ONE);
        nowMs = one.heardMs() + SILENCE_MS + 1;
        tick();
        SyncProposal without = master.proposal().orElseThrow();
        one.held(300, nowMs);
        tick();
        assertThat(master.proposal().orElseThrow().members()).containsExactly(ONE);
        append(400);
        master.recorded(without.number(), 400);
        assertThat(confirm()).isEqualTo(300);
    }

    /** R1: a force of an older generation proves nothing about what is there now. */
    @Test
    void aForceOfAnOlderGenerationConfirmsNothing() {
        master = master(FlushMode.SYNC, false, 1, 1);
        master.appended(500);
        master.flushed(0, 500);
        assertThat(confirm()).isEqualTo(100);
    }

    @Test
    void theConfirmOffsetNeverFalls() {
        ReplicaSlot one = beginWith(ONE);
        append(400);
        one.held(400, nowMs);
        assertThat(confirm()).isEqualTo(400);
        hello(ONE);
        assertThat(confirm()).isEqualTo(400);
    }

    @Test
    void aMasterThatHasBegunReceivesNothing() {
        assertThat(master.mayReceive()).isFalse();
        assertThat(master.mayAppend()).isTrue();
        assertThatThrownBy(() -> master.received(new SenderState(1, 2, 3), 500))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> master.truncated(2, 50)).isInstanceOf(IllegalStateException.class);
    }

    /** {1, 2} shrinks to {2}; 1 comes back and confirms beyond the fact, which 2 holds and nothing more: 2 does not have all. */
    @Test
    void aSetThatSomebodyLeavesMustHoldAllThatIsConfirmed() {
        ReplicaSlot one = beginWith(ONE);
        ReplicaSlot two = hello(TWO);
        two.held(300, nowMs);
        tick();
        recordAt(400);
        master.flushed(1, 400);
        one.held(400, nowMs);
        two.held(400, nowMs);
        assertThat(confirm()).isEqualTo(400);
        nowMs = one.heardMs() + SILENCE_MS + 1;
        two.held(400, nowMs);
        tick();
        assertThat(recordAt(450)).containsExactly(TWO);
        append(500);
        one.held(500, nowMs);
        assertThat(confirm()).isEqualTo(500);
        two.held(450, nowMs);
        assertThat(confirm()).isEqualTo(500);
        assertThat(master.inSync()).containsExactly(ONE, TWO);
        two.held(500, nowMs);
        confirm();
        assertThat(master.inSync()).containsExactly(TWO);
    }

    @Test
    void aLateWordOfAnEarlierProposalDoesNotHideThatALaterOneFailed() {
        ReplicaSlot one = beginWith(ONE);
        nowMs = one.heardMs() + SILENCE_MS + 1;
        tick();
        long earlier = master.proposal().orElseThrow().number();
        one.held(300, nowMs);
        tick();
        long later = master.proposal().orElseThrow().number();
        master.recorded(later, -1);
        master.recorded(earlier, 300);
        confirm();
        assertThat(master.proposal()).as("it is made again").isEmpty();
    }

    /** R5. */
    @Test
    void aReplicaThatIsRestoringCountsForNothingAndLeavesTheSet() {
        beginWith(ONE);
        ReplicaSlot again = restoringHello(ONE);
        again.held(300, nowMs);
        append(350);
        again.held(350, nowMs);
        assertThat(confirm()).as("its copy is none").isEqualTo(300);
        tick();
        assertThat(recordAt(400)).isEmpty();
        master.flushed(1, 400);
        again.held(400, nowMs);
        assertThat(confirm()).isEqualTo(400);
        assertThat(master.confirmed(350)).isEqualTo(AppendResult.SLAVE_NOT_AVAILABLE);
        tick();
        assertThat(master.proposal()).as("it does not come in, near as it is").isEmpty();

        ReplicaSlot whole = hello(ONE);
        whole.held(400, nowMs);
        tick();
        assertThat(recordAt(500)).containsExactly(ONE);
        master.flushed(1, 500);
        whole.held(500, nowMs);
        assertThat(confirm()).isEqualTo(500);
        assertThat(master.confirmed(500)).isEqualTo(AppendResult.APPENDED);
    }

    /** It stops in order: sends go on at once, without it. */
    @Test
    void aReplicaThatSaysThatItStopsIsWaitedForByNobody() {
        ReplicaSlot one = beginWith(ONE);
        append(350);
        one.leaves();
        one.held(320, nowMs);
        tick();
        assertThat(confirm())
                .as("what it holds counts until the set without it does")
                .isEqualTo(320);
        assertThat(recordAt(400)).isEmpty();
        master.flushed(1, 400);
        assertThat(confirm()).isEqualTo(400);
        assertThat(master.confirmed(320)).isEqualTo(AppendResult.APPENDED);
        assertThat(master.confirmed(350)).isEqualTo(AppendResult.SLAVE_NOT_AVAILABLE);
        one.held(400, nowMs);
        tick();
        assertThat(master.proposal()).as("near as it is").isEmpty();

        ReplicaSlot again = hello(ONE);
        again.held(400, nowMs);
        tick();
        assertThat(recordAt(500)).containsExactly(ONE);
    }

    /** Else one whose disk is full would keep every send waiting, for as long as it is heard. */
    @Test
    void aReplicaThatIsHeardButHoldsNothingMoreLeavesTheSet() {
        ReplicaSlot slot = beginWith(ONE);
        slot.compare(300, nowMs);
        append(350);
        long begunMs = nowMs;
        while (nowMs - begunMs < SILENCE_MS) {
            slot.held(300, nowMs);
            slot.compare(350, nowMs);
            assertThat(master.proposal()).as("after %d ms", nowMs - begunMs).isEmpty();
            assertThat(master.nextTickMs()).isLessThanOrEqualTo(begunMs + SILENCE_MS + 1);
            tick();
        }
        slot.held(300, nowMs);
        slot.compare(350, nowMs);
        tick();
        assertThat(recordAt(400)).isEmpty();
        master.flushed(1, 400);
        assertThat(confirm()).isEqualTo(400);
        slot.held(300, nowMs);
        slot.compare(400, nowMs);
        tick();
        assertThat(master.proposal()).as("near as it is").isEmpty();
        slot.held(400, nowMs);
        slot.compare(400, nowMs);
        tick();
        assertThat(recordAt(500)).containsExactly(ONE);
    }

    /** R6, R11: the node that is gone counts for nothing at once, but without it nothing is confirmed before the log says so. */
    @Test
    void aMemberWhoseBrokerIdAnotherNodeTakesLeavesOnlyByAFact() {
        ReplicaSlot gone = beginWith(ONE);
        gone.disconnected();
        InSyncMember other = new InSyncMember(1, "n1-of-another-folder");
        ReplicaSlot newcomer = hello(other);
        newcomer.held(300, nowMs);
        append(350);
        newcomer.held(350, nowMs);
        assertThat(confirm()).as("neither of both counts").isEqualTo(300);
        tick();
        assertThat(recordAt(400)).containsExactly(other);
        assertThat(master.inSync()).containsExactly(ONE);
        newcomer.held(400, nowMs);
        assertThat(confirm()).as("the fact is not on the disk").isEqualTo(300);
        master.flushed(1, 400);
        assertThat(confirm()).isEqualTo(400);
        assertThat(master.inSync()).containsExactly(other);
        assertThat(master.confirmed(350)).isEqualTo(AppendResult.APPENDED);
    }
}
