package dev.perigee.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.protocol.stats.RaftStatus;
import dev.perigee.protocol.stats.RaftStatus.RaftMember;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GroupMetricsTest {
    private static final String NODE = "cluster=\"c\",member=\"n1\",node_id=\"broker-a\",node_type=\"broker\"";

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private Optional<GroupMetrics.Figures> figures = Optional.empty();

    @BeforeEach
    void register() {
        BrokerIdentity identity = new BrokerIdentity("c", "broker-a", 0, "127.0.0.1", 10_911, 10_912);
        new GroupMetrics(identity, () -> figures).register(registry);
    }

    private static GroupMetrics.Figures of(String role, @Nullable String leader, boolean serving, long changes) {
        List<RaftMember> members = List.of(
                new RaftMember("n0", "a", "127.0.0.1:1", true),
                new RaftMember("n1", "b", "127.0.0.1:2", true),
                new RaftMember("n2", "c", "127.0.0.1:3", false));
        return new GroupMetrics.Figures(
                new RaftStatus("g", "n1", "b", "127.0.0.1:2", role, 7, leader, serving, true, true, 500, 400, members),
                changes);
    }

    private String scraped() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(out, registry.scrape());
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aMemberTellsItsRoleItsTermAndHowFarItsLogIs() throws Exception {
        figures = Optional.of(of("LEADER", "n1", true, 3));
        assertThat(scraped())
                .contains("perigee_raft_role{" + NODE + ",role=\"LEADER\"} 1.0")
                .contains("perigee_raft_term{" + NODE + "} 7.0", "perigee_raft_serving{" + NODE + "} 1.0")
                .contains("perigee_raft_in_touch{" + NODE + "} 1.0")
                .contains("perigee_raft_end_offset{" + NODE + "} 500.0")
                .contains("perigee_raft_confirm_offset{" + NODE + "} 400.0")
                .contains("perigee_raft_members{" + NODE + "} 3.0", "perigee_raft_voters{" + NODE + "} 2.0")
                .contains("perigee_raft_leader_changes_total{" + NODE + "} 3.0")
                .contains("leader=\"n1\"");
    }

    @Test
    void noLeaderIsNamedWhileNoneIsKnownAndABrokerInNoGroupSaysNothing() throws Exception {
        figures = Optional.of(of("CANDIDATE", null, false, 3));
        assertThat(scraped())
                .contains("role=\"CANDIDATE\"", "perigee_raft_serving{" + NODE + "} 0.0")
                .doesNotContain("leader=\"");
        figures = Optional.empty();
        assertThat(scraped()).doesNotContain("perigee_raft_");
    }
}
