package dev.perigee.broker.registration;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.RegistrationSettings;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.route.DataVersionHeader;
import dev.perigee.protocol.header.route.DataVersionResponse;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.header.route.UnregisterBrokerHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.KvTable;
import dev.perigee.protocol.route.RegisterBrokerBody;
import dev.perigee.protocol.route.RegisterBrokerBodyCodec;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicConfigTable;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one NameServer knows of this broker, and the one call to it that may be under way; what comes meanwhile is told as soon as that
 * has ended, however it did. A NameServer that is slow or dead holds up nobody else; when it is back it gets everything.
 */
@ThreadSafe
final class NameServerLink {
    /** Who hears what comes of the calls; on event loops, and must not block. */
    interface Watcher {
        /** A NameServer was told, or could not be: {@link NameServerLink#knownChange} may be another. */
        void told();

        /** The NameServer names the topics it has as ordered. */
        void orderTopics(KvTable table);

        /** The NameServer says where replicas of this broker's name find their master, {@code host:port}. */
        void masterAt(String haAddress);
    }

    private enum Silence {
        WHERE_NOTHING_CHANGED,
        NEVER
    }

    private static final Logger LOG = LoggerFactory.getLogger(NameServerLink.class);
    private static final int POSITIVE = 0x7FFF_FFFF;

    private final String address;
    private final BrokerIdentity identity;
    private final RegistrationSettings settings;
    private final RemotingClient client;
    private final Clock clock;
    private final Watcher watcher;

    // guarded by this: one small state machine, entered by the duty and by answers on event loops
    private @Nullable Offer known;
    private @Nullable Offer lastTold; // whether it took it or not
    private @Nullable Connection knownOver; // a new connection may mean a new process that knows nothing
    private @Nullable Offer wanted; // while a call is under way: all that came since
    private boolean busy;
    private boolean failedBefore;
    private boolean late; // an answer waited too long for it, and it has said nothing since
    private boolean ended;
    private boolean withdrawn;

    NameServerLink(
            String address,
            BrokerIdentity identity,
            RegistrationSettings settings,
            RemotingClient client,
            Clock clock,
            Watcher watcher) {
        this.address = address;
        this.identity = identity;
        this.settings = settings;
        this.client = client;
        this.clock = clock;
        this.watcher = watcher;
    }

    /** Tells the NameServer what changed since it was told last; nothing where nothing did. */
    void tellChanges(Offer offer) {
        tellChanges(offer, Silence.WHERE_NOTHING_CHANGED);
    }

    /** As {@link #tellChanges}, also where nothing did: the answer to a registration says where the master is, and no other one does. */
    void askForMaster(Offer offer) {
        tellChanges(offer, Silence.NEVER);
    }

    private void tellChanges(Offer offer, Silence silence) {
        Offer base;
        synchronized (this) {
            if (!take(offer)) {
                return;
            }
            base = client.connection(address).orElse(null) == knownOver ? known : null;
        }
        if (base != null && offer.extendsOffer(base)) {
            Map<String, TopicConfig> changed = offer.since(base);
            if (changed.isEmpty() && silence == Silence.WHERE_NOTHING_CHANGED) {
                finished(offer, null);
            } else {
                register(offer, changed, false);
            }
        } else {
            register(offer, offer.all(), true);
        }
    }

    /** Tells the NameServer everything, or only asks whether that is needed. */
    void tellAll(Offer offer) {
        boolean ask;
        synchronized (this) {
            if (!take(offer)) {
                return;
            }
            ask = !settings.always() && offer.equals(known);
        }
        if (ask) {
            askFirst(offer);
        } else {
            register(offer, offer.all(), true);
        }
    }

    /** Whether the offer may be told now; if not, it is when the call under way has ended, unless the link has. */
    private boolean take(Offer offer) {
        withdrawn = false;
        if (busy || ended) {
            wanted = offer;
            return false;
        }
        busy = true;
        return true;
    }

    /**
     * The last change of a topic that it knows of, −1 when it knows of none; {@link Long#MAX_VALUE} when nobody should wait for it, as it
     * did not take what it was told last or was too slow.
     */
    synchronized long knownChange() {
        if (failedBefore || late) {
            return Long.MAX_VALUE;
        }
        return known == null ? -1 : known.change();
    }

    /** Whether what it was told last failed: it is to be told everything again. */
    synchronized boolean isOwed() {
        return failedBefore;
    }

    /** Whether it was told last that this broker has this id, or could not be told. */
    synchronized boolean isKnownAs(long brokerId) {
        return failedBefore || (known != null && known.brokerId() == brokerId);
    }

    /** An answer has waited so long for it to know of this change. Until it takes something again, none waits for it. */
    synchronized void lateWith(long change, long waitedMs) {
        if (knownChange() < change) {
            late = true;
            LOG.warn("event=register_slow nameServer={} waitedMs={} effect=not_waited_for", address, waitedMs);
        }
    }

    /**
     * Takes the broker off the NameServer's tables; it is told nothing more. Completed in any case, at the deadline at the latest.
     */
    CompletableFuture<?> unregister(Deadline deadline) {
        synchronized (this) {
            ended = true;
        }
        return takeOff(deadline);
    }

    /**
     * Takes the broker off the NameServer's tables, if it may be there, until it is told again. A NameServer of the 4.x line goes by the broker
     * id alone, and may take another broker of that id off with it, until that registers next.
     */
    void withdraw() {
        synchronized (this) {
            wanted = null;
            if (withdrawn || ended || busy) {
                return; // once, and after the call under way
            }
            withdrawn = true;
            if (known == null && !failedBefore) {
                return; // it was never told
            }
            known = null;
        }
        CompletableFuture<?> unused = takeOff(deadline());
    }

    private CompletableFuture<?> takeOff(Deadline deadline) {
        UnregisterBrokerHeader header =
                new UnregisterBrokerHeader(identity.name(), identity.address(), identity.cluster(), toldId());
        return client.call(address, Rpcs.UNREGISTER_BROKER, header, null, deadline)
                .handle((answer, failure) -> {
                    LOG.info("event=unregistered nameServer={} failure={}", address, String.valueOf(failure));
                    return Boolean.TRUE;
                });
    }

    private synchronized long toldId() {
        return lastTold == null ? identity.id() : lastTold.brokerId();
    }

    private void askFirst(Offer offer) {
        DataVersionHeader header =
                new DataVersionHeader(identity.name(), identity.address(), identity.cluster(), offer.brokerId());
        CompletableFuture<?> unused = client.call(
                        address, Rpcs.QUERY_DATA_VERSION, header, Json.write(offer.version()), deadline())
                .whenComplete((answer, failure) -> {
                    DataVersionResponse response = failure == null && answer.isOk() ? answer.header() : null;
                    if (response != null && !response.changed()) {
                        finished(offer, null);
                    } else {
                        register(offer, offer.all(), true);
                    }
                });
    }

    private void register(Offer offer, Map<String, TopicConfig> topics, boolean complete) {
        synchronized (this) {
            if (ended) {
                return;
            }
            lastTold = offer;
        }
        RegisterBrokerBody body = new RegisterBrokerBody(TopicConfigTable.of(topics, offer.version()), List.of());
        byte[] bytes = settings.compressed() ? RegisterBrokerBodyCodec.encode(body) : Json.write(body);
        // so that a slave's topics are taken when it is alone; a NameServer that drops what is not listed must not take
        // none for all
        boolean isTheirs = offer.brokerId() != 0 && offer.complete() && !topics.isEmpty();
        RegisterBrokerHeader header = new RegisterBrokerHeader(
                identity.name(),
                identity.address(),
                identity.cluster(),
                identity.haAddress(),
                offer.brokerId(),
                null,
                isTheirs ? Boolean.FALSE : null,
                settings.compressed(),
                checksum(bytes),
                null,
                complete);
        CompletableFuture<?> unused = client.call(address, Rpcs.REGISTER_BROKER, header, bytes, deadline())
                .whenComplete((answer, failure) -> {
                    if (!complete && failure == null && !answer.isOk()) {
                        register(offer, offer.all(), true); // it may have forgotten us: tell it everything
                    } else {
                        registered(offer, answer, failure);
                    }
                });
    }

    private void registered(Offer offer, @Nullable Answer<RegisterBrokerResponse> answer, @Nullable Throwable failure) {
        if (failure != null || answer == null) {
            finished(offer, failure == null ? "no answer" : String.valueOf(failure.getMessage()));
        } else if (answer.code() != ResponseCode.SUCCESS) {
            finished(offer, "code " + answer.code() + " " + answer.remarkText());
        } else {
            finished(offer, null);
            takeMaster(offer, answer.header());
            if (offer.brokerId() == 0) {
                takeOrderTopics(answer.body()); // a slave hears of it from its master
            }
        }
    }

    private void takeMaster(Offer offer, @Nullable RegisterBrokerResponse header) {
        String haAddress = header == null ? null : header.haServerAddr();
        if (offer.brokerId() != 0 && haAddress != null && !haAddress.isEmpty()) {
            watcher.masterAt(haAddress);
        }
    }

    private void takeOrderTopics(byte[] body) {
        if (body.length == 0) {
            return;
        }
        try {
            watcher.orderTopics(Json.read(body, KvTable.class));
        } catch (BadBodyException e) {
            LOG.warn("event=order_topics_unreadable nameServer={} reason={}", address, e.getMessage());
        }
    }

    private void finished(Offer offer, @Nullable String failure) {
        Offer next;
        synchronized (this) {
            busy = false;
            known = failure == null ? offer : null;
            knownOver = failure == null ? client.connection(address).orElse(null) : null;
            next = wanted;
            wanted = null;
            if (failure != null && !failedBefore) {
                LOG.warn("event=register_failed nameServer={} reason={}", address, failure);
            } else if (failure == null && failedBefore) {
                LOG.info("event=register_works_again nameServer={}", address);
            }
            failedBefore = failure != null;
            late &= failedBefore;
        }
        watcher.told();
        if (next != null && !next.equals(offer)) {
            tellChanges(next); // also after a failure: what failed may have been told who led before
        }
    }

    private Deadline deadline() {
        return Deadline.after(clock, settings.timeoutMs());
    }

    private static int checksum(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return (int) crc.getValue() & POSITIVE;
    }
}
