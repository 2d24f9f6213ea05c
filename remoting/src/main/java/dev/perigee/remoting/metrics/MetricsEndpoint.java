package dev.perigee.remoting.metrics;

import dev.perigee.loop.OwnedBy;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves {@code /metrics} over HTTP when it is switched on: the figures of the server and those of its JVM. */
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
     * @param figures registers the figures of the server; not called when nothing is served
     * @throws IOException when the port cannot be opened, naming it and its setting
     */
    public static MetricsEndpoint start(MetricsSettings settings, Consumer<PrometheusRegistry> figures)
            throws IOException {
        if (!settings.enabled()) {
            return new MetricsEndpoint(Optional.empty());
        }
        PrometheusRegistry registry = new PrometheusRegistry();
        JvmMetrics.builder().register(registry);
        figures.accept(registry);
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
    public Optional<Integer> port() {
        return server.map(HTTPServer::getPort);
    }

    /** Closes the port. Idempotent. */
    @Override
    public void close() {
        server.ifPresent(HTTPServer::close);
    }
}
