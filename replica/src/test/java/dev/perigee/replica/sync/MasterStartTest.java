package dev.perigee.replica.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.epoch.ReplicaSet;
import dev.perigee.store.receive.SenderState;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Scripts: what a master that starts makes of the log it finds. 60 of 100 bytes are known to be confirmed, the set is named up to 80. */
class MasterStartTest {
    private static final InSyncMember ONE = new InSyncMember(1, "n1");
    private static final InSyncMember TWO = new InSyncMember(2, "n2");
    private static final long SILENCE_MS = 15_000;
    private static final long STARTED_MS = 50_000;

    private final ReplicaSlots slots = new ReplicaSlots();
    private final MasterReplication master = master(true);
    private long sessions;

    private MasterReplication master(boolean synchronous) {
        MasterReplication made = new MasterReplication(
                new ReplicationRules(FlushMode.SYNC, synchronous, 2, 1, 3_000, 1_000_000, SILENCE_MS), slots, 60);
        made.keptAlone(true);
        made.recovered(1, 100);
        return made;
    }

    private void found(InSyncMember... members) {
        begin(master, members);
        append(120); // the start of its epoch
    }

    private static void begin(MasterReplication starting, InSyncMember... members) {
        starting.begin(Optional.of(new ReplicaSet(List.of(members), 80)), false, 0);
        starting.tick(STARTED_MS);
    }

    private void append(long endOffset) {
        master.appended(endOffset);
        master.flushed(1, endOffset);
    }

    private long confirm() {
        master.advance();
        return master.confirmOffset();
    }

    private ReplicaSlot hello(InSyncMember member) {
        return ((ReplicaSlots.Joined) slots.join(candidate(member, false), STARTED_MS)).slot();
    }

    private ReplicaSlots.Candidate candidate(InSyncMember member, boolean restoring) {
        return new ReplicaSlots.Candidate(member, ++sessions, member.brokerId(), restoring, "there");
    }

    @Test
    void whatWasNotKnownToBeConfirmedWaitsForTheReplicaThatTheLogNames() {
        found(ONE);
        assertThat(confirm()).isEqualTo(60);
        assertThat(master.proposal()).as("the log names it already").isEmpty();
        ReplicaSlot one = hello(ONE);
        assertThat(confirm()).as("it said nothing yet of what it holds").isEqualTo(60);
        one.held(100, STARTED_MS);
        assertThat(confirm()).as("it has not the start of this epoch (R19)").isEqualTo(60);
        one.held(120, STARTED_MS);
        assertThat(confirm()).isEqualTo(120);
        assertThat(master.inSync()).containsExactly(ONE);
        assertThat(master.confirmed(120)).isEqualTo(AppendResult.APPENDED);
    }

    /** Which of them confirmed what before the start is not known: each may be the one that a promotion asks. */
    @Test
    void allThatTheLogNamesAreWaitedFor() {
        found(ONE, TWO);
        hello(ONE).held(120, STARTED_MS);
        assertThat(confirm()).isEqualTo(60);
        hello(TWO).held(120, STARTED_MS);
        assertThat(confirm()).isEqualTo(120);
    }

    @Test
    void oneThatDoesNotComeStaysInTheSetForTheTimeOfSilence() {
        found(ONE);
        master.tick(STARTED_MS + SILENCE_MS);
        assertThat(master.proposal()).isEmpty();
        assertThat(master.nextTickMs()).isEqualTo(STARTED_MS + SILENCE_MS + 1);
        master.tick(STARTED_MS + SILENCE_MS + 1);
        SyncProposal smaller = master.proposal().orElseThrow();
        assertThat(smaller.members()).isEmpty();
        master.appended(150);
        master.recorded(smaller.number(), 150);
        assertThat(confirm()).as("the fact is not on the disk").isEqualTo(60);
        master.flushed(1, 150);
        assertThat(confirm()).isEqualTo(150);
        assertThat(master.confirmed(120)).isEqualTo(AppendResult.SLAVE_NOT_AVAILABLE);
    }

    /** {1, 2} shrinks to {1}, for 2 may have forgotten bytes: 1 must hold all that was found, for 2 may have confirmed any of it. */
    @Test
    void whoIsLeftMustHoldAllThatWasFound() {
        found(ONE, TWO);
        ReplicaSlot one = hello(ONE);
        slots.join(candidate(TWO, true), STARTED_MS);
        one.held(90, STARTED_MS);
        master.tick(STARTED_MS + 100);
        SyncProposal smaller = master.proposal().orElseThrow();
        assertThat(smaller.members()).containsExactly(ONE);
        append(150);
        master.recorded(smaller.number(), 150);
        one.held(140, STARTED_MS + SILENCE_MS + 1);
        assertThat(confirm()).isEqualTo(60);
        one.held(150, STARTED_MS + SILENCE_MS + 1);
        assertThat(confirm()).isEqualTo(150);
    }

    /** What was confirmed then was answered as stored without copies. */
    @Test
    void aLogThatNamesNobodyIsConfirmedWithTheStartOfTheEpoch() {
        begin(master);
        assertThat(confirm()).isEqualTo(60);
        append(120);
        assertThat(confirm()).isEqualTo(120);
    }

    @Test
    void anAsynchronousMasterConfirmsWhatItFindsByItsOwnFlush() {
        MasterReplication alone = master(false);
        begin(alone, ONE);
        alone.advance();
        assertThat(alone.confirmOffset()).isEqualTo(100);
        alone.tick(STARTED_MS);
        assertThat(alone.proposal()).isEmpty();
        alone.tick(STARTED_MS + SILENCE_MS + 1);
        assertThat(alone.proposal().orElseThrow().members()).isEmpty();
    }

    @Test
    void aConfirmOffsetIsReadWithoutDecidingAnything() {
        found();
        assertThat(master.confirmOffset()).isEqualTo(60);
        assertThat(master.confirmOffset()).isEqualTo(60);
        master.advance();
        assertThat(master.confirmOffset()).isEqualTo(120);
    }

    /** R10: what replicas had beyond the own end is taken over first, and what they were told to be confirmed is. */
    @Test
    void untilItBeginsItReceivesAndAppendsNothing() {
        assertThat(master.mayAppend()).isFalse();
        assertThat(master.mayReceive()).isTrue();
        master.received(new SenderState(1, 2, 130), 140);
        assertThat(confirm()).isEqualTo(130);
        master.tick(STARTED_MS);
        assertThat(master.mayAppend()).isFalse();
        begin(master, ONE);
        assertThat(master.mayAppend()).isTrue();
        assertThat(master.mayReceive()).isFalse();
        append(160);
        ReplicaSlot one = hello(ONE);
        one.held(140, STARTED_MS);
        assertThat(confirm()).as("it has not the start of this epoch").isEqualTo(130);
        one.held(160, STARTED_MS);
        assertThat(confirm()).isEqualTo(160);
    }
}
