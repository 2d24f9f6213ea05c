package dev.perigee.client.admin;

import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumeDirectlyResult;
import dev.perigee.protocol.client.ConsumerConnection;
import dev.perigee.protocol.client.ConsumerRunningInfo;
import dev.perigee.protocol.client.ProducerConnection;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.group.SubscriptionGroupTable;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.client.ConsumerStatusHeader;
import dev.perigee.protocol.header.client.ProducerGroupHeader;
import dev.perigee.protocol.header.client.RunningInfoHeader;
import dev.perigee.protocol.header.group.AllGroupConfigHeader;
import dev.perigee.protocol.header.group.ConsumeStatsHeader;
import dev.perigee.protocol.header.group.ConsumeTimeSpanHeader;
import dev.perigee.protocol.header.group.DeleteGroupHeader;
import dev.perigee.protocol.header.group.GroupHeader;
import dev.perigee.protocol.header.offset.CloneOffsetHeader;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.TopicList;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ConsumeStats;
import dev.perigee.protocol.stats.ConsumeTimeSpan;
import dev.perigee.protocol.stats.ConsumerStatusBody;
import dev.perigee.protocol.stats.QueueProgress;
import dev.perigee.protocol.stats.QueueTimeSpan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** Consumer groups: configuration, members, progress and positions. All methods block up to the admin timeout. */
@ThreadSafe
public final class GroupAdmin {
    private final AdminCalls calls;

    GroupAdmin(AdminCalls calls) {
        this.calls = calls;
    }

    /** All groups of all brokers by name; a group with different settings on two brokers is shown as on one of them. */
    public Map<String, SubscriptionGroupConfig> list() throws ClientException {
        AdminOperation operation = calls.begin();
        Map<String, SubscriptionGroupConfig> groups = new TreeMap<>();
        for (String address : operation.masters("")) {
            groups.putAll(allConfigs(operation, address).subscriptionGroupTable());
        }
        return groups;
    }

    /** All group configurations of one broker. */
    public SubscriptionGroupTable allConfigs(String address) throws ClientException {
        return allConfigs(calls.begin(), address);
    }

    private static SubscriptionGroupTable allConfigs(AdminOperation operation, String address) throws ClientException {
        return operation.read(
                address,
                Rpcs.GET_ALL_SUBSCRIPTIONGROUP_CONFIG,
                new AllGroupConfigHeader(null, null, null),
                AdminOperation.NO_TOPIC,
                SubscriptionGroupTable.class);
    }

    /** A group's configuration on one broker. A broker that creates groups by itself may create it by this question. */
    public SubscriptionGroupConfig config(String group, String address) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.read(
                address,
                Rpcs.GET_SUBSCRIPTIONGROUP_CONFIG,
                new GroupHeader(group),
                AdminOperation.NO_TOPIC,
                SubscriptionGroupConfig.class);
    }

    /** Creates a group, or changes it, on the masters of all clusters. */
    public void createOrUpdate(SubscriptionGroupConfig config) throws ClientException {
        AdminOperation operation = calls.begin();
        createOrUpdate(operation, config, operation.masters(""));
    }

    /** Creates a group, or changes it, on the brokers at these addresses. */
    public void createOrUpdate(SubscriptionGroupConfig config, List<String> addresses) throws ClientException {
        createOrUpdate(calls.begin(), config, addresses);
    }

    private static void createOrUpdate(AdminOperation operation, SubscriptionGroupConfig config, List<String> addresses)
            throws ClientException {
        operation.demandAll(
                addresses,
                Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP,
                NoHeader.NONE,
                Json.write(config),
                AdminOperation.NO_TOPIC);
    }

    /**
     * Creates a group on the masters of all clusters, or changes of its settings there what the change changes and nothing
     * else.
     *
     * @param change gets the settings of one broker, the default ones where the group is new
     * @return the settings afterwards by the address of the broker
     */
    public Map<String, SubscriptionGroupConfig> put(String group, UnaryOperator<SubscriptionGroupConfig> change)
            throws ClientException {
        Map<String, SubscriptionGroupConfig> settings = new TreeMap<>();
        AdminOperation operation = calls.begin();
        for (String address : operation.masters("")) {
            SubscriptionGroupConfig known =
                    allConfigs(operation, address).subscriptionGroupTable().get(group);
            settings.put(address, change.apply(known == null ? SubscriptionGroupConfig.of(group) : known));
        }
        for (Map.Entry<String, SubscriptionGroupConfig> each : settings.entrySet()) {
            createOrUpdate(operation, each.getValue(), List.of(each.getKey()));
        }
        return settings;
    }

    /** Deletes a group on all brokers, with its offsets if asked. */
    public void delete(String group, boolean withOffsets) throws ClientException {
        AdminOperation operation = calls.begin();
        operation.demandAll(
                operation.masters(""),
                Rpcs.DELETE_SUBSCRIPTIONGROUP,
                new DeleteGroupHeader(group, withOffsets),
                null,
                AdminOperation.NO_TOPIC);
    }

    /** The members of a group at one broker and what they subscribe to. Refused with 206 when none is connected. */
    public ConsumerConnection connections(String group, String address) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.read(
                address,
                Rpcs.GET_CONSUMER_CONNECTION_LIST,
                new ConsumerGroupHeader(group),
                AdminOperation.NO_TOPIC,
                ConsumerConnection.class);
    }

    /** The members of a group at the first broker that knows any. Refused with 206 when none is connected anywhere. */
    public ConsumerConnection connections(String group) throws ClientException {
        AdminOperation operation = calls.begin();
        List<String> masters = operation.masters("");
        Answered<?> answered = null;
        for (int i = 0; i < masters.size() && (answered == null || !answered.isOk()); i++) {
            Answered<?> said = operation.ask(
                    masters.get(i),
                    Rpcs.GET_CONSUMER_CONNECTION_LIST,
                    new ConsumerGroupHeader(group),
                    AdminOperation.NO_TOPIC);
            answered = new Answered<>(said.answer(), said.site().withAttempt(i + 1));
        }
        Answered<?> last = Objects.requireNonNull(answered, "a cluster without masters fails above");
        if (!last.isOk()) {
            throw last.refused(last.code() == ResponseCode.CONSUMER_NOT_ONLINE);
        }
        return last.read(ConsumerConnection.class);
    }

    /** The producers of a producer group at one broker. */
    public ProducerConnection producers(String producerGroup, String address) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.read(
                address,
                Rpcs.GET_PRODUCER_CONNECTION_LIST,
                new ProducerGroupHeader(producerGroup),
                AdminOperation.NO_TOPIC,
                ProducerConnection.class);
    }

    /** How far a group is in every topic it consumes, from all brokers. */
    public ConsumeStats progress(String group) throws ClientException {
        AdminOperation operation = calls.begin();
        return progress(operation, group, "", operation.masters(""));
    }

    /** How far a group is in one topic, from all brokers that hold it. */
    public ConsumeStats progress(String group, String topic) throws ClientException {
        AdminOperation operation = calls.begin();
        return progress(operation, group, topic, operation.mastersOf(topic));
    }

    private static ConsumeStats progress(AdminOperation operation, String group, String topic, List<String> addresses)
            throws ClientException {
        Map<MessageQueue, QueueProgress> queues = new HashMap<>();
        double tps = 0;
        var header = new ConsumeStatsHeader(group, topic.isEmpty() ? null : topic, null);
        for (String address : addresses) {
            ConsumeStats part = operation.read(
                    address,
                    Rpcs.GET_CONSUME_STATS,
                    header,
                    topic.isEmpty() ? AdminOperation.NO_TOPIC : topic,
                    ConsumeStats.class);
            queues.putAll(part.offsetTable());
            tps += part.consumeTps();
        }
        return new ConsumeStats(queues, tps);
    }

    /** First, last and consumed time of every queue of a topic. */
    public List<QueueTimeSpan> timeSpans(String group, String topic) throws ClientException {
        AdminOperation operation = calls.begin();
        List<QueueTimeSpan> spans = new ArrayList<>();
        for (String address : operation.mastersOf(topic)) {
            spans.addAll(operation
                    .read(
                            address,
                            Rpcs.QUERY_CONSUME_TIME_SPAN,
                            new ConsumeTimeSpanHeader(topic, group),
                            topic,
                            ConsumeTimeSpan.class)
                    .spans());
        }
        return spans;
    }

    /** The topics a group subscribes to, at any broker. */
    public Set<String> topics(String group) throws ClientException {
        AdminOperation operation = calls.begin();
        Set<String> topics = new TreeSet<>();
        for (String address : operation.masters("")) {
            Answered<?> answered = operation.ask(
                    address, Rpcs.QUERY_TOPICS_BY_CONSUMER, new GroupHeader(group), AdminOperation.NO_TOPIC);
            if (answered.isOk() && answered.answer().body().length > 0) {
                topics.addAll(answered.read(TopicList.class).topicList());
            }
        }
        return topics;
    }

    /** The stored position of a group in a queue, if there is one. */
    public OptionalLong offset(String group, MessageQueue queue) throws ClientException {
        AdminOperation operation = calls.begin();
        String address = operation.masterOf(queue.brokerName(), queue.topic());
        Answered<OffsetResponse> answered = operation.ask(
                address,
                Rpcs.QUERY_CONSUMER_OFFSET,
                new QueryOffsetHeader(group, queue.topic(), queue.queueId(), false),
                queue.topic());
        if (answered.code() == ResponseCode.QUERY_NOT_FOUND) {
            return OptionalLong.empty();
        }
        if (!answered.isOk()) {
            throw answered.refused(false);
        }
        return OptionalLong.of(answered.answer().require().offset());
    }

    /** Sets the position of a group in a queue. */
    public void updateOffset(String group, MessageQueue queue, long offset) throws ClientException {
        AdminOperation operation = calls.begin();
        operation.demand(
                operation.masterOf(queue.brokerName(), queue.topic()),
                Rpcs.UPDATE_CONSUMER_OFFSET,
                new UpdateOffsetHeader(group, queue.topic(), queue.queueId(), offset),
                null,
                queue.topic());
    }

    /** Copies the positions of one group to another; an empty topic means all. */
    public void cloneOffsets(String fromGroup, String toGroup, String topic) throws ClientException {
        AdminOperation operation = calls.begin();
        List<String> addresses = topic.isEmpty() ? operation.masters("") : operation.mastersOf(topic);
        operation.demandAll(
                addresses,
                Rpcs.CLONE_GROUP_OFFSET,
                new CloneOffsetHeader(fromGroup, toGroup, topic.isEmpty() ? null : topic, true),
                null,
                topic.isEmpty() ? AdminOperation.NO_TOPIC : topic);
    }

    /** What a connected member says about itself; the broker relays the question. */
    public ConsumerRunningInfo runningInfo(String group, String clientId, boolean withStacks, String address)
            throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.read(
                address,
                Rpcs.GET_CONSUMER_RUNNING_INFO,
                new RunningInfoHeader(group, clientId, withStacks),
                AdminOperation.NO_TOPIC,
                ConsumerRunningInfo.class);
    }

    /** The positions connected members report for a topic; the broker relays the question. */
    public Map<String, Map<MessageQueue, Long>> memberPositions(String group, String topic, String address)
            throws ClientException {
        AdminOperation operation = calls.begin();
        return operation
                .read(
                        address,
                        Rpcs.INVOKE_BROKER_TO_GET_CONSUMER_STATUS,
                        new ConsumerStatusHeader(topic, group, null),
                        topic,
                        ConsumerStatusBody.class)
                .consumerTable();
    }

    /** Has one member consume one stored message now, named by its offset message id; the broker relays it. */
    public ConsumeDirectlyResult consumeDirectly(String group, String clientId, String offsetMessageId, String address)
            throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.read(
                address,
                Rpcs.CONSUME_MESSAGE_DIRECTLY,
                new ConsumeDirectlyHeader(group, clientId, offsetMessageId, null, null, null, null),
                AdminOperation.NO_TOPIC,
                ConsumeDirectlyResult.class);
    }
}
