package dev.perigee.broker.registration;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.config.RegistrationSettings;
import dev.perigee.broker.topic.TopicCreation;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.route.KvTable;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.store.view.Duty;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps every NameServer informed: everything at the start and every period, changes {@link #COALESCE_MS} after the first
 * of them. All NameServers are told in parallel.
 */
@OwnedBy("view loop")
public final class RegistrationDuty implements Duty {
    /** Changes that come within this time after a first one travel together. */
    static final long COALESCE_MS = 50;

    private static final Logger LOG = LoggerFactory.getLogger(RegistrationDuty.class);

    private final TopicView topics;
    private final TopicCreation creation;
    private final LiveConfig config;
    private final Clock clock;
    private final int periodMs;
    private final List<NameServerLink> links;

    private volatile boolean on;
    private long allDueMs = Long.MIN_VALUE;
    private long changesDueMs = Long.MAX_VALUE;
    private @Nullable Offer told;
    private int permission;
    private long permissionChanges;
    private long permissionMs;

    /** Registers {@code identity} with every NameServer of the settings once {@link #begin} was called. */
    public RegistrationDuty(
            BrokerIdentity identity,
            RegistrationSettings settings,
            RemotingClient client,
            TopicView topics,
            TopicCreation creation,
            LiveConfig config,
            Clock clock) {
        this.topics = topics;
        this.creation = creation;
        this.config = config;
        this.clock = clock;
        this.permission = config.settings().permission();
        this.permissionMs = clock.wallMs();
        this.periodMs = settings.periodMs();
        this.links = settings.nameServers().stream()
                .map(address -> new NameServerLink(address, identity, settings, client, clock, this::takeOrderTopics))
                .toList();
    }

    /** The ports are open: from the next pass on the broker makes itself known. */
    public void begin() {
        on = true;
    }

    /** Stops registering and takes the broker off every NameServer. Completed at the deadline at the latest. */
    public CompletableFuture<?> end(Deadline deadline) {
        on = false;
        return CompletableFuture.allOf(
                links.stream().map(link -> link.unregister(deadline)).toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public int doWork(long nowMs) {
        if (!on || links.isEmpty()) {
            return 0;
        }
        Offer now = offer();
        if (nowMs >= allDueMs) {
            allDueMs = nowMs + periodMs;
            changesDueMs = Long.MAX_VALUE;
            told = now;
            links.forEach(link -> link.tellAll(now));
            return 1;
        }
        if (changesDueMs == Long.MAX_VALUE) {
            if (told != null && now.differsFrom(told)) {
                changesDueMs = nowMs + COALESCE_MS;
            }
            return 0;
        }
        if (nowMs < changesDueMs) {
            return 0;
        }
        changesDueMs = Long.MAX_VALUE;
        told = now;
        links.forEach(link -> link.tellChanges(now));
        return 1;
    }

    private Offer offer() {
        int allowed = config.settings().permission();
        if (allowed != permission) {
            permission = allowed;
            permissionChanges++;
            permissionMs = clock.wallMs();
        }
        return new Offer(topics.current(), allowed, permissionChanges, permissionMs);
    }

    @Override
    public long nextDeadlineMs() {
        return !on || links.isEmpty() ? Long.MAX_VALUE : Math.min(allDueMs, changesDueMs);
    }

    /** A NameServer says which topics are ordered: those of ours that it names become so. */
    private void takeOrderTopics(KvTable table) {
        for (String topic : table.table().keySet()) {
            TopicConfig known = topics.current().find(topic);
            if (known != null && !known.order()) {
                LOG.info("event=topic_ordered topic={} at={}", topic, clock.wallMs());
                creation.put(known.withOrder(true), result -> {});
            }
        }
    }
}
