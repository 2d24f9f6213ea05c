package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.client.QueueLockResult;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.log.CommitLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * What a master holds in memory when its leadership ends, and what it had written that its group cuts off: three whole brokers on one
 * thread, where the master writes something alone, another one is elected without it, and the first one comes back.
 */
final class MembersOverElectionsTest {
    private static final int WAIT_MS = 2_000;
    /** The halves of such are not read on the view loop. */
    private static final int LARGE_BYTES = 70_000;

    private static CommitLog log(SteppedMembers members, int index) {
        return members.broker(index).log();
    }

    private static Optional<Epoch> epoch(SteppedMembers members, int index) {
        return log(members, index).extent().epochs().last();
    }

    /** The master goes on alone, and does not know it yet. */
    private static void leaveAlone(SteppedMembers members, int master) {
        members.others(master).forEach(members::freeze);
    }

    /** The others are started again, and what was sent to them meanwhile is gone. */
    private static void startOthers(SteppedMembers members, int first) throws Exception {
        for (int other : members.others(first)) {
            members.kill(other);
            members.thaw(other);
            members.start(other);
        }
    }

    /** The others begin a new epoch without the first, which stands still. Gives who leads them. */
    private static int electWithout(SteppedMembers members, int first) throws Exception {
        members.freeze(first);
        startOthers(members, first);
        return members.masterBut(first);
    }

    /** R4-60: its claim on the message must not outlive the delivery, which is in no log any more. */
    @Test
    void whatWasDeliveredByAFrameThatWasCutOffComesWhenTheSameMemberLeadsAgain() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of("messageDelayLevel", "2s 20s"));
        int first = members.master();
        members.createTopic(first, "T");
        assertThat(members.sendDelayed(first, "T", "late", 1).code()).isZero();
        members.pass(WAIT_MS - 300);
        leaveAlone(members, first);
        long confirmed = log(members, first).confirmOffset();
        members.until(() -> log(members, first).endOffset() > confirmed);
        assertThat(log(members, first).confirmOffset())
                .as("delivered, and nobody else has it")
                .isEqualTo(confirmed);
        Optional<Epoch> before = epoch(members, first);

        members.freeze(first);
        startOthers(members, first);
        List<Integer> others = members.others(first);
        members.until(
                () -> others.stream().anyMatch(other -> !epoch(members, other).equals(before)));
        int second = others.stream()
                .filter(other -> !epoch(members, other).equals(before))
                .findFirst()
                .orElseThrow();
        int third = others.stream().filter(other -> other != second).findFirst().orElseThrow();
        members.freeze(third);
        members.thaw(first);
        members.until(() -> epoch(members, first).equals(epoch(members, second)));
        members.kill(second); // before it knows that its epoch is confirmed
        members.thaw(third);
        assertThat(members.master()).as("who has the last epoch").isEqualTo(first);

        members.pass(5_000);
        assertThat(members.bodies(first, "T", 0)).as("once").containsExactly("late");
    }

    /** R4-61: other bytes stand where its fact stood. */
    @Test
    void aTopicWhoseFactWasCutOffIsNotSaidToBeMade() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of("syncFlushTimeout", "300"));
        int first = members.master();
        members.createTopic(first, "T");
        leaveAlone(members, first);
        CompletableFuture<Answer<NoHeader>> asked = members.call(
                first,
                Rpcs.UPDATE_AND_CREATE_TOPIC,
                new CreateTopicHeader("X", "TBW102", 1, 1, 6, "SINGLE_TAG", 0, false, null, null),
                null);
        long before = log(members, first).endOffset();
        members.until(() -> log(members, first).endOffset() > before);
        members.pass(500);
        assertThat(asked).as("nobody else has it").isNotDone();
        long end = log(members, first).endOffset();

        int second = electWithout(members, first);
        while (log(members, second).confirmOffset() <= end) {
            assertThat(members.send(second, "T", "m").code()).isZero();
        }
        members.thaw(first);
        members.until(() -> log(members, first).confirmOffset() > end);

        Answer<NoHeader> answer = members.get(asked);
        assertThat(answer.code()).as("topic X: %s", answer.remarkText()).isNotZero();
        assertThat(members.send(second, "T", "last").code()).isZero();
    }

    /** R4-64: a position that was about to be logged is no answer when it cannot be. */
    @Test
    void aMasterThatIsOneNoMoreDoesNotTellAPositionBelowWhatTheNextOneTold() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int first = members.master();
        members.createTopic(first, "T");
        for (int i = 0; i < 3; i++) {
            assertThat(members.send(first, "T", "m" + i).code()).isZero();
        }
        assertThat(members.bodies(first, "T", 0))
                .as("read, so that there is the group")
                .hasSize(3);
        assertThat(members.commit(first, "T", 1).code()).isZero();
        assertThat(members.position(first, "T")).isEqualTo(1);
        leaveAlone(members, first);
        assertThat(members.commit(first, "T", 2).code()).isZero();
        CompletableFuture<Answer<OffsetResponse>> asked = members.positionOf(first, "T");
        members.pass(100);
        assertThat(asked).as("it is to be logged first").isNotDone();

        int second = electWithout(members, first);
        assertThat(members.commit(second, "T", 3).code()).isZero();
        assertThat(members.position(second, "T")).isEqualTo(3);
        members.thaw(first);

        Answer<OffsetResponse> answer = members.get(asked);
        if (answer.isOk()) {
            assertThat(answer.require().offset()).isEqualTo(3);
        } else {
            assertThat(answer.code()).as(answer.remarkText()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        }
    }

    private static Set<MessageQueue> lock(SteppedMembers members, int at, String client, Set<MessageQueue> held)
            throws Exception {
        MessageQueue queue = new MessageQueue("T", "broker-a", 0);
        byte[] body = Json.write(new QueueLockRequest("g", client, true, Set.of(queue), held));
        Answer<NoHeader> answer = members.get(members.call(at, Rpcs.LOCK_BATCH_MQ, NoHeader.NONE, body));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return Json.read(answer.body(), QueueLockResult.class).lockedQueues();
    }

    /** R33: the master before may have granted it a moment ago, and may not know yet that it is the master no more. */
    @Test
    void aNewMasterGrantsNoLockForAWhileAndThenOnlyToWhoHoldsIt() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of("brokerName", "broker-a"));
        Set<MessageQueue> queue = Set.of(new MessageQueue("T", "broker-a", 0));
        int first = members.master();
        members.createTopic(first, "T");
        assertThat(members.send(first, "T", "m").code()).isZero();
        assertThat(members.bodies(first, "T", 0))
                .as("read, so that there is the group")
                .hasSize(1);
        assertThat(members.commit(first, "T", 1).code()).isZero();
        assertThat(members.position(first, "T")).isEqualTo(1);
        members.pass(1_500);
        assertThat(lock(members, first, "holder", Set.of())).isEqualTo(queue);

        members.kill(first);
        int second = members.master();

        assertThat(lock(members, second, "holder", queue)).as("at once").isEmpty();
        assertThat(lock(members, second, "other", Set.of())).isEmpty();
        members.pass(1_500);
        assertThat(lock(members, second, "other", Set.of()))
                .as("somebody may hold it")
                .isEmpty();
        assertThat(lock(members, second, "holder", queue)).isEqualTo(queue);
        assertThat(lock(members, second, "other", Set.of())).isEmpty();
    }

    private static TransactionPeer.Half half(SteppedMembers members, int index, int bodyBytes) throws Exception {
        return TransactionPeer.of(
                "k",
                members.get(members.call(
                        index, Rpcs.SEND_MESSAGE_V2, TransactionPeer.sending("g", "T", "k", ""), new byte[bodyBytes])));
    }

    /** R4-63: what was read for a decision of the leadership before must not be appended in the next one, which decided otherwise. */
    @Test
    void whatIsStillReadForADecisionOfTheLeadershipBeforeIsWaitedForAndDecidesNothing() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int first = members.master();
        members.createTopic(first, "T");
        TransactionPeer.Half half = half(members, first, LARGE_BYTES);
        List<Runnable> reads = new ArrayList<>();
        members.coldReads(first, reads::add);
        CompletableFuture<Answer<NoHeader>> committed = end(members, first, half, TransactionPeer.COMMIT);
        members.until(() -> !reads.isEmpty());

        members.freeze(first);
        int second = members.masterBut(first);
        Answer<NoHeader> rolledBack = members.get(end(members, second, half, TransactionPeer.ROLLBACK));
        assertThat(rolledBack.code()).as(rolledBack.remarkText()).isZero();
        members.thaw(first);
        members.until(() ->
                log(members, first).confirmOffset() == log(members, second).confirmOffset());
        Optional<Epoch> before = epoch(members, first);
        CompletableFuture<?> unused = members.transferTo(first, second);
        members.until(() -> !epoch(members, first).equals(before));
        members.pass(1_000);
        assertThat(members.status(first).role()).isEqualTo("LEADER");
        assertThat(members.masters()).as("while the read is under way").isEmpty();

        members.coldReads(first, Runnable::run);
        reads.forEach(Runnable::run);
        assertThat(members.master()).isEqualTo(first);

        assertThat(members.get(committed).code()).isNotZero();
        assertThat(members.bodies(first, "T", 0)).isEmpty();
        assertThat(members.get(end(members, first, half, TransactionPeer.COMMIT))
                        .code())
                .as("it was rolled back")
                .isNotZero();
    }

    /** R8-15: it held a stop of that member up for as long as one is waited for. */
    @Test
    void aDecisionThatIsNotLookedAtWhenLeadershipEndsIsAnsweredAsBusy() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int first = members.master();
        members.createTopic(first, "T");
        TransactionPeer.Half half = half(members, first, 1);
        members.pass(100);
        members.freeze(first);
        CompletableFuture<Answer<NoHeader>> committed = end(members, first, half, TransactionPeer.COMMIT);
        members.until(() -> members.masters().stream().anyMatch(other -> other != first));
        assertThat(committed).as("nobody looked at it").isNotDone();
        members.thaw(first);

        Answer<NoHeader> answer = members.get(committed);

        assertThat(answer.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(answer.remarkText()).contains("master no more", "did not decide");
        assertThat(members.masters()).doesNotContain(first);
    }

    private static CompletableFuture<Answer<NoHeader>> end(
            SteppedMembers members, int at, TransactionPeer.Half half, int outcome) {
        return members.call(at, Rpcs.END_TRANSACTION, TransactionPeer.ending("g", half, outcome, false), null);
    }

    @Test
    void aMemberThatMayHaveForgottenSaysSoToTools() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of("flushDiskType", "ASYNC_FLUSH"));
        int first = members.master();
        members.createTopic(first, "T");
        int other = members.others(first).get(0);
        members.until(
                () -> log(members, other).confirmOffset() == log(members, first).confirmOffset());
        members.kill(other);

        members.start(other); // each start is one of another boot

        assertThat(members.status(other).sure()).isFalse();
    }
}
