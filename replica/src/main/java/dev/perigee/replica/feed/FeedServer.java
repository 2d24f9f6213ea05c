package dev.perigee.replica.feed;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.ForkHeader;
import dev.perigee.protocol.header.replica.HeldHeader;
import dev.perigee.protocol.header.replica.HelloAnswer;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.protocol.header.replica.ReplicaOffsetsHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.remoting.transport.Transport;
import dev.perigee.replica.HelloCheck;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.ReasonLog;
import dev.perigee.replica.sync.ReplicaSlot;
import dev.perigee.replica.sync.ReplicaSlots;
import dev.perigee.store.view.ColdReaders;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A master towards its replicas: takes in those that fit, answers the search for the fork, and wakes all feeds once when the log
 * has grown. What is no request of replication is answered with code 3, as any server does.
 */
@ThreadSafe
public final class FeedServer {
    private static final Logger LOG = LoggerFactory.getLogger(FeedServer.class);

    private final LogFacts facts;
    private final FeedSource source;
    private final ReplicaSlots slots;
    private final FeedLoops loops;
    private final RangeReader ranges;
    private final Clock clock;
    private final long catchUpBytesPerSec;
    private final Map<Connection, FeedSession> sessions = new ConcurrentHashMap<>();
    private final ReasonLog refusals;
    private volatile BiConsumer<Connection, HelloHeader> early = (connection, hello) -> {};
    private volatile LongConsumer onDamage = offset -> {};
    /** Whether this run has written anything: before, the log is in the epoch of an earlier one. */
    private volatile boolean begun;

    /**
     * Feeds from a log; before the store's loops run.
     *
     * @param facts what is said of that log
     * @param slots where replicas join, and are told what they hold
     * @param transport whose event loops the connections are on
     * @param coldReaders for what has to come from the disk
     * @param catchUpBytesPerSec how fast a replica that is far behind is fed; 0 for as fast as it goes
     */
    public FeedServer(
            LogFacts facts,
            FeedSource source,
            ReplicaSlots slots,
            Transport transport,
            ColdReaders coldReaders,
            Clock clock,
            long catchUpBytesPerSec) {
        this.facts = facts;
        this.source = source;
        this.slots = slots;
        this.loops = new FeedLoops(transport, coldReaders);
        this.ranges = new RangeReader(facts, source, coldReaders);
        this.clock = clock;
        this.catchUpBytesPerSec = catchUpBytesPerSec;
        this.refusals = new ReasonLog(clock);
    }

    /**
     * Names who hears, on event loops, of replicas that fit and say hello before this run has begun its epoch: they are not taken in,
     * but keep their connection. Before the port is open.
     */
    public void whileStarting(BiConsumer<Connection, HelloHeader> listener) {
        early = listener;
    }

    /** Names who is told where the log is damaged, on an event loop or a reading thread; must not block. Before the port is open. */
    public void onDamage(LongConsumer listener) {
        onDamage = listener;
        ranges.onDamage(listener);
    }

    /** What the replication port answers. */
    public HandlerTable handlers() {
        return stream().build();
    }

    /** As above, and offsets that consumers committed to a replica. */
    public HandlerTable handlers(RequestHandler<ReplicaOffsetsHeader, NoHeader> offsets) {
        return stream()
                .on(Rpcs.REPLICA_OFFSETS, (request, reply) -> {
                    if (isOf(request.from(), request.header().session(), reply)) {
                        offsets.handle(request, reply);
                    }
                })
                .build();
    }

    private HandlerTable.Builder stream() {
        return withoutHello().on(Rpcs.REPLICA_HELLO, this::hello);
    }

    /** As above, for who takes replicas in by a hello of its own: see {@link #takeIn}. */
    public HandlerTable.Builder withoutHello() {
        return HandlerTable.builder()
                .on(Rpcs.REPLICA_FORK, this::fork)
                .on(Rpcs.REPLICA_HELD, this::held)
                .on(Rpcs.REPLICA_RANGE, ranges::answer);
    }

    /** The log has grown. On the log loop; wakes each event loop that has a feed, once until it has looked. */
    public void logGrew() {
        begun = true;
        for (FeedSession session : sessions.values()) {
            int index = session.loopIndex();
            loops.wake(index, () -> pumpAll(index));
        }
    }

    /** The replicas that are connected, each with where its connection comes from. Any thread. */
    public Map<ReplicaSlot, String> connected() {
        Map<ReplicaSlot, String> all = new LinkedHashMap<>();
        sessions.values().forEach(session -> all.put(session.slot(), session.remoteAddress()));
        return all;
    }

    /**
     * For how many milliseconds the oldest message that a replica does not hold has been in the log; 0 while it holds all. Never more
     * than the time since it last said that it holds all, or since its hello; that time where the message cannot be looked at. Any thread.
     */
    public long lagMs(ReplicaSlot slot) {
        long bound = slot.lagMs(facts.endOffset(), clock.monotonicMs());
        OptionalLong stored = bound == 0 ? OptionalLong.empty() : facts.storedMs(slot.heldOffset());
        long ageMs = stored.isPresent() ? clock.wallMs() - stored.getAsLong() : bound;
        return ageMs < 0 ? bound : Math.min(bound, ageMs);
    }

    /** To the replicas that are connected, the farthest first. Any thread. */
    public List<Connection> connections() {
        return sessions.values().stream()
                .sorted(Comparator.comparingLong(session -> -session.slot().heldOffset()))
                .map(FeedSession::connection)
                .toList();
    }

    /** Whether each replica that is connected and counts holds all of the log, and was told that it is confirmed. Any thread. */
    public boolean areLevel(Predicate<InSyncMember> counting) {
        long end = facts.endOffset();
        return sessions.values().stream()
                .filter(session -> counting.test(session.slot().member()))
                .allMatch(session -> session.isLevel(end));
    }

    /** Ends all sessions; the replicas come again, or go elsewhere. Any thread. */
    public void close(String reason) {
        sessions.values().forEach(session -> session.end(reason));
    }

    private void pumpAll(int index) {
        for (FeedSession session : sessions.values()) {
            if (session.loopIndex() == index) {
                session.pump();
            }
        }
    }

    private void hello(Request<HelloHeader> request, Reply<HelloAnswer> reply) {
        HelloHeader hello = request.header();
        HelloAnswer own = facts.answer();
        boolean starting = !begun;
        Optional<String> refusal = starting ? HelloCheck.stranger(own, hello) : HelloCheck.refusal(own, hello);
        if (refusal.isPresent()) {
            refuse(request, reply, codeOf(own, hello, starting), refusal.get());
            return;
        }
        if (starting) {
            early.accept(request.from(), hello);
            reply.fail(ResponseCode.MASTER_IS_STARTING, "the master has not begun its epoch yet");
            return;
        }
        InSyncMember member = new InSyncMember(hello.brokerId(), hello.nodeId());
        ReplicaSlots.JoinResult result = slots.join(
                new ReplicaSlots.Candidate(
                        member, hello.session(), hello.run(), hello.restoring(), host(request.from())),
                clock.monotonicMs());
        if (result instanceof ReplicaSlots.Refused refused) {
            int code = refused.isTaken() ? ResponseCode.REPLICA_DOES_NOT_FIT : ResponseCode.SYSTEM_ERROR;
            refuse(request, reply, code, refused.reason());
        } else if (result instanceof ReplicaSlots.Joined joined) {
            takeIn(
                    request.from(),
                    FeedTerms.of(hello.session(), own.epoch(), hello.windowBytes(), catchUpBytesPerSec),
                    joined.slot());
            endOthersOf(member, request.from());
            reply.ok(own);
        }
    }

    /** Without the port, which is another one each time. */
    private static String host(Connection connection) {
        String address = connection.remoteAddress();
        int colon = address.lastIndexOf(':');
        return colon < 0 ? address : address.substring(0, colon);
    }

    /**
     * Feeds a replica that fits, over the connection of its hello, from its first REPLICA_HELD on. On the connection's event loop, before
     * the hello is answered.
     *
     * @param name how the log calls it, {@code key=value}
     * @param senderEpoch what the sender writes in
     * @param windowBytes how many bytes the replica takes ahead of what it holds
     * @return why it is not fed; empty when it is
     */
    public Optional<String> takeIn(
            Connection connection, ReplicaSlots.Candidate asking, String name, int senderEpoch, int windowBytes) {
        ReplicaSlots.JoinResult result = slots.join(asking, clock.monotonicMs());
        if (result instanceof ReplicaSlots.Joined joined) {
            FeedTerms terms = FeedTerms.of(asking.session(), senderEpoch, windowBytes, catchUpBytesPerSec);
            joined.slot().name(name);
            takeIn(connection, terms, joined.slot());
            endOthersOf(asking.member(), connection);
            return Optional.empty();
        }
        return Optional.of(((ReplicaSlots.Refused) result).reason());
    }

    /** Feeds nobody over a connection any more; it stays. On its event loop. */
    public void letGo(Connection connection) {
        gone(connection);
    }

    /** As {@link #letGo(Connection)}, soon. Any thread. */
    public void letGoSoon(Connection connection) {
        loops.run(connection, () -> gone(connection));
    }

    /** Feeds nobody any more; connections stay, for what else goes over them. Any thread. */
    public void letGo() {
        for (Connection connection : List.copyOf(sessions.keySet())) {
            loops.run(connection, () -> gone(connection));
        }
    }

    private void takeIn(Connection connection, FeedTerms terms, ReplicaSlot slot) {
        FeedSession session = new FeedSession(
                connection, loops, clock, facts, slot, new LogFeed(source, terms), offset -> onDamage.accept(offset));
        FeedSession before = sessions.put(connection, session);
        if (before != null) {
            before.closed(); // a second hello over the same connection begins anew
        } else {
            connection.onClose(this::gone);
        }
    }

    private void gone(Connection connection) {
        FeedSession session = sessions.remove(connection);
        if (session != null) {
            session.closed();
        }
    }

    private void endOthersOf(InSyncMember member, Connection now) {
        sessions.forEach((connection, session) -> {
            if (!connection.equals(now) && session.slot().member().equals(member)) {
                session.end("the replica said hello over another connection");
            }
        });
    }

    /** What a replica is to make of it: it may begin anew, is to be read by nobody, or may come again. */
    private static int codeOf(HelloAnswer own, HelloHeader hello, boolean starting) {
        if (!starting && HelloCheck.mustRefill(own, hello)) {
            return ResponseCode.REPLICA_MUST_REFILL;
        }
        return HelloCheck.differsInFormat(own, hello) ? ResponseCode.SYSTEM_ERROR : ResponseCode.REPLICA_DOES_NOT_FIT;
    }

    private void refuse(Request<HelloHeader> request, Reply<HelloAnswer> reply, int code, String reason) {
        if (refusals.isNews(reason)) {
            LOG.warn(
                    "event=replica_refused remote={} brokerId={} node={} reason=\"{}\"",
                    request.from().remoteAddress(),
                    request.header().brokerId(),
                    request.header().nodeId(),
                    reason);
        }
        reply.fail(code, reason);
    }

    private void fork(Request<ForkHeader> request, Reply<ForkAnswer> reply) {
        if (isOf(request.from(), request.header().session(), reply)) {
            reply.ok(facts.fork(request.header().epoch()));
        }
    }

    /** Whether a request comes over the connection of its session; answered when it does not. */
    private boolean isOf(Connection from, long session, Reply<?> reply) {
        FeedSession known = sessions.get(from);
        if (known != null && known.slot().session() == session) {
            return true;
        }
        reply.fail(ResponseCode.SYSTEM_ERROR, "session " + session + " did not begin with a hello here");
        return false;
    }

    private void held(Request<HeldHeader> request, Reply<NoHeader> reply) {
        FeedSession session = sessions.get(request.from());
        if (session != null) {
            session.held(request.header());
        }
        reply.ok(NoHeader.NONE);
    }
}
