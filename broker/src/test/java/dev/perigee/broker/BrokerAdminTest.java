package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.ConsumerIdList;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.client.QueueLockResult;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.broker.BrokerConsumeStatsHeader;
import dev.perigee.protocol.header.broker.BrokerStatsHeader;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.client.ProducerGroupHeader;
import dev.perigee.protocol.header.client.RunningInfoHeader;
import dev.perigee.protocol.header.client.UnregisterClientHeader;
import dev.perigee.protocol.header.group.ConsumeStatsHeader;
import dev.perigee.protocol.header.group.ConsumeTimeSpanHeader;
import dev.perigee.protocol.header.group.DeleteGroupHeader;
import dev.perigee.protocol.header.group.GroupHeader;
import dev.perigee.protocol.header.group.GroupTopicHeader;
import dev.perigee.protocol.header.offset.BoundaryType;
import dev.perigee.protocol.header.offset.CloneOffsetHeader;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.QueueHeader;
import dev.perigee.protocol.header.offset.SearchOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.query.QueryConsumeQueueHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.KvTable;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ConsumeStats;
import dev.perigee.protocol.stats.TopicStatsTable;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.transport.Payload;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What tools ask, against one broker with a topic of four messages, a consumer and a producer. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerAdminTest {
    private static final MessageQueue Q0 = new MessageQueue("T", "broker-a", 0);

    private TestBroker broker;
    private Path folder;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        folder = data;
        broker = new TestBroker(folder, Map.of());
        for (int i = 0; i < 4; i++) {
            broker.send("T", 0, "m" + i, "TAGS=a;");
        }
        HeartbeatData producer = new HeartbeatData("c1", Set.of(new ProducerData("producers")), Set.of(), 0, false);
        broker.call(Rpcs.HEART_BEAT, NoHeader.NONE, Json.write(producer));
        broker.heartbeat("c1", "g", ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET, "T");
        broker.call(Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader("g", "T", 0, 3), null);
    }

    @AfterAll
    void stop() throws Exception {
        broker.close();
    }

    private static <V> V of(Map<MessageQueue, V> table) {
        return Objects.requireNonNull(table.get(Q0), "queue 0 is not in the table");
    }

    private <Q extends Record> String body(Rpc<Q, ?> rpc, Q header) throws Exception {
        Answer<?> answer = broker.call(rpc, header, null);
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    @Test
    void progressTellsWhatWasPulledApartFromWhatWasConsumed() throws Exception {
        broker.send("Pulled", 0, "m0");
        broker.send("Pulled", 0, "m1");
        broker.call(Rpcs.PULL_MESSAGE, TestBroker.pullHeader("puller", "Pulled", 0, 2, 0), null);
        broker.call(Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader("puller", "Pulled", 0, 1), null);
        broker.call(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("puller", "Pulled", 0, null), null);

        ConsumeStats group = Json.read(
                body(Rpcs.GET_CONSUME_STATS, new ConsumeStatsHeader("puller", "Pulled", null)), ConsumeStats.class);
        assertThat(group.offsetTable()).hasEntrySatisfying(new MessageQueue("Pulled", "broker-a", 0), queue -> {
            assertThat(queue.consumerOffset()).isEqualTo(1);
            assertThat(queue.pullOffset()).isEqualTo(2);
        });
    }

    @Test
    void progressOfTopicsAndGroupsIsShown() throws Exception {
        TopicStatsTable topic = Json.read(body(Rpcs.GET_TOPIC_STATS_INFO, new TopicHeader("T")), TopicStatsTable.class);
        assertThat(topic.offsetTable()).hasSize(4);
        assertThat(of(topic.offsetTable()).maxOffset()).isEqualTo(4);
        ConsumeStats group =
                Json.read(body(Rpcs.GET_CONSUME_STATS, new ConsumeStatsHeader("g", "T", null)), ConsumeStats.class);
        assertThat(of(group.offsetTable()).consumerOffset()).isEqualTo(3);
        assertThat(of(group.offsetTable()).brokerOffset()).isEqualTo(4);
        assertThat(of(group.offsetTable()).lastTimestamp()).isPositive();
        assertThat(of(group.offsetTable()).pullOffset()).isEqualTo(3);
        assertThat(body(Rpcs.GET_BROKER_CONSUME_STATS, new BrokerConsumeStatsHeader(false)))
                .contains("\"totalDiff\":", "\"g\":[{\"consumeTps\"");
        assertThat(body(Rpcs.QUERY_CONSUME_TIME_SPAN, new ConsumeTimeSpanHeader("T", "g")))
                .contains("\"consumeTimeSpanSet\"");
        assertThat(broker.call(Rpcs.GET_TOPIC_STATS_INFO, new TopicHeader("Nowhere"), null)
                        .code())
                .isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
    }

    @Test
    void connectionsAreShown() throws Exception {
        assertThat(body(Rpcs.GET_CONSUMER_CONNECTION_LIST, new ConsumerGroupHeader("g")))
                .contains("\"clientId\":\"c1\"")
                .contains("CONSUME_FROM_FIRST_OFFSET")
                .contains("CLUSTERING");
        assertThat(body(Rpcs.GET_PRODUCER_CONNECTION_LIST, new ProducerGroupHeader("producers")))
                .contains("\"clientId\":\"c1\"");
        assertThat(body(Rpcs.GET_ALL_PRODUCER_INFO, NoHeader.NONE)).contains("\"remoteIP\":\"/127.0.0.1:");
        assertThat(body(Rpcs.QUERY_TOPIC_CONSUME_BY_WHO, new TopicHeader("T"))).contains("\"g\"");
        assertThat(body(Rpcs.QUERY_TOPICS_BY_CONSUMER, new GroupHeader("g"))).contains("\"T\"");
        assertThat(body(Rpcs.QUERY_SUBSCRIPTION_BY_CONSUMER, new GroupTopicHeader("g", "T")))
                .contains("\"subString\":\"*\"");
        assertThat(broker.call(Rpcs.GET_CONSUMER_CONNECTION_LIST, new ConsumerGroupHeader("nobody"), null)
                        .code())
                .isEqualTo(ResponseCode.CONSUMER_NOT_ONLINE);
        assertThat(broker.call(Rpcs.GET_PRODUCER_CONNECTION_LIST, new ProducerGroupHeader("nobody"), null)
                        .remark())
                .isEqualTo("the producer group[nobody] not exist");
        assertThat(broker.call(Rpcs.GET_CONSUMER_LIST_BY_GROUP, new ConsumerGroupHeader("nobody"), null)
                        .remark())
                .isEqualTo("no consumer for this group, nobody");
    }

    @Test
    void aClientThatLeavesIsForgotten() throws Exception {
        broker.heartbeat("c2", "leaving", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, "T");
        ConsumerIdList ids = Json.read(
                body(Rpcs.GET_CONSUMER_LIST_BY_GROUP, new ConsumerGroupHeader("leaving")), ConsumerIdList.class);
        assertThat(ids.consumerIdList()).containsExactly("c2");
        body(Rpcs.UNREGISTER_CLIENT, new UnregisterClientHeader("c2", null, "leaving"));
        assertThat(broker.call(Rpcs.GET_CONSUMER_LIST_BY_GROUP, new ConsumerGroupHeader("leaving"), null)
                        .code())
                .isEqualTo(ResponseCode.SYSTEM_ERROR);
    }

    @Test
    void queuesAreLockedForOneClient() throws Exception {
        assertThat(lock("c1")).containsExactly(Q0);
        assertThat(lock("c2")).isEmpty();
        broker.call(
                Rpcs.UNLOCK_BATCH_MQ,
                NoHeader.NONE,
                Json.write(new QueueLockRequest("locking", "c1", false, Set.of(Q0), null)));
        assertThat(lock("c2")).containsExactly(Q0);
    }

    private Set<MessageQueue> lock(String clientId) throws Exception {
        Answer<?> answer = broker.call(
                Rpcs.LOCK_BATCH_MQ,
                NoHeader.NONE,
                Json.write(new QueueLockRequest("locking", clientId, false, Set.of(Q0), null)));
        return Json.read(answer.body(), QueueLockResult.class).lockedQueues();
    }

    @Test
    void figuresHaveTheKeysToolsRead() throws Exception {
        assertThat(body(Rpcs.GET_BROKER_RUNTIME_INFO, NoHeader.NONE))
                .contains("\"brokerVersionDesc\"", "\"getTransferredTps\"", "\"getTransferedTps\"", "\"putTps\"")
                .contains("\"pageCacheLockTimeMills\"", "\"earliestMessageTimeStamp\"", "\"commitLogDiskRatio\"")
                .contains("\"sendThreadPoolQueueHeadWaitTimeMills\"", "\"timerReadBehind\"", "\"timerEnqueueTps\"");
        assertThat(body(Rpcs.VIEW_BROKER_STATS_DATA, new BrokerStatsHeader("TOPIC_PUT_NUMS", "T")))
                .contains("statsMinute", "statsHour", "statsDay");
        assertThat(broker.call(Rpcs.VIEW_BROKER_STATS_DATA, new BrokerStatsHeader("NO_SUCH", "T"), null)
                        .code())
                .isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(body(Rpcs.GET_BROKER_CONFIG, NoHeader.NONE)).contains("brokerName=broker-a\n");
        assertThat(body(Rpcs.GET_SYSTEM_TOPIC_LIST_FROM_BROKER, NoHeader.NONE))
                .contains("TBW102", "SCHEDULE_TOPIC_XXXX", "RMQ_SYS_TRACE_TOPIC", "TRANS_CHECK_MAX_TIME_TOPIC")
                .contains("CHECKPOINT_TOPIC", "rmq_sys_perigee_facts", "\"DefaultCluster\"", "\"broker-a\"")
                .contains("DefaultCluster_REPLY_TOPIC", "rmq_sys_REVIVE_LOG_DefaultCluster");
        assertThat(body(Rpcs.QUERY_CONSUME_QUEUE, new QueryConsumeQueueHeader("T", 0, 0, 2, null)))
                .contains("\"maxQueueIndex\":4", "\"tagsCode\":97");
        assertThat(body(Rpcs.CLEAN_UNUSED_TOPIC, NoHeader.NONE)).isEmpty();
        assertThat(body(Rpcs.GET_ALL_DELAY_OFFSET, NoHeader.NONE)).contains("\"offsetTable\":{}");
    }

    @Test
    void everyDocumentedFigureIsThere() throws Exception {
        Map<String, String> table = Json.read(body(Rpcs.GET_BROKER_RUNTIME_INFO, NoHeader.NONE), KvTable.class)
                .table();
        assertThat(table)
                .containsKeys("bootTimestamp", "brokerVersionDesc", "brokerActive", "startAcceptSendRequestTimeStamp")
                .containsKeys("msgPutTotalYesterdayMorning", "msgPutTotalTodayMorning", "msgPutTotalTodayNow")
                .containsKeys("msgGetTotalYesterdayMorning", "msgGetTotalTodayMorning", "msgGetTotalTodayNow")
                .containsKeys("putMessageTimesTotal", "putMessageFailedTimes", "putMessageSizeTotal")
                .containsKeys("putMessageAverageSize", "putMessageEntireTimeMax", "getMessageEntireTimeMax")
                .containsKeys("putLatency99", "putLatency999", "dispatchMaxBuffer", "dispatchBehindBytes")
                .containsKeys("pageCacheLockTimeMills", "commitLogMinOffset", "commitLogMaxOffset")
                .containsKeys("commitLogDiskRatio", "commitLogDiskRatio_" + folder.resolve("commitlog"))
                .containsKeys("consumeQueueDiskRatio", "remainTransientStoreBufferNumbs", "earliestMessageTimeStamp")
                .containsKeys("EndTransactionQueueSize", "EndTransactionThreadPoolQueueCapacity")
                .containsKeys("timerReadBehind", "timerOffsetBehind", "timerCongestNum", "timerEnqueueTps")
                .containsKeys("timerDequeueTps", "getTransferredTps", "getTransferedTps")
                .doesNotContainKey("remainHowManyDataToCommit"); // only with a transient store pool
        for (String kind : new String[] {"send", "pull", "litePull", "query", "ack"}) {
            assertThat(table)
                    .containsKeys(kind + "ThreadPoolQueueSize", kind + "ThreadPoolQueueCapacity")
                    .containsKey(kind + "ThreadPoolQueueHeadWaitTimeMills");
        }
        for (String rates : new String[] {"putTps", "getFoundTps", "getMissTps", "getTotalTps", "getTransferredTps"}) {
            assertThat(table.get(rates)).matches("[0-9.E]+ [0-9.E]+ [0-9.E]+");
        }
        assertThat(table.get("runtime")).matches("\\[ 0 days, 0 hours, \\d+ minutes, \\d+ seconds ]");
        assertThat(table.get("commitLogDirCapacity")).matches("Total : [0-9.]+ [KMGTP]iB, Free : [0-9.]+ [KMGTP]iB\\.");
        assertThat(table.get("remainHowManyDataToFlush")).matches("(\\d+ B|[0-9.]+ [KMGT]iB)");
        assertThat(table.get("putMessageDistributeTime")).matches("\\[<=0ms]:\\d+ \\[0~10ms]:\\d+ .*\\[10s~]:\\d+");
        long stored = Arrays.stream(
                        table.getOrDefault("putMessageDistributeTime", "").split(" ", -1))
                .mapToLong(part -> Long.parseLong(part.substring(part.indexOf(':') + 1)))
                .sum();
        assertThat(table.get("putMessageTimesTotal")).isEqualTo(Long.toString(stored));
    }

    @Test
    void aGroupInATopicItNeverReadIsShownAtItsStart() throws Exception {
        broker.call(
                Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, NoHeader.NONE, Json.write(SubscriptionGroupConfig.of("new")));
        ConsumeStats inTopic =
                Json.read(body(Rpcs.GET_CONSUME_STATS, new ConsumeStatsHeader("new", "T", null)), ConsumeStats.class);
        assertThat(of(inTopic.offsetTable()).consumerOffset()).isZero();
        assertThat(of(inTopic.offsetTable()).brokerOffset()).isEqualTo(4);
        ConsumeStats everywhere =
                Json.read(body(Rpcs.GET_CONSUME_STATS, new ConsumeStatsHeader("new", null, null)), ConsumeStats.class);
        assertThat(everywhere.offsetTable()).isEmpty();
    }

    @Test
    void aTopicThatAnOnlineGroupDoesNotWantIsLeftOut() throws Exception {
        broker.send("Other", 0, "m");
        ConsumeStats stats =
                Json.read(body(Rpcs.GET_CONSUME_STATS, new ConsumeStatsHeader("g", "Other", null)), ConsumeStats.class);
        assertThat(stats.offsetTable()).isEmpty();
    }

    @Test
    void positionsAreFoundByTime() throws Exception {
        long earliest = broker.call(Rpcs.GET_EARLIEST_MSG_STORETIME, new QueueHeader("T", 0), null)
                .require()
                .timestamp();
        assertThat(earliest).isPositive();
        assertThat(position(earliest, BoundaryType.LOWER)).isZero();
        assertThat(position(Long.MAX_VALUE, BoundaryType.LOWER)).isEqualTo(4);
        assertThat(position(Long.MAX_VALUE, BoundaryType.UPPER)).isEqualTo(3);
        assertThat(broker.call(Rpcs.GET_EARLIEST_MSG_STORETIME, new QueueHeader("T", 3), null)
                        .require()
                        .timestamp())
                .isEqualTo(-1);
        assertThat(broker.call(Rpcs.GET_MIN_OFFSET, new QueueHeader("Nowhere", 0), null)
                        .require()
                        .offset())
                .isZero();
    }

    private long position(long timestampMs, BoundaryType boundary) throws Exception {
        return broker.call(Rpcs.SEARCH_OFFSET_BY_TIMESTAMP, new SearchOffsetHeader("T", 0, timestampMs, boundary), null)
                .require()
                .offset();
    }

    @Test
    void offsetsAreCopiedAndDeletedWithTheirGroup() throws Exception {
        CloneOffsetHeader clone = new CloneOffsetHeader("g", "copy", "T", false);
        assertThat(broker.call(Rpcs.CLONE_GROUP_OFFSET, clone, null).code())
                .isEqualTo(ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST);
        body(Rpcs.GET_SUBSCRIPTIONGROUP_CONFIG, new GroupHeader("copy")); // an automatic group
        body(Rpcs.CLONE_GROUP_OFFSET, clone);
        assertThat(offsetOf("copy").require().offset()).isEqualTo(3);
        body(Rpcs.DELETE_SUBSCRIPTIONGROUP, new DeleteGroupHeader("copy", true));
        assertThat(offsetOf("copy").code()).isEqualTo(ResponseCode.QUERY_NOT_FOUND);
    }

    private Answer<dev.perigee.protocol.header.offset.OffsetResponse> offsetOf(String group) throws Exception {
        return broker.call(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader(group, "T", 0, null), null);
    }

    @Test
    void everyMemberIsToldWhenTheGroupChanges() throws Exception {
        AtomicInteger notices = new AtomicInteger();
        try (EventLoops loops = EventLoops.start("consumer", 1);
                RemotingClient consumer = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system())) {
            consumer.onRequest(HandlerTable.builder()
                    .on(Rpcs.NOTIFY_CONSUMER_IDS_CHANGED, (request, reply) -> notices.incrementAndGet())
                    .build());
            HeartbeatData data = TestBroker.consumer("n1", "noticed", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, "T");
            for (int i = 0; i < 2; i++) {
                consumer.callBlocking(
                        broker.address,
                        Rpcs.HEART_BEAT,
                        NoHeader.NONE,
                        Json.write(data),
                        Deadline.after(Clock.system(), 60_000));
            }
            await().atMost(ONE_MINUTE).until(() -> notices.get() == 1);
            broker.heartbeat("n2", "noticed", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, "T");
            await().atMost(ONE_MINUTE).until(() -> notices.get() == 2);
        }
    }

    @Test
    void questionsAreRelayedToTheConsumer() throws Exception {
        try (EventLoops loops = EventLoops.start("consumer", 1);
                RemotingClient consumer = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system())) {
            consumer.onRequest(HandlerTable.builder()
                    .on(
                            Rpcs.GET_CONSUMER_RUNNING_INFO,
                            (request, reply) -> reply.ok(
                                    NoHeader.NONE,
                                    Payload.of(("info of " + request.header().clientId())
                                            .getBytes(StandardCharsets.UTF_8))))
                    .build());
            HeartbeatData data = TestBroker.consumer("c9", "relayed", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, "T");
            consumer.callBlocking(
                    broker.address,
                    Rpcs.HEART_BEAT,
                    NoHeader.NONE,
                    Json.write(data),
                    Deadline.after(Clock.system(), 60_000));
            assertThat(body(Rpcs.GET_CONSUMER_RUNNING_INFO, new RunningInfoHeader("relayed", "c9", false)))
                    .isEqualTo("info of c9");
        }
        Answer<?> offline =
                broker.call(Rpcs.GET_CONSUMER_RUNNING_INFO, new RunningInfoHeader("relayed", "nobody", false), null);
        assertThat(offline.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(offline.remark()).isEqualTo("The Consumer <relayed> <nobody> not online");
    }
}
