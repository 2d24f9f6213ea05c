package dev.perigee.broker.metrics;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.protocol.stats.HaStatus.SlaveState;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The metrics of replication: of a master for each slave, of a slave about itself. */
@ThreadSafe
final class ReplicationMetrics {
    private static final String[] NODE_LABELS = {"cluster", "node_type", "node_id"};
    private static final String[] SLAVE_LABELS = {"cluster", "node_type", "node_id", "broker_id"};
    private static final String NODE_TYPE = "broker";
    private static final int MAX_SEEN = 1_000;

    private final BrokerIdentity identity;
    private final Supplier<HaStatus> status;
    /** Ids of slaves that were there since the start, the first {@link #MAX_SEEN}. */
    private final Set<Long> seen = new ConcurrentSkipListSet<>();

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
        inSync(registry);
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

    /** Of a slave that is gone as well: an alert must not end because what it is about is away. */
    private void inSync(PrometheusRegistry registry) {
        GaugeWithCallback.builder()
                .name("perigee_in_sync_replicas")
                .help("Of a master: how many slaves are in sync")
                .labelNames(NODE_LABELS)
                .callback(out -> {
                    HaStatus now = status.get();
                    if (now.master() && now.inSync() != null) {
                        out.call(now.inSyncSlaveNums(), identity.cluster(), NODE_TYPE, identity.name());
                    }
                })
                .register(registry);
        GaugeWithCallback.builder()
                .name("perigee_slave_in_sync")
                .help("Whether a slave is in sync; 0 also of one that is gone")
                .labelNames(SLAVE_LABELS)
                .callback(out -> {
                    HaStatus now = status.get();
                    List<Long> inSync = now.inSync() == null ? List.of() : now.inSync();
                    inSync.forEach(this::see);
                    for (SlaveState slave : now.haConnectionInfo()) {
                        if (slave.brokerId() != null) {
                            see(slave.brokerId());
                        }
                    }
                    seen.forEach(id -> out.call(
                            inSync.contains(id) ? 1 : 0,
                            identity.cluster(),
                            NODE_TYPE,
                            identity.name(),
                            String.valueOf(id)));
                })
                .register(registry);
    }

    private void see(long brokerId) {
        if (seen.size() < MAX_SEEN) {
            seen.add(brokerId);
        }
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
