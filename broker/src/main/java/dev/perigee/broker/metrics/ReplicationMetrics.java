package dev.perigee.broker.metrics;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.protocol.stats.HaStatus.SlaveState;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The metrics of replication: of a master for each slave that is connected, of a slave about itself. */
@Immutable
final class ReplicationMetrics {
    private static final String[] NODE_LABELS = {"cluster", "node_type", "node_id"};
    private static final String[] SLAVE_LABELS = {"cluster", "node_type", "node_id", "broker_id"};
    private static final String NODE_TYPE = "broker";

    private final BrokerIdentity identity;
    private final Supplier<HaStatus> status;

    /** @param status asked at each scrape */
    ReplicationMetrics(BrokerIdentity identity, Supplier<HaStatus> status) {
        this.identity = identity;
        this.status = status;
    }

    void register(PrometheusRegistry registry) {
        slaves(registry, "perigee_slave_behind_bytes", "Bytes of the log that a slave does not hold", SlaveState::diff);
        slaves(
                registry,
                "perigee_slave_behind_seconds",
                "How long ago the log ended where the slave is by now",
                slave -> {
                    Long lagMs = slave.lagMs();
                    return lagMs == null ? 0 : lagMs / 1000.0;
                });
        slaves(registry, "perigee_slave_in_sync", "Whether a slave is in sync", slave -> slave.inSync() ? 1 : 0);
        GaugeWithCallback.builder()
                .name("perigee_follows_master")
                .help("Of a slave: whether its master is heard")
                .labelNames(NODE_LABELS)
                .callback(out -> {
                    HaStatus now = status.get();
                    if (!now.master()) {
                        boolean follows =
                                Boolean.TRUE.equals(now.haClientRuntimeInfo().following());
                        out.call(follows ? 1 : 0, identity.cluster(), NODE_TYPE, identity.name());
                    }
                })
                .register(registry);
    }

    private void slaves(PrometheusRegistry registry, String name, String help, ToDoubleFunction<SlaveState> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(SLAVE_LABELS)
                .callback(out -> status.get()
                        .haConnectionInfo()
                        .forEach(slave -> out.call(
                                value.applyAsDouble(slave),
                                identity.cluster(),
                                NODE_TYPE,
                                identity.name(),
                                String.valueOf(slave.brokerId()))))
                .register(registry);
    }
}
