package dev.perigee.broker.metrics;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.stats.Flow;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicName;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;

/** The metrics of a broker; counters get {@code _total} appended by the library. */
@Immutable
public final class BrokerMetrics {
    private static final String[] NODE_LABELS = {"cluster", "node_type", "node_id"};
    private static final String[] TOPIC_LABELS = {"cluster", "node_type", "node_id", "topic", "is_retry", "is_system"};
    private static final String[] READER_LABELS = {
        "cluster", "node_type", "node_id", "topic", "consumer_group", "is_retry", "is_system"
    };
    private static final String NODE_TYPE = "broker";

    private final BrokerIdentity identity;
    private final MetricSources from;

    /** The metrics of this broker; figures are asked for at each scrape, on the endpoint's threads. */
    public BrokerMetrics(BrokerIdentity identity, MetricSources from) {
        this.identity = identity;
        this.from = from;
    }

    /** Registers all of them, once per registry. */
    public void register(PrometheusRegistry registry) {
        registerNames(registry);
        registerStore(registry);
        registerFlows(registry);
        new ReplicationMetrics(identity, from.replication()).register(registry);
        new GroupMetrics(identity, from.group()).register(registry);
    }

    private void registerNames(PrometheusRegistry registry) {
        gauge(
                registry,
                "rocketmq_topic_number",
                "Topics",
                () -> from.topics().current().byName().size());
        gauge(
                registry,
                "rocketmq_consumer_group_number",
                "Consumer groups",
                () -> from.groups().current().byName().size());
        gauge(
                registry,
                "rocketmq_broker_permission",
                "Permission bits",
                () -> from.config().settings().permission());
        gauge(
                registry,
                "rocketmq_producer_connections",
                "Connected producers",
                () -> from.clients().allProducers().values().stream()
                        .mapToInt(List::size)
                        .sum());
        gauge(
                registry,
                "rocketmq_consumer_connections",
                "Connected consumers",
                () -> from.clients().allConsumers().stream()
                        .mapToInt(group -> group.members().size())
                        .sum());
    }

    private void registerStore(PrometheusRegistry registry) {
        gauge(
                registry,
                "rocketmq_storage_size_bytes",
                "Bytes of the log",
                () -> from.log().endOffset() - from.log().startOffset());
        gauge(
                registry,
                "rocketmq_storage_flush_behind_bytes",
                "Bytes not fsynced yet",
                () -> Math.max(0, from.log().endOffset() - from.log().syncedOffset()));
        gauge(
                registry,
                "rocketmq_storage_dispatch_behind_bytes",
                "Bytes not applied to views yet",
                () -> Math.max(
                        0, from.log().confirmOffset() - from.appliedOffset().getAsLong()));
        gauge(
                registry,
                "perigee_connections",
                "Open connections",
                () -> from.counters().get().openConnections());
    }

    private void registerFlows(PrometheusRegistry registry) {
        topics(
                registry,
                "rocketmq_messages_in",
                "Messages stored",
                flow -> flow.messages().total());
        topics(
                registry,
                "rocketmq_throughput_in",
                "Bytes stored",
                flow -> flow.bytes().total());
        readers(
                registry,
                "rocketmq_messages_out",
                "Messages read",
                flow -> flow.messages().total());
        readers(
                registry,
                "rocketmq_throughput_out",
                "Bytes read",
                flow -> flow.bytes().total());
        deadLetters(registry);
        CounterWithCallback.builder()
                .name("perigee_replies_without_requester")
                .help("Replies that reached nobody")
                .labelNames(NODE_LABELS)
                .callback(out -> out.call(
                        (double) from.stats().repliesWithoutRequester(),
                        identity.cluster(),
                        NODE_TYPE,
                        identity.name()))
                .register(registry);
    }

    private void deadLetters(PrometheusRegistry registry) {
        CounterWithCallback.builder()
                .name("rocketmq_send_to_dlq_messages")
                .help("Messages that became dead letters")
                .labelNames(READER_LABELS)
                .callback(out -> from.stats().deadLetters().pairs().forEach((pair, meter) -> {
                    int at = pair.lastIndexOf('@');
                    String topic = pair.substring(0, at);
                    out.call(
                            (double) meter.total(),
                            identity.cluster(),
                            NODE_TYPE,
                            identity.name(),
                            topic,
                            pair.substring(at + 1),
                            isRetry(topic),
                            isSystem(topic));
                }))
                .register(registry);
    }

    private void gauge(PrometheusRegistry registry, String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(NODE_LABELS)
                .callback(out -> out.call(value.getAsDouble(), identity.cluster(), NODE_TYPE, identity.name()))
                .register(registry);
    }

    private void topics(PrometheusRegistry registry, String name, String help, ToDoubleFunction<Flow> value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(TOPIC_LABELS)
                .callback(out -> from.stats()
                        .topics()
                        .forEach((topic, flow) -> out.call(
                                value.applyAsDouble(flow),
                                identity.cluster(),
                                NODE_TYPE,
                                identity.name(),
                                topic,
                                isRetry(topic),
                                isSystem(topic))))
                .register(registry);
    }

    private void readers(PrometheusRegistry registry, String name, String help, ToDoubleFunction<Flow> value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(READER_LABELS)
                .callback(out -> from.stats()
                        .readers()
                        .forEach((topic, groups) -> groups.forEach((group, flow) -> out.call(
                                value.applyAsDouble(flow),
                                identity.cluster(),
                                NODE_TYPE,
                                identity.name(),
                                topic,
                                group,
                                isRetry(topic),
                                isSystem(topic)))))
                .register(registry);
    }

    private static String isRetry(String topic) {
        return Boolean.toString(TopicName.isRetry(topic) || TopicName.isDlq(topic));
    }

    private static String isSystem(String topic) {
        return Boolean.toString(SystemTopic.isSystem(topic));
    }
}
