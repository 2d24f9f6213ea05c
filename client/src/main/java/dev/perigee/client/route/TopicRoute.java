package dev.perigee.client.route;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.InOrder;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.topic.Permission;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The queues of one topic and the brokers that hold them.
 *
 * @param topic the topic
 * @param publishQueues the queues to send to, in publishing order: those of brokers with a master, or, where none has one, of all
 * @param subscribeQueues the queues to consume, sorted
 * @param brokers the brokers by name
 * @param isProvisional whether the topic does not exist yet and the route is borrowed from the template topic
 */
@Immutable
public record TopicRoute(
        String topic,
        List<MessageQueue> publishQueues,
        List<MessageQueue> subscribeQueues,
        Map<String, BrokerData> brokers,
        boolean isProvisional) {
    public TopicRoute {
        publishQueues = List.copyOf(publishQueues);
        subscribeQueues = List.copyOf(subscribeQueues);
        brokers = InOrder.copyOf(brokers);
    }

    /** Reads a NameServer's answer, client-behaviour §1. */
    static TopicRoute of(String topic, TopicRouteData data) {
        Map<String, BrokerData> brokers = brokersByName(data);
        return new TopicRoute(topic, publishQueues(topic, data, brokers), subscribeQueues(topic, data), brokers, false);
    }

    /** Reads the template topic's route as that of a topic still to be created, with at most so many queues a broker. */
    static TopicRoute provisional(String topic, TopicRouteData template, int maxQueues) {
        List<QueueData> capped = template.queueDatas().stream()
                .map(q -> new QueueData(
                        q.brokerName(),
                        Math.min(q.readQueueNums(), maxQueues),
                        Math.min(q.writeQueueNums(), maxQueues),
                        q.perm(),
                        q.topicSysFlag()))
                .toList();
        TopicRouteData data = TopicRouteData.of(capped, template.brokerDatas(), null);
        Map<String, BrokerData> brokers = brokersByName(data);
        return new TopicRoute(topic, publishQueues(topic, data, brokers), subscribeQueues(topic, data), brokers, true);
    }

    private static Map<String, BrokerData> brokersByName(TopicRouteData data) {
        return data.brokerDatas().stream().collect(Collectors.toMap(BrokerData::brokerName, b -> b, (a, b) -> b));
    }

    private static List<MessageQueue> publishQueues(
            String topic, TopicRouteData data, Map<String, BrokerData> brokers) {
        String orderConf = data.orderTopicConf();
        if (orderConf != null && !orderConf.isBlank()) {
            return orderedQueues(topic, orderConf);
        }
        List<MessageQueue> queues = queuesToWrite(topic, data, brokers, true);
        return queues.isEmpty() ? queuesToWrite(topic, data, brokers, false) : queues;
    }

    /** While no broker of the topic has a master, as when a group is electing one, sends wait for one. */
    private static List<MessageQueue> queuesToWrite(
            String topic, TopicRouteData data, Map<String, BrokerData> brokers, boolean withMaster) {
        List<MessageQueue> queues = new ArrayList<>();
        data.queueDatas().stream()
                .filter(q -> (q.perm() & Permission.WRITE) != 0)
                .filter(q -> withMaster ? hasMaster(brokers, q.brokerName()) : hasAny(brokers, q.brokerName()))
                .sorted(Comparator.comparing(QueueData::brokerName))
                .forEach(q -> addQueues(queues, topic, q.brokerName(), q.writeQueueNums()));
        return queues;
    }

    /** {@code broker-a:4;broker-b:2}: exactly these queues, whatever else the route says. */
    private static List<MessageQueue> orderedQueues(String topic, String orderConf) {
        List<MessageQueue> queues = new ArrayList<>();
        for (String piece : orderConf.split(";", -1)) {
            int colon = piece.lastIndexOf(':');
            if (colon > 0) {
                addQueues(queues, topic, piece.substring(0, colon), parseCount(piece.substring(colon + 1)));
            }
        }
        return queues;
    }

    private static int parseCount(String text) {
        try {
            return Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            return 0; // an unreadable piece of an operator's order configuration offers no queue
        }
    }

    private static List<MessageQueue> subscribeQueues(String topic, TopicRouteData data) {
        List<MessageQueue> queues = new ArrayList<>();
        data.queueDatas().stream()
                .filter(q -> (q.perm() & Permission.READ) != 0)
                .sorted(Comparator.comparing(QueueData::brokerName))
                .forEach(q -> addQueues(queues, topic, q.brokerName(), q.readQueueNums()));
        return queues;
    }

    private static boolean hasMaster(Map<String, BrokerData> brokers, String brokerName) {
        BrokerData broker = brokers.get(brokerName);
        return broker != null && broker.masterAddress() != null;
    }

    private static boolean hasAny(Map<String, BrokerData> brokers, String brokerName) {
        BrokerData broker = brokers.get(brokerName);
        return broker != null && broker.addressToRead() != null;
    }

    private static void addQueues(List<MessageQueue> queues, String topic, String brokerName, int count) {
        for (int i = 0; i < count; i++) {
            queues.add(new MessageQueue(topic, brokerName, i));
        }
    }
}
