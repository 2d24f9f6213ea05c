package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.SteppedBroker.TurnedClock;
import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.client.QueueLockResult;
import dev.perigee.protocol.group.GroupList;
import dev.perigee.protocol.header.group.ConsumeStatsHeader;
import dev.perigee.protocol.header.group.GroupHeader;
import dev.perigee.protocol.header.offset.CloneOffsetHeader;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.TopicList;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ConsumeStats;
import dev.perigee.protocol.stats.QueueProgress;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two members of one group and a tool: whose commits count, and who is told when a queue changes hands. */
class BrokerReadersTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "broker-a", 0);

    private final TurnedClock clock = new TurnedClock();
    private final Map<RemotingClient, Integer> notices = new HashMap<>();
    private SteppedBroker node;
    private RemotingClient first;
    private RemotingClient second;
    private RemotingClient tool;

    @BeforeEach
    void start() throws Exception {
        node = new SteppedBroker(new CrashingDisk(new Random(1)), clock, 7);
        node.run(node.createTopic("T", 2));
        first = listening();
        second = listening();
        tool = node.newClient();
        node.run(node.heartbeat(first, "c1", "T"));
        for (int i = 0; i < 6; i++) {
            node.run(node.send("m" + i));
        }
    }

    private RemotingClient listening() {
        RemotingClient client = node.newClient();
        client.onRequest(HandlerTable.builder()
                .on(Rpcs.NOTIFY_CONSUMER_IDS_CHANGED, (request, reply) -> notices.merge(client, 1, Integer::sum))
                .build());
        return client;
    }

    private Answer<NoHeader> commit(RemotingClient by, long offset) throws Exception {
        return commit(by, "g", offset);
    }

    private Answer<NoHeader> commit(RemotingClient by, String group, long offset) throws Exception {
        return node.run(
                node.call(by, Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader(group, "T", 0, offset), null));
    }

    private Answer<PullMessageResponse> pull(RemotingClient by, long offset) throws Exception {
        return node.run(node.call(by, Rpcs.PULL_MESSAGE, TestBroker.pullHeader("g", "T", 0, offset, 0), null));
    }

    private long offset() throws Exception {
        return node.run(node.offset("T")).require().offset();
    }

    private static void taken(Answer<NoHeader> answer) {
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        assertThat(answer.remarkText()).isEmpty();
    }

    private static void ignored(Answer<NoHeader> answer, String... words) {
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        assertThat(answer.remarkText()).contains("not committed").contains(words);
    }

    private Set<MessageQueue> lock(RemotingClient by, String clientId) throws Exception {
        byte[] body = Json.write(new QueueLockRequest("g", clientId, false, Set.of(QUEUE), null));
        Answer<NoHeader> answer = node.run(node.call(by, Rpcs.LOCK_BATCH_MQ, NoHeader.NONE, body));
        return Json.read(answer.body(), QueueLockResult.class).lockedQueues();
    }

    private int noticesOf(RemotingClient client) {
        node.settle();
        return notices.getOrDefault(client, 0);
    }

    private void turn(long ms) {
        clock.nowMs += ms;
        node.settle();
    }

    @Test
    void aLateCommitOfTheFormerOwnerDoesNotMoveTheOffsetBack() throws Exception {
        pull(first, 0);
        taken(commit(first, 2));
        node.run(node.heartbeat(second, "c2", "T"));
        pull(second, 2);
        taken(commit(second, 4));
        ignored(commit(first, 3), "client c2", "topic T, queue 0");
        assertThat(offset()).isEqualTo(4);
    }

    /** It will read from what it was told on: a commit that comes in between would be undone by its first one. */
    @Test
    void aMemberThatAsksWhereToBeginHasTheQueueFromThenOn() throws Exception {
        pull(first, 0);
        taken(commit(first, 2));
        node.run(node.heartbeat(second, "c2", "T"));
        QueryOffsetHeader where = new QueryOffsetHeader("g", "T", 0, true);
        assertThat(node.run(node.call(second, Rpcs.QUERY_CONSUMER_OFFSET, where, null))
                        .require()
                        .offset())
                .isEqualTo(2);
        ignored(commit(first, 4), "client c2", "topic T, queue 0");
        taken(commit(second, 3));
        node.run(node.call(tool, Rpcs.QUERY_CONSUMER_OFFSET, where, null));
        taken(commit(second, 4));
        assertThat(offset()).isEqualTo(4);
    }

    @Test
    void anExplicitSmallerCommitOfTheReaderIsObeyed() throws Exception {
        pull(first, 0);
        taken(commit(first, 5));
        taken(commit(first, 1));
        assertThat(offset()).isEqualTo(1);
    }

    /** It does not know yet that it has lost the queue, and pulls on. */
    @Test
    void aMemberThatReadsAQueueInPassingDoesNotMoveItBack() throws Exception {
        pull(first, 0);
        taken(commit(first, 2));
        node.run(node.heartbeat(second, "c2", "T"));
        pull(second, 2);
        taken(commit(second, 5));
        pull(first, 4);
        ignored(commit(first, 3), "commitOffset 3", "smaller", "topic T, queue 0");
        assertThat(offset()).isEqualTo(5);
        taken(commit(first, 6));
        taken(commit(first, 1));
        assertThat(offset()).as("it knows where the group stands").isEqualTo(1);
    }

    /** Stock members commit with their pulls. */
    @Test
    void whoMovedTheOffsetOnWithAPullIsNotMovedBackByTheFormerOwner() throws Exception {
        pull(first, 0);
        taken(commit(first, 2));
        node.run(node.heartbeat(second, "c2", "T"));
        pullAndCommit(second, 5);
        pull(first, 3);
        ignored(commit(first, 3), "smaller");
        assertThat(offset()).isEqualTo(5);
    }

    @Test
    void aMemberThatIsAloneMayGoBackAfterARestartWhenItHasReadFromThereAgain() throws Exception {
        restartAfterCommit(8, 8);
        second = node.newClient();
        node.run(node.heartbeat(second, "c2", "T"));
        pull(first, 3);
        ignored(commit(first, 3), "smaller");
        node.run(node.goodbye("c2"));
        second.close();
        node.settle();
        taken(commit(first, 3));
        assertThat(offset()).isEqualTo(3);
    }

    /** A member that was away meanwhile may have lost the queue, and the broker has forgotten to whom. */
    @Test
    void afterARestartAMemberMovesNothingBackBeforeItHasMovedItOn() throws Exception {
        restartAfterCommit(6, 5);
        tool = node.newClient();

        ignored(commit(first, 3), "smaller");
        pull(first, 4);
        ignored(commit(first, 3), "smaller");
        assertThat(offset()).isEqualTo(5);
        taken(commit(first, 5));
        taken(commit(first, 3));
        assertThat(offset()).isEqualTo(3);
        taken(commit(tool, 2));
        assertThat(offset()).as("what no member commits is obeyed").isEqualTo(2);
    }

    /** A broker with so many messages and one member, which has committed and is back after the broker's restart. */
    private void restartAfterCommit(int messages, long committed) throws Exception {
        CrashingDisk disk = new CrashingDisk(new Random(1));
        MemoryViewStores stores = new MemoryViewStores();
        node = new SteppedBroker(disk, stores, clock, 7);
        node.run(node.createTopic("T", 1));
        first = node.newClient();
        node.run(node.heartbeat(first, "c1", "T"));
        for (int i = 0; i < messages; i++) {
            node.run(node.send("m" + i));
        }
        taken(commit(first, committed));
        node.broker.close();
        node = new SteppedBroker(disk, stores, clock, 8);
        first = node.newClient();
        node.run(node.heartbeat(first, "c1", "T"));
    }

    @Test
    void aCommitOverAConnectionThatIsNoMemberIsObeyed() throws Exception {
        pull(first, 0);
        taken(commit(first, 5));
        taken(commit(tool, 3));
        assertThat(offset()).isEqualTo(3);
    }

    @Test
    void whatAMemberThatHasLeftReadLastIsNotItsAnyMore() throws Exception {
        node.run(node.heartbeat(second, "c2", "T"));
        pull(second, 0);
        ignored(commit(first, 3), "client c2");
        second.close();
        node.settle();
        taken(commit(first, 3));
        assertThat(offset()).isEqualTo(3);
    }

    @Test
    void onlyTheHolderOfALockMovesTheOffsetOfItsQueue() throws Exception {
        node.run(node.heartbeat(second, "c2", "T"));
        assertThat(lock(second, "c2")).containsExactly(QUEUE);
        pull(first, 0);
        BadInputBroker.assertRefused(commit(first, 3), ResponseCode.MESSAGE_ILLEGAL, "commitOffset 3", "client c2");
        taken(commit(second, 2));
        pullAndCommit(first, 5);
        assertThat(offset())
                .as("a commit with a pull is passed over in silence")
                .isEqualTo(2);

        turn(60_001);
        pullAndCommit(first, 5);
        assertThat(offset()).as("the lock has expired").isEqualTo(5);
    }

    private void pullAndCommit(RemotingClient by, long commitOffset) throws Exception {
        PullMessageHeader header = new PullMessageHeader(
                "g", "T", 0, commitOffset, 32, 4 | 1, commitOffset, 0, "*", 0, "TAG", 0, 0, null, null);
        assertThat(node.run(node.call(by, Rpcs.PULL_MESSAGE, header, null)).code())
                .isZero();
    }

    @Test
    void aResetIsToldToTheReaderThoughAMemberThatLostTheQueueHeardOfItFirst() throws Exception {
        node.run(node.heartbeat(second, "c2", "T"));
        pull(first, 0);
        taken(commit(first, 5));
        assertThat(commit(tool, "TOOLS_CONSUMER", 2).code()).isZero();
        node.run(node.call(
                tool, Rpcs.CLONE_GROUP_OFFSET, new CloneOffsetHeader("TOOLS_CONSUMER", "g", "T", false), null));

        assertThat(pull(second, 6).code()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        Answer<PullMessageResponse> told = pull(first, 6);
        assertThat(told.code()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        assertThat(told.require().nextBeginOffset()).isEqualTo(2);
        ignored(commit(first, 6), "reset");
        assertThat(offset()).isEqualTo(2);
        assertThat(TestBroker.bodies(pull(first, 2))).startsWith("m2");
        taken(commit(first, 3));
        assertThat(offset()).isEqualTo(3);
    }

    @Test
    void whatWasCommittedAMomentAgoIsSeenInEveryListOfReaders() throws Exception {
        taken(commit(tool, "TOOLS_CONSUMER", 2));
        byte[] topics = node.run(
                        node.call(tool, Rpcs.QUERY_TOPICS_BY_CONSUMER, new GroupHeader("TOOLS_CONSUMER"), null))
                .body();
        assertThat(Json.read(topics, TopicList.class).topicList()).containsExactly("T");
        byte[] groups = node.run(node.call(tool, Rpcs.QUERY_TOPIC_CONSUME_BY_WHO, new TopicHeader("T"), null))
                .body();
        assertThat(Json.read(groups, GroupList.class).groupList()).contains("TOOLS_CONSUMER");
        byte[] progress = node.run(node.call(
                        tool, Rpcs.GET_CONSUME_STATS, new ConsumeStatsHeader("TOOLS_CONSUMER", null, null), null))
                .body();
        assertThat(Json.read(progress, ConsumeStats.class).offsetTable().get(QUEUE))
                .extracting(QueueProgress::consumerOffset)
                .isEqualTo(2L);
    }

    @Test
    void aCloneOntoAGroupThatIsOnlineIsNotUndoneByItsMembers() throws Exception {
        pull(first, 0);
        taken(commit(first, 5));
        assertThat(commit(tool, "TOOLS_CONSUMER", 2).code()).isZero();
        Answer<NoHeader> copied = node.run(node.call(
                tool, Rpcs.CLONE_GROUP_OFFSET, new CloneOffsetHeader("TOOLS_CONSUMER", "g", "T", false), null));
        assertThat(copied.code()).as(copied.remarkText()).isZero();

        ignored(commit(first, 6), "reset");
        Answer<PullMessageResponse> told = pull(first, 6);
        assertThat(told.code()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        assertThat(told.require().nextBeginOffset()).isEqualTo(2);
        ignored(commit(first, 6), "reset");
        assertThat(offset()).isEqualTo(2);
        assertThat(TestBroker.bodies(pull(first, 2))).startsWith("m2");
        taken(commit(first, 3));
        assertThat(offset()).isEqualTo(3);
    }

    @Test
    void membersThatComeTogetherCostOneNoticeAtOnceAndOneLater() throws Exception {
        assertThat(noticesOf(first)).isEqualTo(1);
        turn(1_100);
        assertThat(noticesOf(first)).as("once more, as a newcomer").isEqualTo(2);
        for (int i = 0; i < 10; i++) {
            node.run(node.heartbeat(node.newClient(), "more" + i, "T"));
        }
        assertThat(noticesOf(first)).as("the first of them").isEqualTo(3);
        turn(99);
        assertThat(noticesOf(first)).isEqualTo(3);
        turn(1);
        assertThat(noticesOf(first)).as("all others").isEqualTo(4);
        turn(1_100);
        assertThat(noticesOf(first))
                .as("what newcomers are told again is for them alone")
                .isEqualTo(4);
    }
}
