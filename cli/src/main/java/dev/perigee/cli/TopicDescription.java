package dev.perigee.cli;

import dev.perigee.cli.output.Column;
import dev.perigee.cli.output.Printer;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.stats.QueueStats;
import dev.perigee.protocol.stats.TopicStatsTable;
import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.TopicConfig;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the servers say about one topic: its configuration on each broker and the ends of its queues.
 *
 * @param orderConf the order of its queues as name servers keep it; null for none
 * @param putTps messages a second that come in
 */
@Immutable
record TopicDescription(
        String topic, @Nullable String orderConf, double putTps, List<OnBroker> configuration, List<QueueLine> queues) {
    /** The columns of the queues. */
    private static final List<Column<QueueLine>> QUEUES = List.of(
            Column.text("Broker", "broker", line -> line.queue().brokerName()),
            Column.number("Queue", "queue", line -> line.queue().queueId()),
            Column.number("First", "minOffset", line -> line.stats().minOffset()),
            Column.number("End", "maxOffset", line -> line.stats().maxOffset()),
            Column.number("Messages", "messages", QueueLine::messages),
            Column.text("Last message", "lastStored", QueueLine::lastStored));

    /** The members of the configuration on one broker. */
    private static final List<Column<OnBroker>> CONFIGURATION = List.of(
            Column.json("broker", on -> on.route().brokerName()),
            Column.json("address", OnBroker::address),
            Column.json("readQueues", on -> on.route().readQueueNums()),
            Column.json("writeQueues", on -> on.route().writeQueueNums()),
            Column.json("perm", on -> Permission.text(on.route().perm())),
            Column.json("sysFlag", on -> on.route().topicSysFlag()),
            Column.json(
                    "filterType",
                    on -> on.own().map(own -> own.topicFilterType().name()).orElse(null)),
            Column.json("ordered", on -> on.own().map(TopicConfig::order).orElse(null)),
            Column.json(
                    "attributes",
                    on -> on.own().map(own -> new TreeMap<>(own.attributes())).orElse(null)));

    TopicDescription {
        configuration = List.copyOf(configuration);
        queues = List.copyOf(queues);
    }

    /**
     * The topic on one broker.
     *
     * @param route what name servers say
     * @param address of its master; null when it has none
     * @param own what the broker says; empty when it cannot, as before 5.0
     */
    private record OnBroker(QueueData route, @Nullable String address, Optional<TopicConfig> own) {
        private String sentence() {
            return route.writeQueueNums() + " write and " + route.readQueueNums() + " read queues, "
                    + Permission.text(route.perm()) + " on " + route.brokerName();
        }
    }

    /** One queue with its ends. */
    private record QueueLine(MessageQueue queue, QueueStats stats) {
        private long messages() {
            return stats.maxOffset() - Math.max(0, stats.minOffset());
        }

        private @Nullable String lastStored() {
            long timestampMs = stats.lastUpdateTimestamp();
            return timestampMs <= 0 ? null : Instant.ofEpochMilli(timestampMs).toString();
        }
    }

    /** Asks every broker of the route. Blocks. */
    static TopicDescription of(AdminClient admin, String topic, TopicRouteData route) throws ClientException {
        List<OnBroker> configuration = new ArrayList<>();
        for (QueueData queues : route.queueDatas()) {
            String address = route.brokerDatas().stream()
                    .filter(broker -> broker.brokerName().equals(queues.brokerName()))
                    .findFirst()
                    .map(BrokerData::masterAddress)
                    .orElse(null);
            configuration.add(new OnBroker(queues, address, ownConfiguration(admin, topic, address)));
        }
        TopicStatsTable stats = admin.topics().stats(topic);
        List<QueueLine> lines = new ArrayList<>();
        new TreeMap<>(stats.offsetTable()).forEach((queue, ends) -> lines.add(new QueueLine(queue, ends)));
        return new TopicDescription(topic, route.orderTopicConf(), stats.topicPutTps(), configuration, lines);
    }

    private static Optional<TopicConfig> ownConfiguration(AdminClient admin, String topic, @Nullable String address)
            throws ClientException {
        if (address == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(admin.topics().config(topic, address));
        } catch (RefusedException e) {
            return Optional.empty(); // it does not know the request
        }
    }

    /** A sentence and a table, or one object with everything. */
    void print(Printer printer) {
        long messages = queues.stream().mapToLong(QueueLine::messages).sum();
        if (printer.isJson()) {
            Map<String, Object> whole = new LinkedHashMap<>();
            whole.put("topic", topic);
            whole.put("messages", messages);
            whole.put("putTps", putTps);
            if (orderConf != null) {
                whole.put("orderConf", orderConf);
            }
            whole.put("configuration", Printer.objects(configuration, CONFIGURATION));
            whole.put("queues", Printer.objects(queues, QUEUES));
            printer.json(whole);
            return;
        }
        List<String> brokers = configuration.stream().map(OnBroker::sentence).toList();
        printer.line("topic " + topic + ": " + String.join("; ", brokers) + ", " + messages + " messages");
        printer.rows(queues, QUEUES, "no queues");
    }
}
