package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.RaftStatus;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Three whole brokers of one group, on one thread: one leads and serves as the master, and another when it is gone. */
final class MembersTest {
    @Test
    void anAcknowledgedMessageIsReadFromTheNextMasterWhichGoesOn() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int first = members.master();
        members.createTopic(first, "T");
        Answer<SendMessageResponse> sent = members.send(first, "T", "before");
        assertThat(sent.code()).as(sent.remarkText()).isZero();

        members.kill(first);
        int second = members.master();

        assertThat(second).isNotEqualTo(first);
        assertThat(members.bodies(second, "T", 0)).containsExactly("before");
        Answer<SendMessageResponse> next = members.send(second, "T", "after");
        assertThat(next.code()).as(next.remarkText()).isZero();
        assertThat(next.require().queueOffset()).isEqualTo(1);
        assertThat(members.bodies(second, "T", 0)).containsExactly("before", "after");
    }

    @Test
    void whoAsksAnotherMemberIsAnsweredByTheMaster() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int master = members.master();
        int other = (master + 1) % 3;
        members.createTopic(other, "T");
        Answer<SendMessageResponse> sent = members.send(other, "T", "m");
        assertThat(sent.code()).as(sent.remarkText()).isZero();
        assertThat(members.bodies(other, "T", 0)).containsExactly("m");
        assertThat(members.bodies(master, "T", 0)).containsExactly("m");
    }

    @Test
    void offsetsAndWhatWaitsGoOnWithTheNextMaster() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of("messageDelayLevel", "2s 20s"));
        int first = members.master();
        members.createTopic(first, "T");
        assertThat(members.send(first, "T", "m").code()).isZero();
        assertThat(members.bodies(first, "T", 0))
                .as("read, so that there is the group")
                .hasSize(1);
        assertThat(members.commit(first, "T", 1).code()).isZero();
        assertThat(members.position(first, "T"))
                .as("logged when it was asked for")
                .isEqualTo(1);
        Answer<SendMessageResponse> late = members.sendDelayed(first, "T", "late", 2);
        assertThat(late.code()).as(late.remarkText()).isZero();

        members.kill(first);
        int second = members.master();

        assertThat(members.position(second, "T")).isEqualTo(1);
        assertThat(members.bodies(second, "T", 0)).containsExactly("m");
        members.pass(21_000);
        assertThat(members.bodies(second, "T", 0)).containsExactly("m", "late");
        members.pass(21_000);
        assertThat(members.bodies(second, "T", 0)).as("once").containsExactly("m", "late");
    }

    /** R32: the one before may still believe that it is the master, and tell clients of a former route an older one. */
    @Test
    void positionsAreToldWhenTheMasterBeforeKnowsThatItIsOneNoMore() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int first = members.master();
        members.createTopic(first, "T");
        assertThat(members.send(first, "T", "m").code()).isZero();
        assertThat(members.bodies(first, "T", 0)).hasSize(1);
        assertThat(members.commit(first, "T", 1).code()).isZero();
        assertThat(members.position(first, "T")).isEqualTo(1);

        members.kill(first);
        int second = members.master();
        CompletableFuture<Answer<OffsetResponse>> asked = members.positionOf(second, "T");
        members.pass(500);
        assertThat(asked).as("half an election timeout after it began").isNotDone();
        assertThat(members.send(second, "T", "sends do not wait").code()).isZero();
        assertThat(members.get(asked).require().offset()).isEqualTo(1);
    }

    private static SteppedMembers withAPosition(Map<String, String> settings) throws Exception {
        SteppedMembers members = new SteppedMembers(3, settings);
        int first = members.master();
        members.createTopic(first, "T");
        assertThat(members.send(first, "T", "m").code()).isZero();
        assertThat(members.bodies(first, "T", 0)).hasSize(1);
        assertThat(members.commit(first, "T", 1).code()).isZero();
        assertThat(members.position(first, "T")).isEqualTo(1);
        return members;
    }

    private static int transfer(SteppedMembers members, int first) throws Exception {
        assertThat(members.get(members.transfer(first)).code()).isZero();
        members.until(() -> members.masters().stream().anyMatch(other -> other != first));
        return members.master();
    }

    /** R6-42: all have answered it, the master before as well. */
    @Test
    void afterAPlannedTransferPositionsAreToldAtOnce() throws Exception {
        SteppedMembers members = withAPosition(Map.of());
        int second = transfer(members, members.master());
        CompletableFuture<Answer<OffsetResponse>> asked = members.positionOf(second, "T");
        members.pass(100);
        assertThat(asked).isCompleted();
        assertThat(asked.join().require().offset()).isEqualTo(1);
    }

    @Test
    void aQuestionThatWaitsForTheMasterBeforeHoldsNoTransferUp() throws Exception {
        SteppedMembers members = withAPosition(Map.of());
        members.kill(members.master());
        int second = members.master();
        CompletableFuture<Answer<OffsetResponse>> asked = members.positionOf(second, "T");
        members.pass(20);
        assertThat(asked).isNotDone();

        long beganMs = members.clock.monotonicMs();
        int third = transfer(members, second);

        assertThat(members.clock.monotonicMs() - beganMs).isLessThan(250);
        assertThat(members.get(asked).code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(members.position(third, "T")).isEqualTo(1);
    }

    /** R6-03, R26: it leads until its removal is confirmed, and then hands over at once. */
    @Test
    void aMasterThatIsRemovedLogsOffsetsBefore() throws Exception {
        SteppedMembers members = withAPosition(Map.of());
        int first = members.master();
        assertThat(members.send(first, "T", "another").code()).isZero();
        assertThat(members.commit(first, "T", 2).code()).isZero();
        Answer<NoHeader> removed = members.get(members.call(
                first, Rpcs.RAFT_ORDER, new RaftOrderHeader(RaftOrderHeader.REMOVE, "n" + first, null, null), null));
        assertThat(removed.code()).as(removed.remarkText()).isZero();

        members.until(() -> members.masters().stream().anyMatch(other -> other != first));
        assertThat(members.position(members.master(), "T")).isEqualTo(2);
    }

    /** A tool finds members there that no NameServer shows just now. */
    @Test
    void aMemberThatDoesNotLeadSaysWhatItIsAtThePortOfTheGroupToo() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int other = (members.master() + 1) % 3;
        Answer<NoHeader> answer = members.get(members.client.call(
                "127.0.0.1:" + members.groupPort(other),
                Rpcs.RAFT_STATUS,
                NoHeader.NONE,
                null,
                Deadline.after(members.clock, 60_000)));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        RaftStatus status = Json.read(answer.body(), RaftStatus.class);
        assertThat(status.self()).isEqualTo("n" + other);
        assertThat(status.role()).isEqualTo("FOLLOWER");
    }

    /** R6-29: what the start says on the console. */
    @Test
    void aMemberSaysWhoLeadsItsGroupOrThatNobodyDoesYet() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        assertThat(members.broker(0).place().orElse(""))
                .startsWith("member n0 of group broker-a, which has no leader yet: ")
                .endsWith(" of 3 members are there");
        int master = members.master();
        int other = (master + 1) % 3;
        members.until(() -> members.broker(other).place().orElse("").endsWith("leads"));
        assertThat(members.broker(master).place()).contains("member n" + master + " of group broker-a, which it leads");
        assertThat(members.broker(other).place())
                .contains("member n" + other + " of group broker-a, which n" + master + " leads");
    }

    /** Consumers ask again after five seconds, and would be answered never. */
    @Test
    void whateverTheElectionTimeoutIsPositionsAreToldWithinFiveSeconds() throws Exception {
        SteppedMembers members = withAPosition(Map.of("raftElectionTimeout", "8000"));
        int first = members.master();
        int second = (first + 1) % 3;
        members.freeze((first + 2) % 3);
        Answer<NoHeader> ordered = members.get(members.call(
                first, Rpcs.RAFT_ORDER, new RaftOrderHeader(RaftOrderHeader.TRANSFER, "n" + second, null, null), null));
        assertThat(ordered.code()).as(ordered.remarkText()).isZero();
        members.until(() -> members.masters().contains(second));

        CompletableFuture<Answer<OffsetResponse>> asked = members.positionOf(second, "T");
        members.pass(1_000);
        assertThat(asked)
                .as("the third may be the master for all that is known")
                .isNotDone();
        members.pass(4_000);
        assertThat(asked).isCompleted();
        assertThat(asked.join().require().offset()).isEqualTo(1);
    }

    /** R26, R32: its positions may be old, and nobody could tell. */
    @Test
    void aMasterThatStoodStillAnswersNothingThatTheNextOneHasChanged() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int first = members.master();
        members.createTopic(first, "T");
        assertThat(members.send(first, "T", "one").code()).isZero();
        assertThat(members.send(first, "T", "two").code()).isZero();
        assertThat(members.bodies(first, "T", 0))
                .as("read, so that there is the group")
                .hasSize(2);
        assertThat(members.commit(first, "T", 1).code()).isZero();
        assertThat(members.position(first, "T")).isEqualTo(1);

        members.freeze(first);
        int second = members.masterBut(first);
        assertThat(members.commit(second, "T", 2).code()).isZero();
        assertThat(members.position(second, "T")).isEqualTo(2);

        assertThat(members.send(second, "T", "of the next").code()).isZero();
        assertThat(members.get(members.endOf(second, "T")).require().offset()).isEqualTo(3);

        CompletableFuture<Answer<OffsetResponse>> asked = members.positionOf(first, "T");
        CompletableFuture<Answer<OffsetResponse>> end = members.endOf(first, "T");
        members.pass(100);
        assertThat(asked).as("kept, for it does not know who leads").isNotDone();
        assertThat(end).as("the same").isNotDone();
        assertThat(members.masters()).containsExactly(second);
        members.thaw(first);
        assertThat(members.get(asked).require().offset()).isEqualTo(2);
        assertThat(members.get(end).require().offset()).isEqualTo(3);
        Answer<SendMessageResponse> sent = members.send(first, "T", "three");
        assertThat(sent.code()).as(sent.remarkText()).isZero();
        assertThat(members.bodies(second, "T", 0)).containsExactly("one", "two", "of the next", "three");
    }

    @Test
    void aMemberThatWasAwayFollowsAndMayBeTheNextMaster() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int first = members.master();
        members.createTopic(first, "T");
        members.kill(first);
        int second = members.master();
        assertThat(members.send(second, "T", "without it").code()).isZero();

        members.start(first);
        members.until(() -> members.isLevel(first, second));
        members.kill(second);
        int third = members.master();

        assertThat(members.bodies(third, "T", 0)).containsExactly("without it");
        assertThat(members.bodies(first, "T", 0)).as("whoever leads").containsExactly("without it");
    }

    @Test
    void aPullThatWaitsAtAMasterThatIsOneNoMoreIsAnswered() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int first = members.master();
        members.createTopic(first, "T");
        CompletableFuture<Answer<PullMessageResponse>> waiting = members.pull(first, "T", 0, 50_000);
        members.pass(100);
        assertThat(waiting).isNotDone();
        members.freeze(first);
        members.until(() -> members.masters().stream().anyMatch(other -> other != first));
        members.thaw(first);
        Answer<PullMessageResponse> answer = members.get(waiting);
        assertThat(answer.code())
                .as(answer.remarkText())
                .isIn(ResponseCode.PULL_RETRY_IMMEDIATELY, ResponseCode.PULL_NOT_FOUND);
        assertThat(members.clock.monotonicMs()).isLessThan(members.beganMs() + 40_000);
    }

    @Test
    void whatNobodyTakesIsAnsweredAsBusyAfterAWhile() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int first = members.master();
        members.createTopic(first, "T");
        members.kill((first + 1) % 3);
        members.kill((first + 2) % 3);
        members.until(() -> members.masters().isEmpty());
        Answer<SendMessageResponse> sent = members.send(first, "T", "m");
        assertThat(sent.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(sent.remarkText()).contains("[REJECTREQUEST]", "n" + first, "nobody leads");
    }

    /** A stock producer does not send again what was sent without waiting and is refused. */
    @Test
    void nothingThatWasTakenIsRefusedWhenAnotherOneIsToLeadByOrderAndOffsetsGoOn() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int first = members.master();
        members.createTopic(first, "T");
        assertThat(members.send(first, "T", "m").code()).isZero();
        assertThat(members.bodies(first, "T", 0))
                .as("read, so that there is the group")
                .hasSize(1);
        assertThat(members.commit(first, "T", 1).code()).isZero();

        CompletableFuture<Answer<NoHeader>> ordered = members.transfer(first);
        List<CompletableFuture<Answer<SendMessageResponse>>> sends = new ArrayList<>();
        while (members.masters().contains(first)) {
            for (int i = 0; i < 5; i++) {
                sends.add(members.sendSoon(first, "T", "while it changes"));
            }
            members.step();
        }

        for (CompletableFuture<Answer<SendMessageResponse>> send : sends) {
            assertThat(members.get(send).code()).as(send.join().remarkText()).isZero();
        }
        assertThat(ordered.join().code()).isZero();
        int second = members.master();
        assertThat(second).isNotEqualTo(first);
        assertThat(members.position(second, "T")).isEqualTo(1);
    }
}
