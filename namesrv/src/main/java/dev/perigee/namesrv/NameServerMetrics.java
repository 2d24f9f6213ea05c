package dev.perigee.namesrv;

import dev.perigee.loop.Immutable;
import dev.perigee.namesrv.route.RouteTable;
import dev.perigee.remoting.counter.RemotingCounters;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/** The figures of a name server, asked for at each scrape; counters get {@code _total} appended by the library. */
@Immutable
final class NameServerMetrics {
    private final RouteTable table;
    private final Supplier<RemotingCounters> counters;

    NameServerMetrics(RouteTable table, Supplier<RemotingCounters> counters) {
        this.table = table;
        this.counters = counters;
    }

    void register(PrometheusRegistry registry) {
        gauge(registry, "topics", "Topics with a route", table::topicCount);
        gauge(registry, "clusters", "Clusters", () -> table.clusters().size());
        gauge(registry, "broker_groups", "Broker names", () -> table.groups().size());
        gauge(
                registry,
                "brokers",
                "Registered brokers, slaves included",
                () -> table.groups().values().stream()
                        .mapToInt(group -> group.addresses().size())
                        .sum());
        gauge(registry, "connections", "Open connections", () -> counters.get().openConnections());
        CounterWithCallback.builder()
                .name("perigee_namesrv_requests")
                .help("Requests that came in")
                .callback(out -> out.call((double) counters.get().requests()))
                .register(registry);
    }

    private static void gauge(PrometheusRegistry registry, String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name("perigee_namesrv_" + name)
                .help(help)
                .callback(out -> out.call(value.getAsDouble()))
                .register(registry);
    }
}
