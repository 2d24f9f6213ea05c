package dev.perigee.broker;

import dev.perigee.broker.admin.BrokerHandlers;
import dev.perigee.broker.admin.ConfigHandlers;
import dev.perigee.broker.admin.ConnectionHandlers;
import dev.perigee.broker.admin.MaintenanceHandlers;
import dev.perigee.broker.admin.OffsetAdminHandlers;
import dev.perigee.broker.admin.Progress;
import dev.perigee.broker.admin.ProgressHandlers;
import dev.perigee.broker.admin.RelayHandlers;
import dev.perigee.broker.admin.ResetHandler;
import dev.perigee.broker.admin.RuntimeInfo;
import dev.perigee.broker.admin.TimeSpanHandler;
import dev.perigee.broker.check.NotBuilt;
import dev.perigee.broker.client.ClientHandlers;
import dev.perigee.broker.client.HeartbeatHandler;
import dev.perigee.broker.fact.WaitingRequests;
import dev.perigee.broker.group.GroupHandlers;
import dev.perigee.broker.lock.QueueLockHandlers;
import dev.perigee.broker.offset.OffsetHandlers;
import dev.perigee.broker.offset.QueuePositionHandlers;
import dev.perigee.broker.pull.PullHandler;
import dev.perigee.broker.pull.PullParts;
import dev.perigee.broker.pull.QueueReader;
import dev.perigee.broker.query.QueryHandlers;
import dev.perigee.broker.registration.MasterPlaceHandler;
import dev.perigee.broker.reply.ReplyHandler;
import dev.perigee.broker.retry.SendBackHandler;
import dev.perigee.broker.send.CheckedSends;
import dev.perigee.broker.send.SendHandler;
import dev.perigee.broker.send.SendParts;
import dev.perigee.broker.timer.Recalls;
import dev.perigee.broker.topic.TopicHandlers;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.replica.HaStatusHandler;
import dev.perigee.store.view.ColdReaders;
import java.util.Set;

/** Which handler answers which request code: one line each. */
final class BrokerHandlerTable {
    private static final String TOPICS_CHANGE = "its change of topics to be applied";
    private static final String GROUPS_CHANGE = "its change of consumer groups to be applied";
    private static final String OFFSETS_CHANGE = "its change of offsets to be applied";

    private BrokerHandlerTable() {}

    static HandlerTable of(
            BrokerCore core, SendParts sending, SendBackHandler sendBack, Recalls recalls, RuntimeInfo info) {
        HandlerTable.Builder table =
                HandlerTable.builder().gate(core.replication.part().gate(core));
        addMessages(table, core, sending);
        table.on(Rpcs.CONSUMER_SEND_MSG_BACK, sendBack);
        table.on(Rpcs.RECALL_MESSAGE, core.recallHandler(recalls));
        addClients(table, core);
        addTopicsAndGroups(table, core);
        addProgress(table, core);
        addBroker(table, core, info);
        core.replication.part().addTo(table);
        core.replication.ranges().ifPresent(ranges -> table.on(Rpcs.REPLICA_RANGE, ranges::answer));
        if (core.standing.isSlave()) {
            table.on(Rpcs.EXCHANGE_BROKER_HA_INFO, new MasterPlaceHandler(core.replication.part()::masterWaitsAt));
            NotBuilt.addTo(table, Set.of(RequestCode.EXCHANGE_BROKER_HA_INFO));
        } else {
            NotBuilt.addTo(table, Set.of());
        }
        return table.build();
    }

    private static void addMessages(HandlerTable.Builder table, BrokerCore core, SendParts sending) {
        SendHandler send = new SendHandler(
                sending, core.topics, core.topicCreation, core.routeWaits, core.groupCreation, core.waiting, core.live);
        ReplyHandler replies = new ReplyHandler(
                core.clients,
                new CheckedSends(sending, core.topics, core.live),
                core.dueTimes,
                core.identity,
                core.stats,
                core.clock,
                core.config.sending().storeReplies());
        ColdReaders cold = core.store.coldReaders();
        QueueReader reader = new QueueReader(
                core.store.queues(),
                core.store.log(),
                core.config.reading(),
                core.stats,
                cold,
                core.standing::isReadable,
                core.replication.onDamage());
        PullHandler pull = new PullHandler(
                new PullParts(
                        core.topics,
                        core.groups,
                        core.clients,
                        core.filters,
                        reader,
                        core.waiters,
                        core.commitRights,
                        core.commits,
                        core.groupCreation,
                        core.standing),
                core.live,
                core.clock);
        QueryHandlers query = new QueryHandlers(
                core.store.keyIndex(),
                core.frames,
                core.gate,
                cold,
                core.config.reading().maxQueryCount());
        table.on(Rpcs.SEND_MESSAGE, send)
                .on(Rpcs.SEND_MESSAGE_V2, send)
                .on(Rpcs.SEND_BATCH_MESSAGE, send)
                .on(Rpcs.END_TRANSACTION, core.transactions.end())
                .on(Rpcs.RESUME_CHECK_HALF_MESSAGE, core.transactions.tools()::resume)
                .on(Rpcs.LIST_HALF_MESSAGES, core.transactions.tools()::list)
                .on(Rpcs.SEND_REPLY_MESSAGE, replies)
                .on(Rpcs.SEND_REPLY_MESSAGE_V2, replies)
                .on(Rpcs.PULL_MESSAGE, pull)
                .on(Rpcs.LITE_PULL_MESSAGE, pull)
                .on(Rpcs.QUERY_MESSAGE, query::byKey)
                .on(Rpcs.VIEW_MESSAGE_BY_ID, query::byOffset);
    }

    private static void addClients(HandlerTable.Builder table, BrokerCore core) {
        ClientHandlers clients = new ClientHandlers(core.clients, core.filters);
        QueueLockHandlers locks = new QueueLockHandlers(core.locks, core.topics, core.lockWatcher(), core.clock);
        OffsetHandlers offsets = new OffsetHandlers(
                core.commits, core.commitRights, core.topics, core.groups, core.gate, core.waiting, core.standing);
        table.on(
                        Rpcs.HEART_BEAT,
                        new HeartbeatHandler(core.clients, core.groupCreation, core.waiting, core.standing, core.clock))
                .on(Rpcs.UNREGISTER_CLIENT, clients::unregister)
                .on(Rpcs.GET_CONSUMER_LIST_BY_GROUP, clients::consumerIds)
                .on(Rpcs.CHECK_CLIENT_CONFIG, clients::checkConfig)
                .on(Rpcs.LOCK_BATCH_MQ, locks::lock)
                .on(Rpcs.UNLOCK_BATCH_MQ, locks::unlock)
                .on(Rpcs.QUERY_CONSUMER_OFFSET, offsets::query)
                .on(Rpcs.UPDATE_CONSUMER_OFFSET, offsets::update);
    }

    private static void addTopicsAndGroups(HandlerTable.Builder table, BrokerCore core) {
        TopicHandlers topics = new TopicHandlers(
                core.topics, core.topicCreation, core.topicDeletion, core.routeWaits, core.systemTopics);
        GroupHandlers groups = new GroupHandlers(core.groups, core.groupCreation, core.live, core::groupGone);
        WaitingRequests waiting = core.waiting;
        table.on(Rpcs.UPDATE_AND_CREATE_TOPIC, waiting.holding(TOPICS_CHANGE, topics::update))
                .on(Rpcs.UPDATE_AND_CREATE_TOPIC_LIST, waiting.holding(TOPICS_CHANGE, topics::updateAll))
                .on(Rpcs.DELETE_TOPIC_IN_BROKER, waiting.holding(TOPICS_CHANGE, topics::delete))
                .on(Rpcs.GET_TOPIC_CONFIG, topics::describe)
                .on(Rpcs.GET_ALL_TOPIC_CONFIG, topics::all)
                .on(Rpcs.GET_SYSTEM_TOPIC_LIST_FROM_BROKER, topics::systemTopics)
                .on(Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, waiting.holding(GROUPS_CHANGE, groups::update))
                .on(Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST, waiting.holding(GROUPS_CHANGE, groups::updateAll))
                .on(Rpcs.DELETE_SUBSCRIPTIONGROUP, waiting.holding(GROUPS_CHANGE, groups::delete))
                .on(Rpcs.GET_SUBSCRIPTIONGROUP_CONFIG, groups::describe)
                .on(Rpcs.GET_ALL_SUBSCRIPTIONGROUP_CONFIG, groups::all);
    }

    private static void addProgress(HandlerTable.Builder table, BrokerCore core) {
        ColdReaders cold = core.store.coldReaders();
        QueuePositionHandlers positions = new QueuePositionHandlers(core.store.queues(), core.times, core.gate, cold);
        Progress.Sources sources = new Progress.Sources(
                core.topics,
                core.commits,
                core.pullPositions,
                core.store.queues(),
                core.times,
                core.clients,
                core.stats);
        ProgressHandlers progress =
                new ProgressHandlers(new Progress(sources, core.identity), core.topics, core.identity, core.gate, cold);
        OffsetAdminHandlers offsets = new OffsetAdminHandlers(core.offsets, core.commits, core.groups, core.clients);
        ResetHandler reset = new ResetHandler(
                new ResetHandler.Sources(
                        core.topics, core.groups, core.commits, core.store.queues(), core.clients, cold),
                core.identity);
        table.on(Rpcs.SEARCH_OFFSET_BY_TIMESTAMP, positions::byTime)
                .on(Rpcs.GET_MAX_OFFSET, positions::max)
                .on(Rpcs.GET_MIN_OFFSET, positions::min)
                .on(Rpcs.GET_EARLIEST_MSG_STORETIME, positions::earliestTime)
                .on(Rpcs.GET_TOPIC_STATS_INFO, progress::topic)
                .on(Rpcs.GET_CONSUME_STATS, progress::group)
                .on(Rpcs.GET_BROKER_CONSUME_STATS, progress::all)
                .on(Rpcs.QUERY_CONSUME_TIME_SPAN, new TimeSpanHandler(sources, cold, core.identity, core.clock))
                .on(Rpcs.GET_ALL_CONSUMER_OFFSET, offsets::all)
                .on(Rpcs.GET_ALL_DELAY_OFFSET, offsets::delays)
                .on(Rpcs.INVOKE_BROKER_TO_RESET_OFFSET, core.waiting.holding(OFFSETS_CHANGE, reset))
                .on(Rpcs.CLONE_GROUP_OFFSET, core.waiting.holding(OFFSETS_CHANGE, offsets::copy));
    }

    private static void addBroker(HandlerTable.Builder table, BrokerCore core, RuntimeInfo info) {
        ColdReaders cold = core.store.coldReaders();
        ConnectionHandlers connections = new ConnectionHandlers(core.clients, core.commits, core.identity);
        RelayHandlers relay = new RelayHandlers(core.clients, core.frames, cold, core.clock);
        ConfigHandlers config = new ConfigHandlers(core.live, cold, core::configChanged);
        BrokerHandlers broker = new BrokerHandlers(info, core.stats, cold);
        MaintenanceHandlers maintenance = new MaintenanceHandlers(core.store.queues(), cold, core.store::deleteExpired);
        table.on(Rpcs.GET_CONSUMER_CONNECTION_LIST, connections::consumers)
                .on(Rpcs.GET_PRODUCER_CONNECTION_LIST, connections::producers)
                .on(Rpcs.GET_ALL_PRODUCER_INFO, connections::allProducers)
                .on(Rpcs.QUERY_TOPIC_CONSUME_BY_WHO, connections::groupsOfTopic)
                .on(Rpcs.QUERY_TOPICS_BY_CONSUMER, connections::topicsOfGroup)
                .on(Rpcs.QUERY_SUBSCRIPTION_BY_CONSUMER, connections::subscription)
                .on(Rpcs.GET_CONSUMER_RUNNING_INFO, relay::runningInfo)
                .on(Rpcs.CONSUME_MESSAGE_DIRECTLY, relay::consumeDirectly)
                .on(Rpcs.INVOKE_BROKER_TO_GET_CONSUMER_STATUS, relay::consumerStatus)
                .on(Rpcs.UPDATE_BROKER_CONFIG, config::update)
                .on(Rpcs.GET_BROKER_CONFIG, config::show)
                .on(Rpcs.GET_BROKER_RUNTIME_INFO, broker::runtimeInfo)
                .on(Rpcs.GET_BROKER_HA_STATUS, new HaStatusHandler(core.replication.part()::status))
                .on(Rpcs.VIEW_BROKER_STATS_DATA, broker::statistic)
                .on(Rpcs.QUERY_CONSUME_QUEUE, maintenance::entries)
                .on(Rpcs.CLEAN_UNUSED_TOPIC, maintenance::clean)
                .on(Rpcs.CLEAN_EXPIRED_CONSUMEQUEUE, maintenance::clean)
                .on(Rpcs.DELETE_EXPIRED_COMMITLOG, maintenance::clean);
    }
}
