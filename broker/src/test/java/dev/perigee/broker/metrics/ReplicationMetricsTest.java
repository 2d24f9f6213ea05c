package dev.perigee.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.protocol.stats.HaStatus.FollowState;
import dev.perigee.protocol.stats.HaStatus.SlaveState;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReplicationMetricsTest {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private HaStatus status = master(List.of());

    @BeforeEach
    void register() {
        BrokerIdentity identity = new BrokerIdentity("c", "broker-a", 0, "127.0.0.1", 10_911, 10_912);
        new ReplicationMetrics(identity, () -> status).register(registry);
    }

    private static HaStatus master(@Nullable List<Long> inSync, SlaveState... slaves) {
        int count = inSync == null ? 0 : inSync.size();
        return new HaStatus(true, 100, count, List.of(slaves), FollowState.NONE, "SYNC_MASTER", 100L, inSync, null);
    }

    private static SlaveState slave(long id, boolean inSync) {
        return new SlaveState("10.0.0.1:1", 100, 0, inSync, 0, 100, id, 0L);
    }

    /** Values by broker id, or by node where there is none. */
    private Map<String, Double> values(String name) {
        Map<String, Double> values = new TreeMap<>();
        registry.scrape(name::equals).forEach(snapshot -> {
            for (GaugeDataPointSnapshot point : ((GaugeSnapshot) snapshot).getDataPoints()) {
                String id = point.getLabels().get("broker_id");
                values.put(id == null ? point.getLabels().get("node_id") : id, point.getValue());
            }
        });
        return values;
    }

    @Test
    void aSlaveThatIsGoneIsNotInSync() {
        status = master(List.of(1L), slave(1, true), slave(2, false));
        assertThat(values("perigee_slave_in_sync")).isEqualTo(Map.of("1", 1.0, "2", 0.0));
        status = master(List.of(1L), slave(2, false));
        assertThat(values("perigee_slave_in_sync"))
                .as("it counts until the set without it does")
                .isEqualTo(Map.of("1", 1.0, "2", 0.0));
        status = master(List.of());
        assertThat(values("perigee_slave_in_sync")).isEqualTo(Map.of("1", 0.0, "2", 0.0));
    }

    @Test
    void oneNumberSaysHowManyCopiesThereAre() {
        assertThat(values("perigee_in_sync_replicas")).isEqualTo(Map.of("broker-a", 0.0));
        status = master(List.of(1L, 2L));
        assertThat(values("perigee_in_sync_replicas")).isEqualTo(Map.of("broker-a", 2.0));
    }

    @Test
    void aBrokerAloneAndASlaveSayNothingOfCopies() {
        status = master(null);
        assertThat(values("perigee_in_sync_replicas")).isEmpty();
        status = new HaStatus(false, 0, 0, List.of(), FollowState.NONE, "SLAVE", 0L, null, null);
        assertThat(values("perigee_in_sync_replicas")).isEmpty();
    }
}
