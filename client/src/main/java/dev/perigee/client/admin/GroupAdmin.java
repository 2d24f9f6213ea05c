package dev.perigee.client.admin;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
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
import dev.perigee.remoting.call.Answer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
        Map<String, SubscriptionGroupConfig> groups = new TreeMap<>();
        for (String address : calls.masters("")) {
            groups.putAll(allConfigs(address).subscriptionGroupTable());
        }
        return groups;
    }

    /** All group configurations of one broker. */
    public SubscriptionGroupTable allConfigs(String address) throws ClientException {
        return calls.read(
                address,
                Rpcs.GET_ALL_SUBSCRIPTIONGROUP_CONFIG,
                new AllGroupConfigHeader(null, null, null),
                AdminCalls.NO_TOPIC,
                SubscriptionGroupTable.class);
    }

    /** A group's configuration on one broker. A broker that creates groups by itself may create it by this question. */
    public SubscriptionGroupConfig config(String group, String address) throws ClientException {
        return calls.read(
                address,
                Rpcs.GET_SUBSCRIPTIONGROUP_CONFIG,
                new GroupHeader(group),
                AdminCalls.NO_TOPIC,
                SubscriptionGroupConfig.class);
    }

    /** Creates a group, or changes it, on the masters of all clusters. */
    public void createOrUpdate(SubscriptionGroupConfig config) throws ClientException {
        createOrUpdate(config, calls.masters(""));
    }

    /** Creates a group, or changes it, on the brokers at these addresses. */
    public void createOrUpdate(SubscriptionGroupConfig config, List<String> addresses) throws ClientException {
        calls.demandAll(
                addresses,
                Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP,
                NoHeader.NONE,
                Json.write(config),
                AdminCalls.NO_TOPIC);
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
        for (String address : calls.masters("")) {
            SubscriptionGroupConfig known =
                    allConfigs(address).subscriptionGroupTable().get(group);
            settings.put(address, change.apply(known == null ? SubscriptionGroupConfig.of(group) : known));
        }
        for (Map.Entry<String, SubscriptionGroupConfig> each : settings.entrySet()) {
            createOrUpdate(each.getValue(), List.of(each.getKey()));
        }
        return settings;
    }

    /** Deletes a group on all brokers, with its offsets if asked. */
    public void delete(String group, boolean withOffsets) throws ClientException {
        calls.demandAll(
                calls.masters(""),
                Rpcs.DELETE_SUBSCRIPTIONGROUP,
                new DeleteGroupHeader(group, withOffsets),
                null,
                AdminCalls.NO_TOPIC);
    }

    /** The members of a group at one broker and what they subscribe to. Refused with 206 when none is connected. */
    public ConsumerConnection connections(String group, String address) throws ClientException {
        return calls.read(
                address,
                Rpcs.GET_CONSUMER_CONNECTION_LIST,
                new ConsumerGroupHeader(group),
                AdminCalls.NO_TOPIC,
                ConsumerConnection.class);
    }

    /** The members of a group at the first broker that knows any. Refused with 206 when none is connected anywhere. */
    public ConsumerConnection connections(String group) throws ClientException {
        List<String> masters = calls.masters("");
        Answer<?> answer = calls.ask(
                masters.get(0), Rpcs.GET_CONSUMER_CONNECTION_LIST, new ConsumerGroupHeader(group), AdminCalls.NO_TOPIC);
        String asked = masters.get(0);
        for (int i = 1; i < masters.size() && !answer.isOk(); i++) {
            asked = masters.get(i);
            answer = calls.ask(
                    asked, Rpcs.GET_CONSUMER_CONNECTION_LIST, new ConsumerGroupHeader(group), AdminCalls.NO_TOPIC);
        }
        FailureSite site = new FailureSite(asked, AdminCalls.NO_TOPIC, masters.size(), 0);
        if (!answer.isOk()) {
            throw Failures.refused(answer, answer.code() == ResponseCode.CONSUMER_NOT_ONLINE, site);
        }
        return AdminCalls.read(answer.body(), ConsumerConnection.class, site);
    }

    /** The producers of a producer group at one broker. */
    public ProducerConnection producers(String producerGroup, String address) throws ClientException {
        return calls.read(
                address,
                Rpcs.GET_PRODUCER_CONNECTION_LIST,
                new ProducerGroupHeader(producerGroup),
                AdminCalls.NO_TOPIC,
                ProducerConnection.class);
    }

    /** How far a group is in every topic it consumes, from all brokers. */
    public ConsumeStats progress(String group) throws ClientException {
        return progress(group, "", calls.masters(""));
    }

    /** How far a group is in one topic, from all brokers that hold it. */
    public ConsumeStats progress(String group, String topic) throws ClientException {
        return progress(group, topic, calls.mastersOf(topic));
    }

    private ConsumeStats progress(String group, String topic, List<String> addresses) throws ClientException {
        Map<MessageQueue, QueueProgress> queues = new HashMap<>();
        double tps = 0;
        var header = new ConsumeStatsHeader(group, topic.isEmpty() ? null : topic, null);
        for (String address : addresses) {
            ConsumeStats part = calls.read(address, Rpcs.GET_CONSUME_STATS, header, topic, ConsumeStats.class);
            queues.putAll(part.offsetTable());
            tps += part.consumeTps();
        }
        return new ConsumeStats(queues, tps);
    }

    /** First, last and consumed time of every queue of a topic. */
    public List<QueueTimeSpan> timeSpans(String group, String topic) throws ClientException {
        List<QueueTimeSpan> spans = new ArrayList<>();
        for (String address : calls.mastersOf(topic)) {
            spans.addAll(calls.read(
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
        Set<String> topics = new TreeSet<>();
        for (String address : calls.masters("")) {
            Answer<?> answer =
                    calls.ask(address, Rpcs.QUERY_TOPICS_BY_CONSUMER, new GroupHeader(group), AdminCalls.NO_TOPIC);
            if (answer.isOk() && answer.body().length > 0) {
                FailureSite site = new FailureSite(address, AdminCalls.NO_TOPIC, 1, 0);
                topics.addAll(
                        AdminCalls.read(answer.body(), TopicList.class, site).topicList());
            }
        }
        return topics;
    }

    /** The stored position of a group in a queue, if there is one. */
    public OptionalLong offset(String group, MessageQueue queue) throws ClientException {
        String address = calls.masterOf(queue.brokerName(), queue.topic());
        Answer<OffsetResponse> answer = calls.ask(
                address,
                Rpcs.QUERY_CONSUMER_OFFSET,
                new QueryOffsetHeader(group, queue.topic(), queue.queueId(), false),
                queue.topic());
        if (answer.code() == ResponseCode.QUERY_NOT_FOUND) {
            return OptionalLong.empty();
        }
        if (!answer.isOk()) {
            throw Failures.refused(answer, false, new FailureSite(address, queue.topic(), 1, 0));
        }
        return OptionalLong.of(answer.require().offset());
    }

    /** Sets the position of a group in a queue. */
    public void updateOffset(String group, MessageQueue queue, long offset) throws ClientException {
        calls.demand(
                calls.masterOf(queue.brokerName(), queue.topic()),
                Rpcs.UPDATE_CONSUMER_OFFSET,
                new UpdateOffsetHeader(group, queue.topic(), queue.queueId(), offset),
                null,
                queue.topic());
    }

    /** Copies the positions of one group to another; an empty topic means all. */
    public void cloneOffsets(String fromGroup, String toGroup, String topic) throws ClientException {
        List<String> addresses = topic.isEmpty() ? calls.masters("") : calls.mastersOf(topic);
        calls.demandAll(
                addresses,
                Rpcs.CLONE_GROUP_OFFSET,
                new CloneOffsetHeader(fromGroup, toGroup, topic.isEmpty() ? null : topic, true),
                null,
                topic.isEmpty() ? AdminCalls.NO_TOPIC : topic);
    }

    /** What a connected member says about itself; the broker relays the question. */
    public ConsumerRunningInfo runningInfo(String group, String clientId, boolean withStacks, String address)
            throws ClientException {
        return calls.read(
                address,
                Rpcs.GET_CONSUMER_RUNNING_INFO,
                new RunningInfoHeader(group, clientId, withStacks),
                AdminCalls.NO_TOPIC,
                ConsumerRunningInfo.class);
    }

    /** The positions connected members report for a topic; the broker relays the question. */
    public Map<String, Map<MessageQueue, Long>> memberPositions(String group, String topic, String address)
            throws ClientException {
        return calls.read(
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
        return calls.read(
                address,
                Rpcs.CONSUME_MESSAGE_DIRECTLY,
                new ConsumeDirectlyHeader(group, clientId, offsetMessageId, null, null, null, null),
                AdminCalls.NO_TOPIC,
                ConsumeDirectlyResult.class);
    }
}
