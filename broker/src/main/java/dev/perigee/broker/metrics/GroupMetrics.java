package dev.perigee.broker.metrics;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.stats.RaftStatus;
import dev.perigee.protocol.stats.RaftStatus.RaftMember;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The metrics of a member of a group that elects its master; a broker in none has none of them. */
@Immutable
public final class GroupMetrics {
    private static final String[] LABELS = {"cluster", "node_type", "node_id", "member"};
    private static final String[] ROLE_LABELS = {"cluster", "node_type", "node_id", "member", "role"};
    private static final String[] LEADER_LABELS = {"cluster", "node_type", "node_id", "member", "leader"};
    private static final String NODE_TYPE = "broker";

    /**
     * What a member knows.
     *
     * @param leaderChanges how often it heard of a leader of a later term since its start
     */
    public record Figures(RaftStatus status, long leaderChanges) {}

    private final BrokerIdentity identity;
    private final Supplier<Optional<Figures>> figures;

    /** @param figures asked at each scrape; empty on a broker in no group */
    GroupMetrics(BrokerIdentity identity, Supplier<Optional<Figures>> figures) {
        this.identity = identity;
        this.figures = figures;
    }

    void register(PrometheusRegistry registry) {
        named(registry, "perigee_raft_role", "1 for the role that the member is in", ROLE_LABELS, RaftStatus::role);
        named(
                registry,
                "perigee_raft_leader",
                "1 for the leader that the member knows; none while it knows none",
                LEADER_LABELS,
                status -> status.leader() == null ? "" : status.leader());
        gauge(registry, "perigee_raft_term", "The highest term the member has taken part in", RaftStatus::term);
        gauge(
                registry,
                "perigee_raft_serving",
                "Whether the member serves clients as the master",
                status -> status.serving() ? 1 : 0);
        gauge(
                registry,
                "perigee_raft_in_touch",
                "Whether the member heard a majority, or its leader, lately",
                status -> status.inTouch() ? 1 : 0);
        gauge(registry, "perigee_raft_end_offset", "Where the member's log ends", RaftStatus::endOffset);
        gauge(
                registry,
                "perigee_raft_confirm_offset",
                "Up to here the member knows its log to be confirmed",
                RaftStatus::confirmOffset);
        gauge(
                registry,
                "perigee_raft_members",
                "Who belongs to the group, as the member's log says",
                status -> status.members().size());
        gauge(
                registry,
                "perigee_raft_voters",
                "How many of them vote",
                status -> status.members().stream().filter(RaftMember::voter).count());
        CounterWithCallback.builder()
                .name("perigee_raft_leader_changes")
                .help("How often the member heard of a leader of a later term since its start")
                .labelNames(LABELS)
                .callback(out -> figures.get()
                        .ifPresent(now -> out.call(
                                (double) now.leaderChanges(),
                                identity.cluster(),
                                NODE_TYPE,
                                identity.name(),
                                now.status().self())))
                .register(registry);
    }

    private void gauge(PrometheusRegistry registry, String name, String help, ToDoubleFunction<RaftStatus> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(LABELS)
                .callback(out -> figures.get()
                        .ifPresent(now -> out.call(
                                value.applyAsDouble(now.status()),
                                identity.cluster(),
                                NODE_TYPE,
                                identity.name(),
                                now.status().self())))
                .register(registry);
    }

    /** 1 under the name that the status gives; nothing where that is empty. */
    private void named(
            PrometheusRegistry registry, String name, String help, String[] labels, Function<RaftStatus, String> text) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .callback(out -> figures.get().ifPresent(now -> {
                    String value = text.apply(now.status());
                    if (!value.isEmpty()) {
                        out.call(
                                1,
                                identity.cluster(),
                                NODE_TYPE,
                                identity.name(),
                                now.status().self(),
                                value);
                    }
                }))
                .register(registry);
    }
}
