package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.raft.Vote;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.log.LogNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Three brokers' stores elect their master, and lose nothing that was acknowledged. */
final class GroupTest {
    private static final long SLOW_FORCE_MS = 1_300;

    @Test
    void aGroupBeginsAndAcknowledgesWhatAMajorityHolds() throws Exception {
        SteppedGroup group = SteppedGroup.began(1, 3);
        GroupNode leader = group.leader();

        leader.send(100);
        group.await("an acknowledgement", () -> !leader.results.isEmpty());

        assertThat(leader.results).containsExactly(AppendResult.APPENDED);
        group.awaitLevel();
        assertThat(group.faults()).isEmpty();
    }

    @Test
    void anotherLeadsWithinThreeSecondsWhenTheLeaderIsKilledAndNothingAcknowledgedIsLost() throws Exception {
        SteppedGroup group = SteppedGroup.began(2, 3);
        GroupNode first = group.leader();
        for (int i = 0; i < 50; i++) {
            first.send(200);
        }
        group.await("acknowledgements", () -> first.acknowledged.size() == 50);

        first.kill();
        long killedMs = group.passedMs();
        GroupNode next = group.leader();

        assertThat(group.passedMs() - killedMs).isLessThanOrEqualTo(3_000);
        for (var message : first.acknowledged.entrySet()) {
            assertThat(next.read(message.getKey())).contains(message.getValue());
        }
        next.send(10);
        group.await("an acknowledgement of the next", () -> next.acknowledged.size() == 1);
        assertThat(group.faults()).isEmpty();
    }

    @Test
    void whoeverWasAwayComesBackToTheSameBytes() throws Exception {
        SteppedGroup group = SteppedGroup.began(3, 3);
        GroupNode leader = group.leader();
        GroupNode away = group.others(leader).get(0);
        away.kill();
        for (int i = 0; i < 200; i++) {
            leader.send(1_000);
        }
        group.await("acknowledgements without it", () -> leader.acknowledged.size() == 200);

        away.open();

        group.awaitLevel();
        assertThat(away.log().segments()).hasSizeGreaterThan(2);
    }

    @Test
    void whatADeposedLeaderWroteAloneIsOfUnknownOutcomeAndCut() throws Exception { // R2, R19
        SteppedGroup group = SteppedGroup.began(4, 3);
        GroupNode first = group.leader();
        first.send(10);
        group.await("an acknowledgement", () -> first.acknowledged.size() == 1);
        group.awaitLevel();
        long fork = first.log().endOffset();
        // What it writes now does not leave it: it stands still before the network moves, and its connections break.
        first.send(500);
        first.step();
        assertThat(first.log().endOffset()).isGreaterThan(fork);
        first.freeze(4_000);
        group.network.breakConnectionsTo(first.port);

        GroupNode next = group.leaderBut(first);
        next.send(20);
        group.await("an acknowledgement of the next", () -> next.acknowledged.size() == 1);
        group.awaitLevel();

        assertThat(first.results).containsExactly(AppendResult.APPENDED, AppendResult.OUTCOME_UNKNOWN);
        assertThat(first.leads()).isFalse();
        assertThat(group.faults()).isEmpty();
    }

    @Test
    void withoutAMajorityNothingIsAcknowledgedAndTheLeaderLeaves() throws Exception { // thesis 6.2
        SteppedGroup group = SteppedGroup.began(5, 3);
        GroupNode leader = group.leader();
        group.others(leader).forEach(GroupNode::kill);
        leader.send(10);

        group.await("that it leaves", () -> !leader.leads());

        assertThat(leader.acknowledged).isEmpty();
        assertThat(leader.results).containsExactly(AppendResult.OUTCOME_UNKNOWN);
        for (GroupNode other : group.others(leader)) {
            other.open();
        }
        group.awaitLevel();
    }

    @Test
    void nothingAcknowledgedIsLostWhenAllLosePowerAtOnce() throws Exception {
        SteppedGroup group = SteppedGroup.began(6, 3);
        GroupNode leader = group.leader();
        for (int i = 0; i < 30; i++) {
            leader.send(300);
        }
        group.await("acknowledgements", () -> leader.acknowledged.size() == 30);
        leader.send(1); // on its way
        group.run(SteppedGroup.STEP_MS);

        group.nodes.forEach(GroupNode::crash);
        for (GroupNode node : group.nodes) {
            node.open();
        }

        group.awaitLevel();
        for (var message : leader.acknowledged.entrySet()) {
            assertThat(group.nodes.get(2).read(message.getKey())).contains(message.getValue());
        }
    }

    @Test
    void leadershipIsHandedOverWithinAFifthOfASecond() throws Exception {
        SteppedGroup group = SteppedGroup.began(7, 3);
        GroupNode first = group.leader();
        GroupNode next = group.others(first).get(1);
        group.awaitLevel();
        long orderedMs = group.passedMs();

        var refusal = first.group().orders().transfer(next.id());
        group.await("that it leads", () -> next.standing().admits());

        assertThat(refusal.join()).isEmpty();
        assertThat(group.passedMs() - orderedMs).isLessThanOrEqualTo(200);
    }

    @Test
    void anotherFolderUnderAMembersIdIsNotFedUntilItIsAddedAnew() throws Exception { // R6, R15
        SteppedGroup group = SteppedGroup.began(8, 3);
        GroupNode leader = group.leader();
        GroupNode wiped = group.others(leader).get(0);
        leader.send(100);
        group.await("an acknowledgement", () -> leader.acknowledged.size() == 1);
        wiped.kill();
        wiped.wipe();
        wiped.open();
        group.run(5_000);
        assertThat(wiped.log().endOffset()).isZero();
        assertThat(leader.leads()).isTrue();

        group.order("removed", () -> leader.group().orders().remove(wiped.id()));
        long nodeId = wiped.nodeId();
        group.order("added", () -> leader.group().orders().add(wiped.id(), nodeId, "127.0.0.1:" + wiped.port));
        group.order("promoted", () -> leader.group().orders().promote(wiped.id()));
        group.awaitLevel();

        group.others(wiped).get(0).kill();
        GroupNode next = group.leader();
        next.send(5);
        group.await("an acknowledgement with the vote of the new folder", () -> !next.acknowledged.isEmpty());
    }

    @Test
    void aVoteThatIsDamagedOrMissingBesideALogStopsTheStart() throws Exception { // R36
        SteppedGroup group = SteppedGroup.began(9, 3);
        GroupNode node = group.others(group.leader()).get(0);
        group.awaitLevel();
        node.kill();
        byte[] vote = node.disk.content(VoteFile.FILE);
        byte[] damaged = vote.clone();
        damaged[10] ^= 1;
        node.disk.put(VoteFile.FILE, damaged);
        assertThatThrownBy(node::open).hasMessageContaining(VoteFile.FILE).hasMessageContaining("damaged");

        node.disk.delete(VoteFile.FILE);
        assertThatThrownBy(node::open).hasMessageContaining(VoteFile.FILE).hasMessageContaining("missing");

        node.disk.put(VoteFile.FILE, new Vote(0, Optional.empty()).encode().array());
        assertThatThrownBy(node::open).hasMessageContaining("term 0");

        node.disk.put(VoteFile.FILE, vote);
        node.open();
        group.awaitLevel();
    }

    @Test
    void aLeaderWhoseLogLoopStandsStillIsReplacedThoughItsFeedsGoOn() throws Exception {
        SteppedGroup group = SteppedGroup.began(15, 3);
        GroupNode first = group.leader();
        group.awaitLevel();
        first.freeze(100_000);
        long frozenMs = group.passedMs();

        GroupNode next = group.leaderBut(first);

        assertThat(group.passedMs() - frozenMs).isLessThanOrEqualTo(4_000);
        next.send(10);
        group.await("an acknowledgement of the next", () -> next.acknowledged.size() == 1);
    }

    @Test
    void whileLeadershipIsHandedOverNothingOfTheLeadersOwnIsAppended() throws Exception { // thesis 3.10
        SteppedGroup group = SteppedGroup.began(14, 3);
        GroupNode leader = group.leader();
        GroupNode next = group.others(leader).get(0);
        group.awaitLevel();
        next.freeze(600); // it does not stand before the leader gives it up
        List<AppendResult> results = new ArrayList<>();
        var fact = leader.log()
                .members(leader.log().endOffset())
                .last()
                .orElseThrow()
                .members();

        var ordered = leader.group().orders().transfer(next.id());
        group.run(50);
        assertThat(ordered).isCompletedWithValue(Optional.empty());
        leader.store().facts().append(fact, false, (result, end) -> results.add(result));
        group.await("an answer", () -> results.size() == 1);
        assertThat(results).containsExactly(AppendResult.NOT_WRITABLE);

        group.await("that it is appended", () -> {
            GroupNode then = group.leader();
            then.store().facts().append(fact, false, (result, end) -> results.add(result));
            group.run(100);
            return results.contains(AppendResult.APPENDED);
        });
    }

    @Test
    void aVoteThatFindsNoRoomOnTheDiskWaitsForItAndStopsNobody() throws Exception { // R36
        SteppedGroup group = SteppedGroup.began(13, 3);
        GroupNode leader = group.leader();
        GroupNode full = group.others(leader).get(0);
        GroupNode other = group.others(leader).get(1);
        leader.send(10);
        group.await("an acknowledgement", () -> leader.acknowledged.size() == 1);
        group.awaitLevel();
        full.disk.freeBytes(0);
        leader.kill();

        group.run(10_000);
        assertThat(group.faults()).isEmpty();
        assertThat(full.standing().leads() || other.standing().leads()).isFalse();
        full.disk.freeBytes(1L << 39);

        GroupNode next = group.leader();
        next.send(10);
        group.await("an acknowledgement of the next", () -> next.acknowledged.size() == 1);
        assertThat(group.faults()).isEmpty();
    }

    @Test
    void whoMayHaveForgottenUnderAsynchronousFlushIsSureAgainAfterAWhile() throws Exception { // R5
        SteppedGroup group = SteppedGroup.began(10, 3, FlushMode.ASYNC);
        GroupNode leader = group.leader();
        GroupNode forgets = group.others(leader).get(0);
        leader.send(100);
        group.await("an acknowledgement", () -> leader.acknowledged.size() == 1);
        forgets.crash();
        forgets.open();
        group.run(SteppedGroup.STEP_MS);
        assertThat(forgets.standing().sure()).isFalse();

        group.await("that it is sure", () -> forgets.standing().sure());

        leader.send(1); // with the mark of which its folder knows it
        group.awaitLevel();
        group.run(1_000);
        forgets.kill();
        forgets.open();
        group.run(SteppedGroup.STEP_MS);
        assertThat(forgets.standing().sure()).as("after the next start").isTrue();
    }

    @Test
    void whoeverWasAwayForTooLongFillsItselfAnewAndCountsOnlyThen() throws Exception { // R21
        SteppedGroup group = SteppedGroup.began(11, 3);
        GroupNode leader = group.leader();
        GroupNode away = group.others(leader).get(0);
        group.awaitLevel();
        away.kill();
        for (int i = 0; i < 300; i++) {
            leader.send(1_000);
        }
        group.await("acknowledgements without it", () -> leader.acknowledged.size() == 300);
        leader.log().trimTo(2L * GroupNode.SEGMENT_BYTES);
        long start = leader.log().startOffset();
        assertThat(start).isPositive();

        away.open();
        group.await("that it is to stop", () -> away.tooOld != null);
        assertThat(away.tooOld).contains("begins at " + start);
        away.kill();
        away.open();
        assertThat(away.log().endOffset()).isZero();
        group.run(SteppedGroup.STEP_MS);
        assertThat(away.standing().sure()).isFalse();

        group.await("that it is sure", () -> away.standing().sure());
        group.awaitLevel();
        assertThat(away.log().startOffset()).isEqualTo(start);
        group.await("that the old log is gone", () -> !away.disk.exists("old-log") && !away.disk.exists("refilling"));
    }

    /** Each force takes longer than a leader may be unheard, everywhere: nobody is better, and slow is better than nobody. */
    @Test
    void aGroupWhoseDisksAreAllSlowGoesOn() throws Exception { // R29
        SteppedGroup group = SteppedGroup.began(33, 3);
        group.awaitLevel();
        long longestMs = 0;
        for (int i = 0; i < 10; i++) {
            long beganMs = group.passedMs();
            for (long before = acknowledged(group); acknowledged(group) == before; ) {
                group.nodes.forEach(node -> node.stallDisk(SLOW_FORCE_MS));
                group.leader().send(100);
                group.run(SLOW_FORCE_MS + 200);
            }
            longestMs = Math.max(longestMs, group.passedMs() - beganMs);
        }

        assertThat(longestMs).isLessThan(10_000);
        assertThat(group.faults()).isEmpty();
    }

    private static long acknowledged(SteppedGroup group) {
        return group.nodes.stream().mapToLong(node -> node.acknowledged.size()).sum();
    }

    /** Its last epoch was never confirmed, and what both had before that was deleted. */
    @Test
    void whoeverHasNothingInCommonWithItsLeaderAnyMoreFillsItselfAnew() throws Exception { // R21, R25
        SteppedGroup group = SteppedGroup.began(32, 3);
        GroupNode away = group.leader();
        group.awaitLevel();
        for (GroupNode other : group.others(away)) {
            other.kill();
        }
        for (int i = 0; i < 300; i++) {
            away.send(1_000);
        }
        group.run(SteppedGroup.STEP_MS * 20L);
        long alone = away.log().endOffset();
        away.kill();
        for (GroupNode other : group.nodes) {
            if (!other.equals(away)) {
                other.open();
            }
        }
        GroupNode leader = group.leader();
        for (int i = 0; i < 300; i++) {
            leader.send(1_000);
        }
        group.await("acknowledgements without it", () -> leader.acknowledged.size() == 300);
        leader.log().trimTo(2L * GroupNode.SEGMENT_BYTES);
        assertThat(leader.log().startOffset()).isPositive().isLessThan(alone);

        away.open();
        group.await("that it is to stop", () -> away.tooOld != null);
        assertThat(away.tooOld)
                .contains("is known to be the leader's, which begins at "
                        + leader.log().startOffset());
        away.kill();
        away.open();
        group.awaitLevel();
        assertThat(away.log().startOffset()).isEqualTo(leader.log().startOffset());
    }

    @Test
    void damageInTheLogOfAMemberIsMendedFromAnother() throws Exception { // R28
        SteppedGroup group = SteppedGroup.began(12, 3);
        GroupNode leader = group.leader();
        leader.send(100);
        group.await("an acknowledgement", () -> leader.acknowledged.size() == 1);
        group.awaitLevel();
        long offset = leader.acknowledged.keySet().iterator().next();
        byte[] whole = leader.bytes();

        for (GroupNode damaged : group.nodes) {
            damaged.disk.flip(LogNames.fileName(0), offset + 40, 1);
            assertThat(damaged.bytes()).as("damaged").isNotEqualTo(whole);
            damaged.group().onDamage().accept(offset);
            group.await("mended on " + damaged.id(), () -> Arrays.equals(damaged.bytes(), whole));
        }
    }
}
