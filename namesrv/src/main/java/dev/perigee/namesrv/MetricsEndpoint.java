package dev.perigee.namesrv;

import dev.perigee.loop.OwnedBy;
import dev.perigee.namesrv.route.RouteTable;
import dev.perigee.remoting.RemotingCounters;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves {@code /metrics} over HTTP when it is switched on. The figures are asked for at each scrape. */
@OwnedBy("starting thread")
final class MetricsEndpoint implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsEndpoint.class);

    private final Optional<HTTPServer> server;

    private MetricsEndpoint(Optional<HTTPServer> server) {
        this.server = server;
    }

    /**
     * Opens the port, if the settings say so.
     *
     * @throws IOException when the port is taken, naming it and its setting
     */
    static MetricsEndpoint start(
            NameServerConfig.Metrics settings, RouteTable table, Supplier<RemotingCounters> counters)
            throws IOException {
        if (!settings.enabled()) {
            return new MetricsEndpoint(Optional.empty());
        }
        PrometheusRegistry registry = new PrometheusRegistry();
        JvmMetrics.builder().register(registry);
        gauge(registry, "perigee_namesrv_topics", "Topics with a route", table::topicCount);
        gauge(
                registry,
                "perigee_namesrv_clusters",
                "Clusters",
                () -> table.clusters().size());
        gauge(
                registry,
                "perigee_namesrv_broker_groups",
                "Broker names",
                () -> table.groups().size());
        gauge(
                registry,
                "perigee_namesrv_brokers",
                "Registered brokers, slaves included",
                () -> table.groups().values().stream()
                        .mapToInt(group -> group.addresses().size())
                        .sum());
        gauge(
                registry,
                "perigee_namesrv_connections",
                "Open connections",
                () -> counters.get().openConnections());
        CounterWithCallback.builder()
                .name("perigee_namesrv_requests")
                .help("Requests that came in")
                .callback(out -> out.call((double) counters.get().requests()))
                .register(registry);
        HTTPServer server = open(settings.port(), registry);
        LOG.info("event=metrics_started port={}", server.getPort());
        return new MetricsEndpoint(Optional.of(server));
    }

    private static HTTPServer open(int port, PrometheusRegistry registry) throws IOException {
        try {
            return HTTPServer.builder().port(port).registry(registry).buildAndStart();
        } catch (IOException e) {
            throw new IOException(
                    "the port " + port + " of /metrics (metricsPromExporterPort) cannot be opened: " + e.getMessage(),
                    e);
        }
    }

    /** The port, when it is open. */
    Optional<Integer> port() {
        return server.map(HTTPServer::getPort);
    }

    @Override
    public void close() {
        server.ifPresent(HTTPServer::close);
    }

    private static void gauge(PrometheusRegistry registry, String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(out -> out.call(value.getAsDouble()))
                .register(registry);
    }
}
