package dev.perigee.client.admin;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.GroupList;
import dev.perigee.protocol.header.offset.BoundaryType;
import dev.perigee.protocol.header.offset.MaxOffsetHeader;
import dev.perigee.protocol.header.offset.QueueHeader;
import dev.perigee.protocol.header.offset.SearchOffsetHeader;
import dev.perigee.protocol.header.query.QueryConsumeQueueHeader;
import dev.perigee.protocol.header.route.RouteHeader;
import dev.perigee.protocol.header.topic.AllTopicConfigHeader;
import dev.perigee.protocol.header.topic.ClusterHeader;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.header.topic.DeleteTopicInNameServerHeader;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.TopicList;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ConsumeQueueData;
import dev.perigee.protocol.stats.QueueStats;
import dev.perigee.protocol.stats.TopicStatsTable;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicConfigTable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Creating, describing and deleting topics, and the ends of their queues. All methods block up to the admin timeout. */
@ThreadSafe
public final class TopicAdmin {
    private final AdminCalls calls;

    TopicAdmin(AdminCalls calls) {
        this.calls = calls;
    }

    /** Creates a topic, or changes it, on the masters of all clusters. */
    public void createOrUpdate(TopicConfig config) throws ClientException {
        AdminOperation operation = calls.begin();
        createOrUpdate(operation, config, operation.masters(""));
    }

    /** Creates a topic, or changes it, on the masters of one cluster. */
    public void createOrUpdateInCluster(TopicConfig config, String cluster) throws ClientException {
        AdminOperation operation = calls.begin();
        createOrUpdate(operation, config, operation.masters(cluster));
    }

    /** Creates a topic, or changes it, on the brokers at these addresses. */
    public void createOrUpdate(TopicConfig config, List<String> addresses) throws ClientException {
        createOrUpdate(calls.begin(), config, addresses);
    }

    private static void createOrUpdate(AdminOperation operation, TopicConfig config, List<String> addresses)
            throws ClientException {
        var header = new CreateTopicHeader(
                config.topicName(),
                SystemTopic.AUTO_CREATE,
                config.readQueueNums(),
                config.writeQueueNums(),
                config.perm(),
                config.topicFilterType().name(),
                config.topicSysFlag(),
                config.order(),
                attributesText(config.attributes()),
                null);
        operation.demandAll(addresses, Rpcs.UPDATE_AND_CREATE_TOPIC, header, null, config.topicName());
        operation.awaitVisible(config.topicName());
    }

    private static @Nullable String attributesText(Map<String, String> attributes) {
        return attributes.isEmpty()
                ? null
                : new TreeMap<>(attributes)
                        .entrySet().stream()
                                .map(e -> "+" + e.getKey() + "=" + e.getValue())
                                .collect(Collectors.joining(","));
    }

    /** Deletes a topic on every broker that has it, then in every NameServer. */
    public void delete(String topic) throws ClientException {
        AdminOperation operation = calls.begin();
        operation.demandAll(operation.masters(""), Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader(topic), null, topic);
        operation.demandAll(
                operation.nameServers(),
                Rpcs.DELETE_TOPIC_IN_NAMESRV,
                new DeleteTopicInNameServerHeader(topic, null),
                null,
                topic);
        operation.instance().routes().forget(topic);
    }

    /** All topics a NameServer knows. */
    public Set<String> list() throws ClientException {
        AdminOperation operation = calls.begin();
        return new TreeSet<>(operation
                .readFromNameServer(
                        Rpcs.GET_ALL_TOPIC_LIST_FROM_NAMESERVER,
                        NoHeader.NONE,
                        AdminOperation.NO_TOPIC,
                        TopicList.class)
                .topicList());
    }

    /** The topics of one cluster. */
    public Set<String> listOfCluster(String cluster) throws ClientException {
        AdminOperation operation = calls.begin();
        return new TreeSet<>(operation
                .readFromNameServer(
                        Rpcs.GET_TOPICS_BY_CLUSTER,
                        new ClusterHeader(cluster),
                        AdminOperation.NO_TOPIC,
                        TopicList.class)
                .topicList());
    }

    /** The topics the brokers use themselves, and the names of clusters and brokers. */
    public Set<String> listSystem() throws ClientException {
        AdminOperation operation = calls.begin();
        Set<String> names = new TreeSet<>(operation
                .readFromNameServer(
                        Rpcs.GET_SYSTEM_TOPIC_LIST_FROM_NS, NoHeader.NONE, AdminOperation.NO_TOPIC, TopicList.class)
                .topicList());
        for (String address : operation.masters("")) {
            names.addAll(operation
                    .read(
                            address,
                            Rpcs.GET_SYSTEM_TOPIC_LIST_FROM_BROKER,
                            NoHeader.NONE,
                            AdminOperation.NO_TOPIC,
                            TopicList.class)
                    .topicList());
        }
        return names;
    }

    /** Where a topic is, as the NameServer says it. */
    public TopicRouteData route(String topic) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.readFromNameServer(
                Rpcs.GET_ROUTEINFO_BY_TOPIC, new RouteHeader(topic, true, null, null), topic, TopicRouteData.class);
    }

    /** The queues of a topic that can be consumed, sorted. */
    public List<MessageQueue> queues(String topic) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.route(topic).subscribeQueues();
    }

    /** First and last offsets of every queue, from all brokers that hold the topic. */
    public TopicStatsTable stats(String topic) throws ClientException {
        AdminOperation operation = calls.begin();
        Map<MessageQueue, QueueStats> queues = new HashMap<>();
        double putTps = 0;
        for (String address : operation.mastersOf(topic)) {
            TopicStatsTable part = operation.read(
                    address, Rpcs.GET_TOPIC_STATS_INFO, new TopicHeader(topic), topic, TopicStatsTable.class);
            queues.putAll(part.offsetTable());
            putTps += part.topicPutTps();
        }
        return new TopicStatsTable(queues, putTps);
    }

    /** A topic's configuration on one broker. */
    public TopicConfig config(String topic, String address) throws ClientException {
        return config(calls.begin(), topic, address);
    }

    private static TopicConfig config(AdminOperation operation, String topic, String address) throws ClientException {
        return operation.read(
                address, Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader(topic, null), topic, TopicConfig.class);
    }

    /** All topic configurations of one broker. */
    public TopicConfigTable allConfigs(String address) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.read(
                address,
                Rpcs.GET_ALL_TOPIC_CONFIG,
                new AllTopicConfigHeader(null, null, null),
                AdminOperation.NO_TOPIC,
                TopicConfigTable.class);
    }

    /** Changes the permission of a topic on one broker, leaving the rest of its configuration. */
    public void updatePermission(String topic, String address, int permission) throws ClientException {
        AdminOperation operation = calls.begin();
        createOrUpdate(operation, config(operation, topic, address).withPerm(permission), List.of(address));
    }

    /** The groups that consume a topic, or did. */
    public Set<String> consumers(String topic) throws ClientException {
        AdminOperation operation = calls.begin();
        Set<String> groups = new TreeSet<>();
        for (String address : operation.mastersOf(topic)) {
            groups.addAll(operation
                    .read(address, Rpcs.QUERY_TOPIC_CONSUME_BY_WHO, new TopicHeader(topic), topic, GroupList.class)
                    .groupList());
        }
        return groups;
    }

    /** The first offset of a queue. */
    public long minOffset(MessageQueue queue) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation
                .demand(
                        operation.masterOf(queue.brokerName(), queue.topic()),
                        Rpcs.GET_MIN_OFFSET,
                        new QueueHeader(queue.topic(), queue.queueId()),
                        null,
                        queue.topic())
                .require()
                .offset();
    }

    /** The offset the next message of a queue will get. */
    public long maxOffset(MessageQueue queue) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation
                .demand(
                        operation.masterOf(queue.brokerName(), queue.topic()),
                        Rpcs.GET_MAX_OFFSET,
                        new MaxOffsetHeader(queue.topic(), queue.queueId(), true),
                        null,
                        queue.topic())
                .require()
                .offset();
    }

    /** The offset at a store time, milliseconds since 1970. */
    public long searchOffset(MessageQueue queue, long timestampMs, BoundaryType boundary) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation
                .demand(
                        operation.masterOf(queue.brokerName(), queue.topic()),
                        Rpcs.SEARCH_OFFSET_BY_TIMESTAMP,
                        new SearchOffsetHeader(queue.topic(), queue.queueId(), timestampMs, boundary),
                        null,
                        queue.topic())
                .require()
                .offset();
    }

    /** The store time of the first message of a queue, milliseconds since 1970; −1 when it is empty. */
    public long earliestStoreTimeMs(MessageQueue queue) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation
                .demand(
                        operation.masterOf(queue.brokerName(), queue.topic()),
                        Rpcs.GET_EARLIEST_MSG_STORETIME,
                        new QueueHeader(queue.topic(), queue.queueId()),
                        null,
                        queue.topic())
                .require()
                .timestamp();
    }

    /** Entries of a consume queue, as the broker keeps them. */
    public ConsumeQueueData consumeQueue(MessageQueue queue, long index, int count, String group)
            throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.read(
                operation.masterOf(queue.brokerName(), queue.topic()),
                Rpcs.QUERY_CONSUME_QUEUE,
                new QueryConsumeQueueHeader(
                        queue.topic(), queue.queueId(), index, count, group.isEmpty() ? null : group),
                queue.topic(),
                ConsumeQueueData.class);
    }

    /** Whether any NameServer asked knows the topic. */
    public boolean exists(String topic) throws ClientException {
        try {
            route(topic);
            return true;
        } catch (RefusedException e) {
            if (e.code() == ResponseCode.TOPIC_NOT_EXIST) {
                return false;
            }
            throw e;
        }
    }
}
