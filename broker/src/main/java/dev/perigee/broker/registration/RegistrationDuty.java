package dev.perigee.broker.registration;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.config.RegistrationSettings;
import dev.perigee.broker.topic.RouteWaits;
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
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps every NameServer informed: everything at the start and every period, new and changed topics at once, what only the whole table
 * tells (a deleted topic, another permission) {@link #COALESCE_MS} after the first of it unless an answer waits for it. What comes while a
 * NameServer is being told travels together afterwards, so a thousand topics made one after the other are a thousand requests of one
 * topic each, and a thousand made at once a few. All NameServers are told in parallel. One that could not be told is told everything after
 * {@link #FIRST_RETRY_MS}, and ever more seldom, down to once a period.
 */
@OwnedBy("view loop")
public final class RegistrationDuty implements Duty {
    /** Changes that only the whole table tells travel together when they come within this time after a first one. */
    static final long COALESCE_MS = 50;

    /** A slave that lacks its master asks for it so often, by a registration without what is known. */
    static final long MASTER_WANTED_MS = 2_000;

    /** So soon a NameServer that could not be told is told again; then after twice as long, and so on up to the period. */
    static final long FIRST_RETRY_MS = 250;

    /** Between two looks whether something is to be told again. */
    private static final long SILENT_MS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(RegistrationDuty.class);

    /**
     * What it works with.
     *
     * @param topics what is told
     * @param creation changes the topics that a NameServer calls ordered
     * @param waits the answers that wait until NameServers were told; their view loop is the duty's
     * @param config what the broker as a whole permits
     * @param search whether a master is looked for
     * @param epoch in which this broker writes; 0 when it does not
     * @param brokerId of this broker now
     */
    public record Parts(
            TopicView topics,
            TopicCreation creation,
            RouteWaits waits,
            LiveConfig config,
            MasterSearch search,
            LongSupplier epoch,
            LongSupplier brokerId) {}

    /** A broker's search for its master among the answers of NameServers, and what became of it. */
    public interface MasterSearch {
        /** Of a broker that looks for none. */
        MasterSearch NONE = new MasterSearch() {
            @Override
            public boolean isWanted() {
                return false;
            }

            @Override
            public void foundAt(String haAddress) {
                // A master is told of none.
            }
        };

        /** Whether no master is followed now. On the view loop. */
        boolean isWanted();

        /**
         * Whether the master is there and does not take this broker in: its log is another one, or another broker has its id. NameServers
         * do not know it meanwhile, for readers would take it for the one whose id it has. On the view loop.
         */
        default boolean isTurnedAway() {
            return false;
        }

        /** Whether nothing is told now: another one is about to take this broker's place, and what is told would come between. On the view loop. */
        default boolean isSilent() {
            return false;
        }

        /** Whether it may be read: one that may not does not speak for the topics of the name, of which it may know few. On the view loop. */
        default boolean mayBeRead() {
            return true;
        }

        /** A NameServer names the replication port of the master, {@code host:port}. On event loops; must not block. */
        void foundAt(String haAddress);
    }

    private enum Phase {
        /** The ports are not open yet: what a client is answered waits for the first registration. */
        STARTING,
        ON,
        OVER
    }

    private final Parts parts;
    private final Clock clock;
    private final int periodMs;
    private final List<NameServerLink> links;

    private volatile Phase phase = Phase.STARTING;
    private volatile boolean again;
    private long allDueMs = Long.MIN_VALUE;
    private long changesDueMs = Long.MAX_VALUE;
    private long masterDueMs = Long.MAX_VALUE; // none is looked for
    private long retryDueMs = Long.MAX_VALUE; // all that were told heard it
    private long retryMs = FIRST_RETRY_MS;
    private @Nullable Offer told;
    private int permission;
    private long permissionChanges;
    private long permissionMs;

    /** Registers {@code identity} with every NameServer of the settings once {@link #begin} was called. */
    public RegistrationDuty(
            BrokerIdentity identity, RegistrationSettings settings, RemotingClient client, Parts parts, Clock clock) {
        this.parts = parts;
        this.clock = clock;
        this.permission = parts.config().settings().permission();
        this.permissionMs = clock.wallMs();
        this.periodMs = settings.periodMs();
        this.links = settings.nameServers().stream()
                .map(address -> new NameServerLink(address, identity, settings, client, clock, new Listening()))
                .toList();
    }

    /** Whether the ports are open and NameServers are told of it. Any thread. */
    public boolean isOn() {
        return phase == Phase.ON;
    }

    /** Whether each NameServer that answers was told last that this broker has this id. Any thread. */
    public boolean isKnownAs(long brokerId) {
        return links.stream().allMatch(link -> link.isKnownAs(brokerId));
    }

    /** Whether each NameServer was told, or could not be. Any thread. */
    boolean isTold() {
        return links.stream().allMatch(link -> link.knownChange() >= 0);
    }

    /** Everything is told once more, for a NameServer names another broker in this one's place. Any thread. */
    void again() {
        again = true;
        parts.waits().wakeAnyhow();
    }

    /** The ports are open: from the next pass on the broker makes itself known. */
    public void begin() {
        phase = Phase.ON;
    }

    /**
     * Stops registering and takes the broker off every NameServer; no answer waits for them any more. Completed at the deadline at the
     * latest.
     */
    public CompletableFuture<?> end(Deadline deadline) {
        phase = Phase.OVER;
        return CompletableFuture.allOf(
                links.stream().map(link -> link.unregister(deadline)).toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public int doWork(long nowMs) {
        if (links.isEmpty()) {
            return 0;
        }
        Offer now = offer();
        parts.waits().begin(now.change(), nowMs);
        if (phase == Phase.OVER) {
            return parts.waits().release(Long.MAX_VALUE);
        }
        int work = isOn() ? tell(now, nowMs) : 0;
        return work + answer(nowMs);
    }

    private int tell(Offer now, long nowMs) {
        if (parts.search().isSilent()) {
            return 0;
        }
        if (parts.search().isTurnedAway()) {
            links.forEach(NameServerLink::withdraw);
            told = null;
            changesDueMs = Long.MAX_VALUE;
            allDueMs = Long.MIN_VALUE; // at once when that is over
            return 0;
        }
        masterDueMs = parts.search().isWanted() ? Math.min(masterDueMs, nowMs + MASTER_WANTED_MS) : Long.MAX_VALUE;
        if (again || (told != null && now.isAnotherThan(told))) {
            again = false;
            allDueMs = nowMs;
            // Who misses this is told soon, however long another one has been away.
            retryMs = FIRST_RETRY_MS;
            retryDueMs = Long.MAX_VALUE;
        }
        if (nowMs >= allDueMs) {
            allDueMs = nowMs + periodMs;
            changesDueMs = Long.MAX_VALUE;
            told = now;
            links.forEach(link -> link.tellAll(now));
            return 1;
        }
        if (isRetryDue(nowMs)) {
            links.stream().filter(NameServerLink::isOwed).forEach(link -> link.tellAll(now));
            return 1;
        }
        if (nowMs >= masterDueMs) {
            masterDueMs = nowMs + MASTER_WANTED_MS;
            links.forEach(link -> link.askForMaster(now));
            return 1;
        }
        if (told == null || !now.differsFrom(told)) {
            changesDueMs = Long.MAX_VALUE; // a permission may have been given and taken back
            return 0;
        }
        if (parts.waits().count() > 0 || now.extendsOffer(told)) {
            changesDueMs = nowMs;
        } else if (changesDueMs == Long.MAX_VALUE) {
            changesDueMs = nowMs + COALESCE_MS;
        }
        if (nowMs < changesDueMs) {
            return 0;
        }
        changesDueMs = Long.MAX_VALUE;
        told = now;
        links.forEach(link -> link.tellChanges(now));
        return 1;
    }

    /** A NameServer that was away for a moment may have missed who is the master now, and the next period is half a minute away. */
    private boolean isRetryDue(long nowMs) {
        if (!isAnyOwed()) {
            retryMs = FIRST_RETRY_MS;
            retryDueMs = Long.MAX_VALUE;
            return false;
        }
        if (retryDueMs == Long.MAX_VALUE) {
            retryDueMs = nowMs + retryMs;
        }
        if (nowMs < retryDueMs) {
            return false;
        }
        retryMs = Math.min(2 * retryMs, periodMs);
        retryDueMs = nowMs + retryMs;
        return true;
    }

    private boolean isAnyOwed() {
        for (NameServerLink link : links) {
            if (link.isOwed()) {
                return true;
            }
        }
        return false;
    }

    /** Gives the answers that wait for nothing any more; a NameServer one has waited for too long is waited for no longer. */
    private int answer(long nowMs) {
        long overdue = parts.waits().overdue(nowMs);
        if (overdue >= 0) {
            links.forEach(link -> link.lateWith(overdue, RouteWaits.MAX_WAIT_MS));
        }
        long known = Long.MAX_VALUE;
        for (NameServerLink link : links) {
            known = Math.min(known, link.knownChange());
        }
        return parts.waits().release(known);
    }

    private Offer offer() {
        int allowed = parts.config().settings().permission();
        if (allowed != permission) {
            permission = allowed;
            permissionChanges++;
            permissionMs = clock.wallMs();
        }
        return new Offer(
                parts.topics().current(),
                allowed,
                permissionChanges,
                permissionMs,
                parts.epoch().getAsLong(),
                parts.brokerId().getAsLong(),
                parts.search().mayBeRead());
    }

    @Override
    public long nextDeadlineMs() {
        if (links.isEmpty() || phase == Phase.OVER) {
            return Long.MAX_VALUE;
        }
        long answerDueMs = parts.waits().nextDeadlineMs();
        if (parts.search().isSilent()) {
            return Math.min(answerDueMs, clock.monotonicMs() + SILENT_MS);
        }
        if (parts.search().isTurnedAway()) {
            return Math.min(answerDueMs, clock.monotonicMs() + MASTER_WANTED_MS);
        }
        long tellDueMs = Math.min(Math.min(allDueMs, changesDueMs), Math.min(masterDueMs, retryDueMs));
        return isOn() ? Math.min(answerDueMs, tellDueMs) : answerDueMs;
    }

    /** Hears NameServers, on event loops. */
    private final class Listening implements NameServerLink.Watcher {
        @Override
        public void told() {
            if (isAnyOwed()) {
                parts.waits().wakeAnyhow(); // it is told again
            } else {
                parts.waits().wake();
            }
        }

        @Override
        public void masterAt(String haAddress) {
            parts.search().foundAt(haAddress);
        }

        /** Those of our topics that it names become ordered. */
        @Override
        public void orderTopics(KvTable table) {
            for (String topic : table.table().keySet()) {
                TopicConfig known = parts.topics().current().find(topic);
                if (known != null && !known.order()) {
                    LOG.info("event=topic_ordered topic={} at={}", topic, clock.wallMs());
                    parts.creation().put(known.withOrder(true), result -> {});
                }
            }
        }
    }
}
