package dev.perigee.client.admin;

import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.offset.BoundaryType;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ResetOffsetBody;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Setting the positions of a group: what it would do, and doing it. All methods block up to the admin timeout per call. */
@ThreadSafe
public final class OffsetAdmin {
    /** Stands for all brokers that hold the topic. */
    public static final String ALL_BROKERS = "";

    private final AdminCalls calls;
    private final GroupAdmin groups;
    private final TopicAdmin topics;

    OffsetAdmin(AdminCalls calls, GroupAdmin groups, TopicAdmin topics) {
        this.calls = calls;
        this.groups = groups;
        this.topics = topics;
    }

    /**
     * What {@link #reset} would do now, by queue; nothing is changed.
     *
     * @param broker the name of the only broker meant, or {@link #ALL_BROKERS}
     */
    public List<OffsetMove> plan(String group, String topic, String broker, ResetTarget target) throws ClientException {
        List<OffsetMove> moves = new ArrayList<>();
        for (MessageQueue queue : queues(topic, broker)) {
            if (target.queueId() == ResetTarget.ALL_QUEUES || target.queueId() == queue.queueId()) {
                long min = topics.minOffset(queue);
                long end = topics.maxOffset(queue);
                moves.add(new OffsetMove(queue, groups.offset(group, queue), to(queue, target, min, end), min, end));
            }
        }
        return moves;
    }

    private long to(MessageQueue queue, ResetTarget target, long min, long end) throws ClientException {
        if (target.isOffset()) {
            return target.offset();
        }
        if (target.timestampMs() <= 0) {
            return target.timestampMs() == ResetTarget.END ? end : min;
        }
        return topics.searchOffset(queue, target.timestampMs(), BoundaryType.LOWER);
    }

    /**
     * Sets the positions (222), forward too; each broker sets all of its queues or none. Members that are connected go on from
     * there with their next pull.
     *
     * @param broker the name of the only broker meant, or {@link #ALL_BROKERS}
     * @return the new positions by queue
     */
    public Map<MessageQueue, Long> reset(String group, String topic, String broker, ResetTarget target)
            throws ClientException {
        Map<MessageQueue, Long> set = new TreeMap<>();
        AdminOperation operation = calls.begin();
        for (Map.Entry<String, String> master :
                masters(operation, topic, broker).entrySet()) {
            set.putAll(reset(operation, group, topic, master.getKey(), master.getValue(), target));
        }
        return set;
    }

    private Map<MessageQueue, Long> reset(
            AdminOperation operation, String group, String topic, String brokerName, String address, ResetTarget target)
            throws ClientException {
        ResetOffsetHeader header = new ResetOffsetHeader(
                topic,
                group,
                target.timestampMs(),
                true,
                target.queueId(),
                target.isOffset() ? Long.valueOf(target.offset()) : null);
        Answered<?> answered = operation.ask(address, Rpcs.INVOKE_BROKER_TO_RESET_OFFSET, header, topic);
        if (answered.code() == ResponseCode.CONSUMER_NOT_ONLINE) {
            return setOneByOne(group, topic, brokerName, target);
        }
        if (!answered.isOk()) {
            throw answered.refused(false);
        }
        return answered.read(ResetOffsetBody.class).offsetTable();
    }

    /** A stock broker resets only groups that are online; the positions of others are set as a reader would. */
    private Map<MessageQueue, Long> setOneByOne(String group, String topic, String brokerName, ResetTarget target)
            throws ClientException {
        Map<MessageQueue, Long> set = new TreeMap<>();
        for (OffsetMove move : plan(group, topic, brokerName, target)) {
            groups.updateOffset(group, move.queue(), move.to());
            set.put(move.queue(), move.to());
        }
        return set;
    }

    private List<MessageQueue> queues(String topic, String broker) throws ClientException {
        AdminOperation operation = calls.begin();
        List<MessageQueue> queues = operation.route(topic).subscribeQueues().stream()
                .filter(queue -> broker.equals(ALL_BROKERS) || broker.equals(queue.brokerName()))
                .toList();
        if (queues.isEmpty() && !broker.equals(ALL_BROKERS)) {
            throw notThere(operation, topic, broker);
        }
        return queues;
    }

    private static Map<String, String> masters(AdminOperation operation, String topic, String broker)
            throws ClientException {
        TopicRoute route = operation.route(topic);
        Map<String, String> masters = new TreeMap<>();
        for (BrokerData each : route.brokers().values()) {
            String master = each.masterAddress();
            if (master != null && (broker.equals(ALL_BROKERS) || broker.equals(each.brokerName()))) {
                masters.put(each.brokerName(), master);
            }
        }
        if (masters.isEmpty()) {
            throw notThere(operation, topic, broker);
        }
        return masters;
    }

    private static NoRouteException notThere(AdminOperation operation, String topic, String broker) {
        return new NoRouteException(
                broker.equals(ALL_BROKERS)
                        ? "no live master holds the topic"
                        : "broker " + broker + " is no live master that holds the topic",
                operation.untried(topic));
    }
}
