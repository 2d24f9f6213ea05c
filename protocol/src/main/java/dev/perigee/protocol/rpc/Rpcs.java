package dev.perigee.protocol.rpc;

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
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.query.QueryConsumeQueueHeader;
import dev.perigee.protocol.header.query.QueryMessageHeader;
import dev.perigee.protocol.header.query.QueryMessageResponse;
import dev.perigee.protocol.header.query.ViewMessageHeader;
import dev.perigee.protocol.header.raft.RaftHelloAnswer;
import dev.perigee.protocol.header.raft.RaftHelloHeader;
import dev.perigee.protocol.header.raft.RaftLeadHeader;
import dev.perigee.protocol.header.raft.RaftLedHeader;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
import dev.perigee.protocol.header.raft.RaftPeerAnswer;
import dev.perigee.protocol.header.raft.RaftPeerHeader;
import dev.perigee.protocol.header.raft.RaftTransferHeader;
import dev.perigee.protocol.header.raft.RaftVoteHeader;
import dev.perigee.protocol.header.raft.RaftVotedHeader;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.ForkHeader;
import dev.perigee.protocol.header.replica.HaInfoHeader;
import dev.perigee.protocol.header.replica.HeldHeader;
import dev.perigee.protocol.header.replica.HelloAnswer;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.protocol.header.replica.RangeAnswer;
import dev.perigee.protocol.header.replica.RangeHeader;
import dev.perigee.protocol.header.replica.ReplicaOffsetsHeader;
import dev.perigee.protocol.header.route.AddWritePermResponse;
import dev.perigee.protocol.header.route.BrokerHeartbeatHeader;
import dev.perigee.protocol.header.route.BrokerNameHeader;
import dev.perigee.protocol.header.route.DataVersionHeader;
import dev.perigee.protocol.header.route.DataVersionResponse;
import dev.perigee.protocol.header.route.MemberGroupHeader;
import dev.perigee.protocol.header.route.MinBrokerIdHeader;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.header.route.RouteHeader;
import dev.perigee.protocol.header.route.UnregisterBrokerHeader;
import dev.perigee.protocol.header.route.WipeWritePermResponse;
import dev.perigee.protocol.header.send.CheckTransactionHeader;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.header.send.RecallMessageHeader;
import dev.perigee.protocol.header.send.RecallMessageResponse;
import dev.perigee.protocol.header.send.ReplyMessageHeader;
import dev.perigee.protocol.header.send.ResumeHalfHeader;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.AllTopicConfigHeader;
import dev.perigee.protocol.header.topic.AllTopicConfigResponse;
import dev.perigee.protocol.header.topic.ClusterHeader;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.header.topic.DeleteTopicInNameServerHeader;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.header.topic.TopicHeader;

/** All requests Perigee knows as types. Names of numbers are in {@link CodeNames}. */
public final class Rpcs {
    public static final Rpc<SendMessageHeader, SendMessageResponse> SEND_MESSAGE =
            Rpc.of(RequestCode.SEND_MESSAGE, RecordHeaderCodec.of(SendMessageHeader.class), SendResponseCodec.INSTANCE);
    public static final Rpc<SendMessageHeader, SendMessageResponse> SEND_MESSAGE_V2 =
            Rpc.of(RequestCode.SEND_MESSAGE_V2, SendMessageCodec.INSTANCE, SendResponseCodec.INSTANCE);
    public static final Rpc<SendMessageHeader, SendMessageResponse> SEND_BATCH_MESSAGE =
            Rpc.of(RequestCode.SEND_BATCH_MESSAGE, SendMessageCodec.INSTANCE, SendResponseCodec.INSTANCE);
    public static final Rpc<RecallMessageHeader, RecallMessageResponse> RECALL_MESSAGE =
            Rpc.of(RequestCode.RECALL_MESSAGE, RecallMessageHeader.class, RecallMessageResponse.class);
    public static final Rpc<PullMessageHeader, PullMessageResponse> PULL_MESSAGE =
            Rpc.of(RequestCode.PULL_MESSAGE, PullMessageCodec.INSTANCE, PullResponseCodec.INSTANCE);
    public static final Rpc<PullMessageHeader, PullMessageResponse> LITE_PULL_MESSAGE =
            Rpc.of(RequestCode.LITE_PULL_MESSAGE, PullMessageCodec.INSTANCE, PullResponseCodec.INSTANCE);
    public static final Rpc<QueryMessageHeader, QueryMessageResponse> QUERY_MESSAGE =
            Rpc.of(RequestCode.QUERY_MESSAGE, QueryMessageHeader.class, QueryMessageResponse.class);
    public static final Rpc<ViewMessageHeader, NoHeader> VIEW_MESSAGE_BY_ID =
            Rpc.of(RequestCode.VIEW_MESSAGE_BY_ID, ViewMessageHeader.class, NoHeader.class);
    public static final Rpc<QueryConsumeQueueHeader, NoHeader> QUERY_CONSUME_QUEUE =
            Rpc.of(RequestCode.QUERY_CONSUME_QUEUE, QueryConsumeQueueHeader.class, NoHeader.class);
    public static final Rpc<QueryOffsetHeader, OffsetResponse> QUERY_CONSUMER_OFFSET =
            Rpc.of(RequestCode.QUERY_CONSUMER_OFFSET, QueryOffsetHeader.class, OffsetResponse.class);
    public static final Rpc<UpdateOffsetHeader, NoHeader> UPDATE_CONSUMER_OFFSET =
            Rpc.of(RequestCode.UPDATE_CONSUMER_OFFSET, UpdateOffsetHeader.class, NoHeader.class);
    public static final Rpc<SearchOffsetHeader, OffsetResponse> SEARCH_OFFSET_BY_TIMESTAMP =
            Rpc.of(RequestCode.SEARCH_OFFSET_BY_TIMESTAMP, SearchOffsetHeader.class, OffsetResponse.class);
    public static final Rpc<MaxOffsetHeader, OffsetResponse> GET_MAX_OFFSET =
            Rpc.of(RequestCode.GET_MAX_OFFSET, MaxOffsetHeader.class, OffsetResponse.class);
    public static final Rpc<QueueHeader, OffsetResponse> GET_MIN_OFFSET =
            Rpc.of(RequestCode.GET_MIN_OFFSET, QueueHeader.class, OffsetResponse.class);
    public static final Rpc<QueueHeader, StoreTimeResponse> GET_EARLIEST_MSG_STORETIME =
            Rpc.of(RequestCode.GET_EARLIEST_MSG_STORETIME, QueueHeader.class, StoreTimeResponse.class);
    public static final Rpc<NoHeader, NoHeader> GET_ALL_CONSUMER_OFFSET =
            Rpc.of(RequestCode.GET_ALL_CONSUMER_OFFSET, NoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> GET_ALL_DELAY_OFFSET =
            Rpc.of(RequestCode.GET_ALL_DELAY_OFFSET, NoHeader.class, NoHeader.class);
    public static final Rpc<ResetOffsetHeader, NoHeader> RESET_CONSUMER_CLIENT_OFFSET =
            Rpc.of(RequestCode.RESET_CONSUMER_CLIENT_OFFSET, ResetOffsetHeader.class, NoHeader.class);
    public static final Rpc<ResetOffsetHeader, NoHeader> INVOKE_BROKER_TO_RESET_OFFSET =
            Rpc.of(RequestCode.INVOKE_BROKER_TO_RESET_OFFSET, ResetOffsetHeader.class, NoHeader.class);
    public static final Rpc<CloneOffsetHeader, NoHeader> CLONE_GROUP_OFFSET =
            Rpc.of(RequestCode.CLONE_GROUP_OFFSET, CloneOffsetHeader.class, NoHeader.class);
    public static final Rpc<CorrectionOffsetHeader, NoHeader> QUERY_CORRECTION_OFFSET =
            Rpc.of(RequestCode.QUERY_CORRECTION_OFFSET, CorrectionOffsetHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, HeartbeatResponse> HEART_BEAT =
            Rpc.of(RequestCode.HEART_BEAT, NoHeader.class, HeartbeatResponse.class);
    public static final Rpc<UnregisterClientHeader, NoHeader> UNREGISTER_CLIENT =
            Rpc.of(RequestCode.UNREGISTER_CLIENT, UnregisterClientHeader.class, NoHeader.class);
    public static final Rpc<SendBackHeader, NoHeader> CONSUMER_SEND_MSG_BACK =
            Rpc.of(RequestCode.CONSUMER_SEND_MSG_BACK, SendBackHeader.class, NoHeader.class);
    public static final Rpc<EndTransactionHeader, NoHeader> END_TRANSACTION =
            Rpc.of(RequestCode.END_TRANSACTION, EndTransactionHeader.class, NoHeader.class);
    public static final Rpc<CheckTransactionHeader, NoHeader> CHECK_TRANSACTION_STATE =
            Rpc.of(RequestCode.CHECK_TRANSACTION_STATE, CheckTransactionHeader.class, NoHeader.class);
    public static final Rpc<SendMessageHeader, SendMessageResponse> SEND_REPLY_MESSAGE = Rpc.of(
            RequestCode.SEND_REPLY_MESSAGE, RecordHeaderCodec.of(SendMessageHeader.class), SendResponseCodec.INSTANCE);
    public static final Rpc<SendMessageHeader, SendMessageResponse> SEND_REPLY_MESSAGE_V2 =
            Rpc.of(RequestCode.SEND_REPLY_MESSAGE_V2, SendMessageCodec.INSTANCE, SendResponseCodec.INSTANCE);
    public static final Rpc<ResumeHalfHeader, NoHeader> RESUME_CHECK_HALF_MESSAGE =
            Rpc.of(RequestCode.RESUME_CHECK_HALF_MESSAGE, ResumeHalfHeader.class, NoHeader.class);
    public static final Rpc<HelloHeader, HelloAnswer> REPLICA_HELLO =
            Rpc.of(RequestCode.REPLICA_HELLO, HelloHeader.class, HelloAnswer.class);
    public static final Rpc<ForkHeader, ForkAnswer> REPLICA_FORK =
            Rpc.of(RequestCode.REPLICA_FORK, ForkHeader.class, ForkAnswer.class);
    public static final Rpc<FetchedHeader, NoHeader> REPLICA_FETCHED =
            Rpc.of(RequestCode.REPLICA_FETCHED, FetchedHeader.class, NoHeader.class);
    public static final Rpc<HeldHeader, NoHeader> REPLICA_HELD =
            Rpc.of(RequestCode.REPLICA_HELD, HeldHeader.class, NoHeader.class);
    public static final Rpc<RangeHeader, RangeAnswer> REPLICA_RANGE =
            Rpc.of(RequestCode.REPLICA_RANGE, RangeHeader.class, RangeAnswer.class);
    public static final Rpc<ReplicaOffsetsHeader, NoHeader> REPLICA_OFFSETS =
            Rpc.of(RequestCode.REPLICA_OFFSETS, ReplicaOffsetsHeader.class, NoHeader.class);
    public static final Rpc<HeldHeader, FetchedHeader> REPLICA_TAIL =
            Rpc.of(RequestCode.REPLICA_TAIL, HeldHeader.class, FetchedHeader.class);
    public static final Rpc<RaftVoteHeader, NoHeader> RAFT_VOTE =
            Rpc.of(RequestCode.RAFT_VOTE, RaftVoteHeader.class, NoHeader.class);
    public static final Rpc<RaftVotedHeader, NoHeader> RAFT_VOTED =
            Rpc.of(RequestCode.RAFT_VOTED, RaftVotedHeader.class, NoHeader.class);
    public static final Rpc<RaftLeadHeader, NoHeader> RAFT_LEAD =
            Rpc.of(RequestCode.RAFT_LEAD, RaftLeadHeader.class, NoHeader.class);
    public static final Rpc<RaftLedHeader, NoHeader> RAFT_LED =
            Rpc.of(RequestCode.RAFT_LED, RaftLedHeader.class, NoHeader.class);
    public static final Rpc<RaftTransferHeader, NoHeader> RAFT_TRANSFER =
            Rpc.of(RequestCode.RAFT_TRANSFER, RaftTransferHeader.class, NoHeader.class);
    public static final Rpc<RaftHelloHeader, RaftHelloAnswer> RAFT_HELLO =
            Rpc.of(RequestCode.RAFT_HELLO, RaftHelloHeader.class, RaftHelloAnswer.class);
    public static final Rpc<NoHeader, NoHeader> RAFT_STATUS =
            Rpc.of(RequestCode.RAFT_STATUS, NoHeader.class, NoHeader.class);
    public static final Rpc<RaftOrderHeader, NoHeader> RAFT_ORDER =
            Rpc.of(RequestCode.RAFT_ORDER, RaftOrderHeader.class, NoHeader.class);
    public static final Rpc<RaftPeerHeader, RaftPeerAnswer> RAFT_PEER =
            Rpc.of(RequestCode.RAFT_PEER, RaftPeerHeader.class, RaftPeerAnswer.class);
    public static final Rpc<HalfListHeader, NoHeader> LIST_HALF_MESSAGES =
            Rpc.of(RequestCode.LIST_HALF_MESSAGES, HalfListHeader.class, NoHeader.class);
    public static final Rpc<ReplyMessageHeader, NoHeader> PUSH_REPLY_MESSAGE_TO_CLIENT =
            Rpc.of(RequestCode.PUSH_REPLY_MESSAGE_TO_CLIENT, ReplyMessageHeader.class, NoHeader.class);
    public static final Rpc<ConsumerGroupHeader, NoHeader> GET_CONSUMER_LIST_BY_GROUP =
            Rpc.of(RequestCode.GET_CONSUMER_LIST_BY_GROUP, ConsumerGroupHeader.class, NoHeader.class);
    public static final Rpc<ConsumerGroupHeader, NoHeader> NOTIFY_CONSUMER_IDS_CHANGED =
            Rpc.of(RequestCode.NOTIFY_CONSUMER_IDS_CHANGED, ConsumerGroupHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> LOCK_BATCH_MQ =
            Rpc.of(RequestCode.LOCK_BATCH_MQ, NoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> UNLOCK_BATCH_MQ =
            Rpc.of(RequestCode.UNLOCK_BATCH_MQ, NoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> CHECK_CLIENT_CONFIG =
            Rpc.of(RequestCode.CHECK_CLIENT_CONFIG, NoHeader.class, NoHeader.class);
    public static final Rpc<ConsumerGroupHeader, NoHeader> GET_CONSUMER_CONNECTION_LIST =
            Rpc.of(RequestCode.GET_CONSUMER_CONNECTION_LIST, ConsumerGroupHeader.class, NoHeader.class);
    public static final Rpc<ProducerGroupHeader, NoHeader> GET_PRODUCER_CONNECTION_LIST =
            Rpc.of(RequestCode.GET_PRODUCER_CONNECTION_LIST, ProducerGroupHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> GET_ALL_PRODUCER_INFO =
            Rpc.of(RequestCode.GET_ALL_PRODUCER_INFO, NoHeader.class, NoHeader.class);
    public static final Rpc<ConsumerStatusHeader, NoHeader> GET_CONSUMER_STATUS_FROM_CLIENT =
            Rpc.of(RequestCode.GET_CONSUMER_STATUS_FROM_CLIENT, ConsumerStatusHeader.class, NoHeader.class);
    public static final Rpc<ConsumerStatusHeader, NoHeader> INVOKE_BROKER_TO_GET_CONSUMER_STATUS =
            Rpc.of(RequestCode.INVOKE_BROKER_TO_GET_CONSUMER_STATUS, ConsumerStatusHeader.class, NoHeader.class);
    public static final Rpc<RunningInfoHeader, NoHeader> GET_CONSUMER_RUNNING_INFO =
            Rpc.of(RequestCode.GET_CONSUMER_RUNNING_INFO, RunningInfoHeader.class, NoHeader.class);
    public static final Rpc<ConsumeDirectlyHeader, NoHeader> CONSUME_MESSAGE_DIRECTLY =
            Rpc.of(RequestCode.CONSUME_MESSAGE_DIRECTLY, ConsumeDirectlyHeader.class, NoHeader.class);
    public static final Rpc<CreateTopicHeader, NoHeader> UPDATE_AND_CREATE_TOPIC =
            Rpc.of(RequestCode.UPDATE_AND_CREATE_TOPIC, CreateTopicHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> UPDATE_AND_CREATE_TOPIC_LIST =
            Rpc.of(RequestCode.UPDATE_AND_CREATE_TOPIC_LIST, NoHeader.class, NoHeader.class);
    public static final Rpc<AllTopicConfigHeader, AllTopicConfigResponse> GET_ALL_TOPIC_CONFIG =
            Rpc.of(RequestCode.GET_ALL_TOPIC_CONFIG, AllTopicConfigHeader.class, AllTopicConfigResponse.class);
    public static final Rpc<TopicConfigHeader, NoHeader> GET_TOPIC_CONFIG =
            Rpc.of(RequestCode.GET_TOPIC_CONFIG, TopicConfigHeader.class, NoHeader.class);
    public static final Rpc<TopicHeader, NoHeader> GET_TOPIC_STATS_INFO =
            Rpc.of(RequestCode.GET_TOPIC_STATS_INFO, TopicHeader.class, NoHeader.class);
    public static final Rpc<TopicHeader, NoHeader> DELETE_TOPIC_IN_BROKER =
            Rpc.of(RequestCode.DELETE_TOPIC_IN_BROKER, TopicHeader.class, NoHeader.class);
    public static final Rpc<TopicHeader, NoHeader> QUERY_TOPIC_CONSUME_BY_WHO =
            Rpc.of(RequestCode.QUERY_TOPIC_CONSUME_BY_WHO, TopicHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> GET_SYSTEM_TOPIC_LIST_FROM_BROKER =
            Rpc.of(RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_BROKER, NoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> CLEAN_UNUSED_TOPIC =
            Rpc.of(RequestCode.CLEAN_UNUSED_TOPIC, NoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> CLEAN_EXPIRED_CONSUMEQUEUE =
            Rpc.of(RequestCode.CLEAN_EXPIRED_CONSUMEQUEUE, NoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> DELETE_EXPIRED_COMMITLOG =
            Rpc.of(RequestCode.DELETE_EXPIRED_COMMITLOG, NoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> UPDATE_AND_CREATE_SUBSCRIPTIONGROUP =
            Rpc.of(RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, NoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST =
            Rpc.of(RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST, NoHeader.class, NoHeader.class);
    public static final Rpc<AllGroupConfigHeader, AllGroupConfigResponse> GET_ALL_SUBSCRIPTIONGROUP_CONFIG = Rpc.of(
            RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG, AllGroupConfigHeader.class, AllGroupConfigResponse.class);
    public static final Rpc<GroupHeader, NoHeader> GET_SUBSCRIPTIONGROUP_CONFIG =
            Rpc.of(RequestCode.GET_SUBSCRIPTIONGROUP_CONFIG, GroupHeader.class, NoHeader.class);
    public static final Rpc<DeleteGroupHeader, NoHeader> DELETE_SUBSCRIPTIONGROUP =
            Rpc.of(RequestCode.DELETE_SUBSCRIPTIONGROUP, DeleteGroupHeader.class, NoHeader.class);
    public static final Rpc<GroupForbiddenHeader, NoHeader> UPDATE_AND_GET_GROUP_FORBIDDEN =
            Rpc.of(RequestCode.UPDATE_AND_GET_GROUP_FORBIDDEN, GroupForbiddenHeader.class, NoHeader.class);
    public static final Rpc<GroupHeader, NoHeader> QUERY_TOPICS_BY_CONSUMER =
            Rpc.of(RequestCode.QUERY_TOPICS_BY_CONSUMER, GroupHeader.class, NoHeader.class);
    public static final Rpc<GroupTopicHeader, NoHeader> QUERY_SUBSCRIPTION_BY_CONSUMER =
            Rpc.of(RequestCode.QUERY_SUBSCRIPTION_BY_CONSUMER, GroupTopicHeader.class, NoHeader.class);
    public static final Rpc<ConsumeStatsHeader, NoHeader> GET_CONSUME_STATS =
            Rpc.of(RequestCode.GET_CONSUME_STATS, ConsumeStatsHeader.class, NoHeader.class);
    public static final Rpc<BrokerConsumeStatsHeader, NoHeader> GET_BROKER_CONSUME_STATS =
            Rpc.of(RequestCode.GET_BROKER_CONSUME_STATS, BrokerConsumeStatsHeader.class, NoHeader.class);
    public static final Rpc<ConsumeTimeSpanHeader, NoHeader> QUERY_CONSUME_TIME_SPAN =
            Rpc.of(RequestCode.QUERY_CONSUME_TIME_SPAN, ConsumeTimeSpanHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> UPDATE_BROKER_CONFIG =
            Rpc.of(RequestCode.UPDATE_BROKER_CONFIG, NoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, BrokerConfigResponse> GET_BROKER_CONFIG =
            Rpc.of(RequestCode.GET_BROKER_CONFIG, NoHeader.class, BrokerConfigResponse.class);
    public static final Rpc<NoHeader, NoHeader> GET_BROKER_RUNTIME_INFO =
            Rpc.of(RequestCode.GET_BROKER_RUNTIME_INFO, NoHeader.class, NoHeader.class);
    public static final Rpc<BrokerStatsHeader, NoHeader> VIEW_BROKER_STATS_DATA =
            Rpc.of(RequestCode.VIEW_BROKER_STATS_DATA, BrokerStatsHeader.class, NoHeader.class);
    public static final Rpc<HaInfoHeader, NoHeader> EXCHANGE_BROKER_HA_INFO =
            Rpc.of(RequestCode.EXCHANGE_BROKER_HA_INFO, HaInfoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> GET_BROKER_HA_STATUS =
            Rpc.of(RequestCode.GET_BROKER_HA_STATUS, NoHeader.class, NoHeader.class);
    public static final Rpc<RegisterBrokerHeader, RegisterBrokerResponse> REGISTER_BROKER =
            Rpc.of(RequestCode.REGISTER_BROKER, RegisterBrokerHeader.class, RegisterBrokerResponse.class);
    public static final Rpc<UnregisterBrokerHeader, NoHeader> UNREGISTER_BROKER =
            Rpc.of(RequestCode.UNREGISTER_BROKER, UnregisterBrokerHeader.class, NoHeader.class);
    public static final Rpc<BrokerHeartbeatHeader, NoHeader> BROKER_HEARTBEAT =
            Rpc.of(RequestCode.BROKER_HEARTBEAT, BrokerHeartbeatHeader.class, NoHeader.class);
    public static final Rpc<DataVersionHeader, DataVersionResponse> QUERY_DATA_VERSION =
            Rpc.of(RequestCode.QUERY_DATA_VERSION, DataVersionHeader.class, DataVersionResponse.class);
    public static final Rpc<RouteHeader, NoHeader> GET_ROUTEINFO_BY_TOPIC =
            Rpc.of(RequestCode.GET_ROUTEINFO_BY_TOPIC, RouteHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> GET_BROKER_CLUSTER_INFO =
            Rpc.of(RequestCode.GET_BROKER_CLUSTER_INFO, NoHeader.class, NoHeader.class);
    public static final Rpc<MemberGroupHeader, NoHeader> GET_BROKER_MEMBER_GROUP =
            Rpc.of(RequestCode.GET_BROKER_MEMBER_GROUP, MemberGroupHeader.class, NoHeader.class);
    public static final Rpc<MinBrokerIdHeader, NoHeader> NOTIFY_MIN_BROKER_ID_CHANGE =
            Rpc.of(RequestCode.NOTIFY_MIN_BROKER_ID_CHANGE, MinBrokerIdHeader.class, NoHeader.class);
    public static final Rpc<BrokerNameHeader, WipeWritePermResponse> WIPE_WRITE_PERM_OF_BROKER =
            Rpc.of(RequestCode.WIPE_WRITE_PERM_OF_BROKER, BrokerNameHeader.class, WipeWritePermResponse.class);
    public static final Rpc<BrokerNameHeader, AddWritePermResponse> ADD_WRITE_PERM_OF_BROKER =
            Rpc.of(RequestCode.ADD_WRITE_PERM_OF_BROKER, BrokerNameHeader.class, AddWritePermResponse.class);
    public static final Rpc<NoHeader, NoHeader> GET_ALL_TOPIC_LIST_FROM_NAMESERVER =
            Rpc.of(RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER, NoHeader.class, NoHeader.class);
    public static final Rpc<DeleteTopicInNameServerHeader, NoHeader> DELETE_TOPIC_IN_NAMESRV =
            Rpc.of(RequestCode.DELETE_TOPIC_IN_NAMESRV, DeleteTopicInNameServerHeader.class, NoHeader.class);
    public static final Rpc<TopicHeader, NoHeader> REGISTER_TOPIC_IN_NAMESRV =
            Rpc.of(RequestCode.REGISTER_TOPIC_IN_NAMESRV, TopicHeader.class, NoHeader.class);
    public static final Rpc<ClusterHeader, NoHeader> GET_TOPICS_BY_CLUSTER =
            Rpc.of(RequestCode.GET_TOPICS_BY_CLUSTER, ClusterHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> GET_SYSTEM_TOPIC_LIST_FROM_NS =
            Rpc.of(RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS, NoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> GET_UNIT_TOPIC_LIST =
            Rpc.of(RequestCode.GET_UNIT_TOPIC_LIST, NoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> GET_HAS_UNIT_SUB_TOPIC_LIST =
            Rpc.of(RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST, NoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST =
            Rpc.of(RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST, NoHeader.class, NoHeader.class);
    public static final Rpc<PutKvHeader, NoHeader> PUT_KV_CONFIG =
            Rpc.of(RequestCode.PUT_KV_CONFIG, PutKvHeader.class, NoHeader.class);
    public static final Rpc<KvHeader, KvResponse> GET_KV_CONFIG =
            Rpc.of(RequestCode.GET_KV_CONFIG, KvHeader.class, KvResponse.class);
    public static final Rpc<KvHeader, NoHeader> DELETE_KV_CONFIG =
            Rpc.of(RequestCode.DELETE_KV_CONFIG, KvHeader.class, NoHeader.class);
    public static final Rpc<KvNamespaceHeader, NoHeader> GET_KVLIST_BY_NAMESPACE =
            Rpc.of(RequestCode.GET_KVLIST_BY_NAMESPACE, KvNamespaceHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> UPDATE_NAMESRV_CONFIG =
            Rpc.of(RequestCode.UPDATE_NAMESRV_CONFIG, NoHeader.class, NoHeader.class);
    public static final Rpc<NoHeader, NoHeader> GET_NAMESRV_CONFIG =
            Rpc.of(RequestCode.GET_NAMESRV_CONFIG, NoHeader.class, NoHeader.class);

    private Rpcs() {}

    /** A request whose header is passed over, for codes that are only refused. */
    public static Rpc<NoHeader, NoHeader> unread(int code) {
        return Rpc.of(code, NoHeader.class, NoHeader.class);
    }
}
