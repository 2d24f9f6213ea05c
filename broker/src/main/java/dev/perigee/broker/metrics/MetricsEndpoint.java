package dev.perigee.broker.metrics;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.MetricsSettings;
import dev.perigee.loop.OwnedBy;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves {@code /metrics} over HTTP when it is switched on. */
@OwnedBy("starting thread")
public final class MetricsEndpoint implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsEndpoint.class);

    private final Optional<HTTPServer> server;

    private MetricsEndpoint(Optional<HTTPServer> server) {
        this.server = server;
    }

    /**
     * Opens the port, if the settings say so.
     *
     * @throws IOException when the port is taken
     */
    public static MetricsEndpoint start(MetricsSettings settings, BrokerIdentity identity, MetricSources sources)
            throws IOException {
        if (!settings.enabled()) {
            return new MetricsEndpoint(Optional.empty());
        }
        PrometheusRegistry registry = new PrometheusRegistry();
        JvmMetrics.builder().register(registry);
        new BrokerMetrics(identity, sources).register(registry);
        HTTPServer server;
        try {
            server = HTTPServer.builder()
                    .port(settings.port())
                    .registry(registry)
                    .buildAndStart();
        } catch (IOException e) {
            throw new IOException(
                    "the port " + settings.port() + " of /metrics (metricsPromExporterPort) cannot be opened: "
                            + e.getMessage(),
                    e);
        }
        LOG.info("event=metrics_started port={}", server.getPort());
        return new MetricsEndpoint(Optional.of(server));
    }

    /** The port, when it is open. */
    public Optional<Integer> port() {
        return server.map(HTTPServer::getPort);
    }

    @Override
    public void close() {
        server.ifPresent(HTTPServer::close);
    }
}
