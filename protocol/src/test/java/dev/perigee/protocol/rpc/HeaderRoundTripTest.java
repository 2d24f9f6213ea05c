package dev.perigee.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.frame.CommandHead;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.frame.RemotingCommand;
import dev.perigee.protocol.header.broker.BrokerConfigResponse;
import dev.perigee.protocol.header.broker.BrokerConsumeStatsHeader;
import dev.perigee.protocol.header.broker.BrokerStatsHeader;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.client.ConsumerStatusHeader;
import dev.perigee.protocol.header.client.HeartbeatResponse;
import dev.perigee.protocol.header.client.ProducerGroupHeader;
import dev.perigee.protocol.header.client.RunningInfoHeader;
import dev.perigee.protocol.header.client.UnregisterClientHeader;
import dev.perigee.protocol.header.group.AllGroupConfigHeader;
import dev.perigee.protocol.header.group.AllGroupConfigResponse;
import dev.perigee.protocol.header.group.ConsumeStatsHeader;
import dev.perigee.protocol.header.group.ConsumeTimeSpanHeader;
import dev.perigee.protocol.header.group.DeleteGroupHeader;
import dev.perigee.protocol.header.group.GroupForbiddenHeader;
import dev.perigee.protocol.header.group.GroupHeader;
import dev.perigee.protocol.header.group.GroupTopicHeader;
import dev.perigee.protocol.header.kv.KvHeader;
import dev.perigee.protocol.header.kv.KvNamespaceHeader;
import dev.perigee.protocol.header.kv.KvResponse;
import dev.perigee.protocol.header.kv.PutKvHeader;
import dev.perigee.protocol.header.offset.BoundaryType;
import dev.perigee.protocol.header.offset.CloneOffsetHeader;
import dev.perigee.protocol.header.offset.CorrectionOffsetHeader;
import dev.perigee.protocol.header.offset.MaxOffsetHeader;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.QueueHeader;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.header.offset.SearchOffsetHeader;
import dev.perigee.protocol.header.offset.StoreTimeResponse;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.query.QueryConsumeQueueHeader;
import dev.perigee.protocol.header.query.QueryMessageHeader;
import dev.perigee.protocol.header.query.QueryMessageResponse;
import dev.perigee.protocol.header.query.ViewMessageHeader;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.ForkHeader;
import dev.perigee.protocol.header.replica.HeldHeader;
import dev.perigee.protocol.header.replica.HelloAnswer;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.protocol.header.route.AddWritePermResponse;
import dev.perigee.protocol.header.route.BrokerHeartbeatHeader;
import dev.perigee.protocol.header.route.BrokerNameHeader;
import dev.perigee.protocol.header.route.DataVersionHeader;
import dev.perigee.protocol.header.route.DataVersionResponse;
import dev.perigee.protocol.header.route.MemberGroupHeader;
import dev.perigee.protocol.header.route.MinBrokerIdHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.header.route.RouteHeader;
import dev.perigee.protocol.header.route.UnregisterBrokerHeader;
import dev.perigee.protocol.header.route.WipeWritePermResponse;
import dev.perigee.protocol.header.send.CheckTransactionHeader;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.header.send.ReplyMessageHeader;
import dev.perigee.protocol.header.send.ResumeHalfHeader;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.header.topic.AllTopicConfigHeader;
import dev.perigee.protocol.header.topic.AllTopicConfigResponse;
import dev.perigee.protocol.header.topic.ClusterHeader;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.header.topic.DeleteTopicInNameServerHeader;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HeaderRoundTripTest {
    private static final byte[] NO_BODY = {};

    /** One call to check, with its type still known. */
    record Case<H extends Record>(String rpc, HeaderCodec<H> codec, H header) {
        H through(HeaderSerialization serialization) throws Exception {
            CommandHead head = CommandHead.request(1, 1, false, serialization);
            byte[] frame =
                    RemotingCommand.of(head, codec.writer(header), NO_BODY).encode();
            return codec.decode(RemotingCommand.decode(frame).fields());
        }
    }

    private static <Q extends Record, R extends Record> Case<Q> ask(Rpc<Q, R> rpc, Q header) {
        return new Case<>(rpc.toString(), rpc.request(), header);
    }

    private static <Q extends Record, R extends Record> Case<R> answer(Rpc<Q, R> rpc, R header) {
        return new Case<>(rpc.toString(), rpc.response(), header);
    }

    static Stream<Case<?>> messages() {
        return Stream.of(
                ask(Rpcs.CONSUMER_SEND_MSG_BACK, new SendBackHeader(1L << 40, "g", -1, "id", null, true, 16, 3)),
                ask(Rpcs.END_TRANSACTION, new EndTransactionHeader(null, "g", 1, 2, 8, true, "id", "tx")),
                ask(Rpcs.CHECK_TRANSACTION_STATE, new CheckTransactionHeader("t", 1, 2, "id", "tx", "off", "b")),
                ask(Rpcs.RESUME_CHECK_HALF_MESSAGE, new ResumeHalfHeader("t", "id")),
                ask(
                        Rpcs.REPLICA_HELLO,
                        new HelloHeader(
                                "c", "b", 1, "a1", "ff", 3, "e", 0, 1L << 40, 1L << 39, 1, 1, -7, 9, 8 << 20, true)),
                answer(
                        Rpcs.REPLICA_HELLO,
                        new HelloAnswer("c", "b", 0, "a1", "ff", 4, "e", 1L << 30, 1L << 40, 1L << 39, 1, 1, 1 << 30)),
                ask(Rpcs.REPLICA_FORK, new ForkHeader(Long.MIN_VALUE, 3)),
                answer(Rpcs.REPLICA_FORK, new ForkAnswer(2, "e", 1L << 40)),
                ask(Rpcs.REPLICA_FETCHED, new FetchedHeader(Long.MAX_VALUE, 4, 3, 1L << 40, 1L << 39)),
                ask(Rpcs.REPLICA_HELD, new HeldHeader(-1, 4, 1L << 40)),
                ask(Rpcs.REPLICA_HELD, new HeldHeader(-1, 4, 1L << 40, true)),
                ask(Rpcs.REPLICA_TAIL, new HeldHeader(-1, 4, 1L << 40)),
                answer(Rpcs.REPLICA_TAIL, new FetchedHeader(Long.MAX_VALUE, 4, 3, 1L << 40, 1L << 39)),
                ask(Rpcs.LIST_HALF_MESSAGES, new HalfListHeader("g", "t", -1, 32)),
                ask(
                        Rpcs.PUSH_REPLY_MESSAGE_TO_CLIENT,
                        new ReplyMessageHeader("g", "t", "d", 4, 1, 2, 3, 4, "p", 5, true, "h:1", "s:2", 6)),
                answer(Rpcs.PULL_MESSAGE, new PullMessageResponse(1, 2, 3, 4, -5L, 6, 7, 8)),
                ask(
                        Rpcs.QUERY_MESSAGE,
                        new QueryMessageHeader("t", "key with blank", 32, 0, Long.MAX_VALUE, true, "U", "k")),
                answer(Rpcs.QUERY_MESSAGE, new QueryMessageResponse(1, 2)),
                ask(Rpcs.VIEW_MESSAGE_BY_ID, new ViewMessageHeader(null, 7)),
                ask(Rpcs.QUERY_CONSUME_QUEUE, new QueryConsumeQueueHeader("t", 1, 2, 3, "g")),
                ask(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("g", "t", 1, false)),
                ask(Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader("g", "t", 1, 2)),
                ask(Rpcs.SEARCH_OFFSET_BY_TIMESTAMP, new SearchOffsetHeader("t", 1, 2, BoundaryType.UPPER)),
                ask(Rpcs.GET_MAX_OFFSET, new MaxOffsetHeader("t", 1, false)),
                ask(Rpcs.GET_MIN_OFFSET, new QueueHeader("t", 1)),
                answer(Rpcs.GET_EARLIEST_MSG_STORETIME, new StoreTimeResponse(-1)),
                answer(Rpcs.GET_MAX_OFFSET, new OffsetResponse(Long.MAX_VALUE)),
                ask(Rpcs.INVOKE_BROKER_TO_RESET_OFFSET, new ResetOffsetHeader("t", "g", -1, true, 3, 4L)),
                ask(Rpcs.CLONE_GROUP_OFFSET, new CloneOffsetHeader("a", "b", "t", true)),
                ask(Rpcs.QUERY_CORRECTION_OFFSET, new CorrectionOffsetHeader("a,b", "g", "t")));
    }

    static Stream<Case<?>> clientsAndGroups() {
        return Stream.of(
                answer(Rpcs.HEART_BEAT, new HeartbeatResponse(true, false)),
                ask(Rpcs.UNREGISTER_CLIENT, new UnregisterClientHeader("id", "p", "c")),
                ask(Rpcs.NOTIFY_CONSUMER_IDS_CHANGED, new ConsumerGroupHeader("g")),
                ask(Rpcs.GET_PRODUCER_CONNECTION_LIST, new ProducerGroupHeader("g")),
                ask(Rpcs.GET_CONSUMER_RUNNING_INFO, new RunningInfoHeader("g", "id", true)),
                ask(Rpcs.CONSUME_MESSAGE_DIRECTLY, new ConsumeDirectlyHeader("g", "id", "m", "b", "t", 1, 2)),
                ask(Rpcs.INVOKE_BROKER_TO_GET_CONSUMER_STATUS, new ConsumerStatusHeader("t", "g", "a")),
                ask(Rpcs.GET_SUBSCRIPTIONGROUP_CONFIG, new GroupHeader("g")),
                ask(Rpcs.DELETE_SUBSCRIPTIONGROUP, new DeleteGroupHeader("g", true, false)),
                ask(Rpcs.GET_ALL_SUBSCRIPTIONGROUP_CONFIG, new AllGroupConfigHeader(1, "v", 2)),
                answer(Rpcs.GET_ALL_SUBSCRIPTIONGROUP_CONFIG, new AllGroupConfigResponse(null)),
                ask(Rpcs.QUERY_SUBSCRIPTION_BY_CONSUMER, new GroupTopicHeader("g", "t")),
                ask(Rpcs.QUERY_CONSUME_TIME_SPAN, new ConsumeTimeSpanHeader("t", "g")),
                ask(Rpcs.GET_CONSUME_STATS, new ConsumeStatsHeader("g", null, "a;b")),
                ask(Rpcs.UPDATE_AND_GET_GROUP_FORBIDDEN, new GroupForbiddenHeader("g", "t", null)),
                ask(Rpcs.VIEW_BROKER_STATS_DATA, new BrokerStatsHeader("n", "k")),
                ask(Rpcs.GET_BROKER_CONSUME_STATS, new BrokerConsumeStatsHeader(true)),
                answer(Rpcs.GET_BROKER_CONFIG, new BrokerConfigResponse("{\"counter\":1}")));
    }

    static Stream<Case<?>> topicsAndRoutes() {
        return Stream.of(
                ask(
                        Rpcs.UPDATE_AND_CREATE_TOPIC,
                        new CreateTopicHeader("t", "TBW102", 1, 2, 6, "MULTI_TAG", 3, true, "+a=b", false)),
                ask(Rpcs.GET_TOPIC_STATS_INFO, new TopicHeader("t")),
                ask(Rpcs.DELETE_TOPIC_IN_NAMESRV, new DeleteTopicInNameServerHeader("t", "c")),
                ask(Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader("t", true)),
                ask(Rpcs.GET_ALL_TOPIC_CONFIG, new AllTopicConfigHeader(null, null, null)),
                answer(Rpcs.GET_ALL_TOPIC_CONFIG, new AllTopicConfigResponse(5)),
                ask(Rpcs.GET_TOPICS_BY_CLUSTER, new ClusterHeader("c")),
                answer(Rpcs.REGISTER_BROKER, new RegisterBrokerResponse("h", null)),
                ask(Rpcs.UNREGISTER_BROKER, new UnregisterBrokerHeader("b", "a", "c", 0)),
                ask(Rpcs.GET_ROUTEINFO_BY_TOPIC, new RouteHeader("t", true, false, "z")),
                ask(Rpcs.QUERY_DATA_VERSION, new DataVersionHeader("b", "a", "c", 1)),
                answer(Rpcs.QUERY_DATA_VERSION, new DataVersionResponse(true)),
                ask(Rpcs.WIPE_WRITE_PERM_OF_BROKER, new BrokerNameHeader("b")),
                answer(Rpcs.WIPE_WRITE_PERM_OF_BROKER, new WipeWritePermResponse(1)),
                answer(Rpcs.ADD_WRITE_PERM_OF_BROKER, new AddWritePermResponse(2)),
                ask(Rpcs.GET_BROKER_MEMBER_GROUP, new MemberGroupHeader("c", "b")),
                ask(Rpcs.BROKER_HEARTBEAT, new BrokerHeartbeatHeader("c", "a", "b", 1L, 2, 3L, 4L, 5L, 6)),
                ask(Rpcs.NOTIFY_MIN_BROKER_ID_CHANGE, new MinBrokerIdHeader(1L, "b", "m", "o", "h")),
                ask(Rpcs.PUT_KV_CONFIG, new PutKvHeader("n", "k", "v€\u0001\"")),
                ask(Rpcs.DELETE_KV_CONFIG, new KvHeader("n", "k")),
                answer(Rpcs.GET_KV_CONFIG, new KvResponse("v")),
                ask(Rpcs.GET_KVLIST_BY_NAMESPACE, new KvNamespaceHeader("n")));
    }

    @ParameterizedTest
    @MethodSource({"messages", "clientsAndGroups", "topicsAndRoutes"})
    void keepsEveryHeaderInBothSerializations(Case<?> call) throws Exception {
        for (HeaderSerialization serialization : HeaderSerialization.values()) {
            assertThat((Object) call.through(serialization))
                    .as("%s %s", call.rpc(), serialization)
                    .isEqualTo(call.header());
        }
    }
}
