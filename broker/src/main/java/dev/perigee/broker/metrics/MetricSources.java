package dev.perigee.broker.metrics;

import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.counter.RemotingCounters;
import dev.perigee.store.log.CommitLog;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Where the figures come from; asked at each scrape. */
public record MetricSources(
        BrokerStats stats,
        ClientRegistry clients,
        TopicView topics,
        GroupView groups,
        CommitLog log,
        LongSupplier appliedOffset,
        LiveConfig config,
        Supplier<HaStatus> replication,
        Supplier<Optional<GroupMetrics.Figures>> group,
        Supplier<RemotingCounters> counters) {}
