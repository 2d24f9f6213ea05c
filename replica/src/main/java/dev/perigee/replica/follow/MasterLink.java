package dev.perigee.replica.follow;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.ForkHeader;
import dev.perigee.protocol.header.replica.HeldHeader;
import dev.perigee.protocol.header.replica.RangeAnswer;
import dev.perigee.protocol.header.replica.RangeHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Transport;
import dev.perigee.replica.ReasonLog;
import dev.perigee.replica.feed.RangeReader;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica towards its master: keeps one connection to it, over which it follows. When the connection ends, for whatever
 * reason, it connects again after {@link #RETRY_MS} and begins a new session where its log ends.
 */
@ThreadSafe
public final class MasterLink implements AutoCloseable {
    /** Between the end of a connection and the next attempt. */
    static final long RETRY_MS = 1_000;

    /** So long the word of a NameServer counts; who lacks its master asks more often. */
    private static final long NAMED_MS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(MasterLink.class);

    private volatile String address;
    private final Transport transport;
    private final Clock clock;
    private final RandomGenerator random;
    private final ReplicaLog log;
    private final RemotingClient client;
    private final ReasonLog reasons;
    private final AtomicBoolean heldMoved = new AtomicBoolean();
    private volatile @Nullable FollowSession session;
    private volatile @Nullable RangeReader ranges;
    private volatile boolean closed;
    /** Whether the last attempt to connect was met. */
    private volatile boolean reached;
    /** When a NameServer named a master last. */
    private volatile long namedMs = Long.MIN_VALUE / 2;

    /**
     * Ties it to the log; before the store's loops run.
     *
     * @param address of the master's replication port, {@code host:port}; empty while it is not known
     * @param config of the connection to it
     */
    public MasterLink(
            String address,
            ReplicaLog log,
            Transport transport,
            ClientConfig config,
            Clock clock,
            RandomGenerator random) {
        this.address = address;
        this.transport = transport;
        this.clock = clock;
        this.random = random;
        this.log = log;
        this.client = new RemotingClient(config, transport, clock);
        this.reasons = new ReasonLog(clock);
        client.onRequest(HandlerTable.builder()
                .on(Rpcs.REPLICA_FETCHED, this::fetched)
                .on(Rpcs.REPLICA_FORK, this::fork)
                .on(Rpcs.REPLICA_TAIL, this::tail)
                .on(Rpcs.REPLICA_RANGE, this::range)
                .build());
        log.onHeld(this::heldMoved);
    }

    /**
     * The master's replication port is there, {@code host:port}: from the next attempt to connect on. One that is elsewhere and does not feed this
     * replica, as while it waits for others, is left. Any thread.
     */
    public void masterAt(String told) {
        namedMs = clock.monotonicMs();
        goTo(told);
    }

    private void goTo(String told) {
        if (told.equals(address)) {
            return;
        }
        LOG.info("event=master_found address={} before={}", told, address);
        address = told;
        FollowSession now = session;
        if (now != null && !now.isFollowing()) {
            now.connection().close("the master is at " + told);
        }
    }

    /**
     * A master that waits for its slaves says that it is there, {@code host:port}: counts while no connection to one is open, and none that
     * NameServers name is reached. Any thread.
     */
    public void masterWaitsAt(String told) {
        FollowSession now = session;
        boolean isConnected = now != null && now.connection().isOpen();
        boolean isNamed = reached && clock.monotonicMs() - namedMs < NAMED_MS;
        if (!isConnected && !isNamed) {
            goTo(told);
        }
    }

    /** Names what answers a master whose log is damaged (R28). Before it starts. */
    public void answerRanges(RangeReader reader) {
        ranges = reader;
    }

    /** To the master, while its stream runs. Any thread. */
    public Optional<Connection> connection() {
        FollowSession now = session;
        return now == null || !now.isStreaming() ? Optional.empty() : Optional.of(now.connection());
    }

    /** Follows from now on. The store's loops run. */
    public void start() {
        connect();
    }

    /** Follows no more; what was handed to the log is still written. */
    @Override
    public void close() {
        closed = true;
        client.close();
    }

    /** This replica is restoring no more: its master is to know. Any thread. */
    public void restored() {
        FollowSession now = session;
        if (now != null) {
            now.greetAnew();
        }
    }

    /** Whether a session streams now, or is about to stream again. Any thread. */
    public boolean isFollowing() {
        FollowSession now = session;
        return now != null && now.isFollowing();
    }

    /** Whether a session streams now, and the views, which are that far, show all that the master had when it began. Any thread. */
    public boolean hasShown(long appliedOffset) {
        FollowSession now = session;
        return now != null && now.isStreaming() && appliedOffset >= now.masterEndOffset();
    }

    /** Why its master and this replica do not fit, since that was found and until a stream begins; empty where nothing is known of that. Any thread. */
    public Optional<String> refusal() {
        return log.refusal().reason();
    }

    /** Whether there is a {@link #refusal}, and the master is there. Any thread. */
    public boolean isTurnedAway() {
        return reached && refusal().isPresent();
    }

    /**
     * Hands up what consumers committed here; it counts as logged when that is answered with true. Any thread.
     */
    public CompletableFuture<Boolean> passUp(List<QueueCommit> commits) {
        FollowSession now = session;
        return now == null ? CompletableFuture.completedFuture(false) : now.passUp(commits);
    }

    /**
     * Tells the master that this replica stops; it follows until it is closed. Any thread.
     *
     * @return completed soon, whether or not the master could be told
     */
    public CompletableFuture<?> leave() {
        FollowSession now = session;
        return now == null ? CompletableFuture.completedFuture(Boolean.TRUE) : now.leave();
    }

    /** How it follows, for tools. Any thread. */
    public HaStatus.FollowState state() {
        FollowSession now = session;
        return new HaStatus.FollowState(
                address,
                log.bytesPerSec(clock.monotonicMs()),
                log.endOffset(),
                now == null ? 0 : wallMs(now.heardMs()),
                now == null ? 0 : wallMs(now.toldMs()),
                log.confirmOffset(),
                isFollowing());
    }

    private long wallMs(long monotonicMs) {
        return monotonicMs == 0 ? 0 : clock.wallMs() - (clock.monotonicMs() - monotonicMs);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the connection ends in the callback
    private void connect() {
        if (closed) {
            return;
        }
        String now = address;
        if (now.isEmpty()) {
            if (reasons.isNews("no address")) {
                LOG.info("event=master_not_known reason=\"no NameServer names a master of this broker's name yet\"");
            }
            retryLater();
            return;
        }
        client.connect(now).whenComplete((connection, failure) -> {
            reached = connection != null;
            if (connection == null) {
                notReached(now, failure);
                retryLater();
            } else {
                transport.loop(connection.loopIndex()).execute(() -> follow(connection));
            }
        });
    }

    private void notReached(String where, @Nullable Throwable failure) {
        if (reasons.isNews("not reached: " + where)) {
            LOG.warn(
                    "event=master_not_reached address={} reason=\"{}\" lookAt=\"does the master run, is brokerRole or haListenPort in its"
                            + " file, may this machine connect to that port\"",
                    where,
                    String.valueOf(failure));
        }
        LOG.debug("event=master_not_reached address={}", where, failure);
    }

    private void follow(Connection connection) {
        LoopExecutor loop = transport.loop(connection.loopIndex());
        FollowSession begun = new FollowSession(connection, loop, random.nextLong() | 1, log, reasons, clock);
        session = begun;
        connection.onClose(ended -> {
            begun.over();
            retryLater();
        });
        begun.begin();
    }

    private void retryLater() {
        if (closed) {
            return;
        }
        try {
            transport.loop(0).schedule(RETRY_MS, this::connect);
        } catch (RejectedExecutionException e) {
            LOG.debug("event=master_not_retried reason=\"the event loops have stopped\"", e);
        }
    }

    private void fetched(Request<FetchedHeader> request, Reply<NoHeader> reply) {
        FollowSession now = session;
        if (now != null && now.runsOver(request.from())) {
            now.fetched(request.header(), request.body());
        }
        reply.ok(NoHeader.NONE);
    }

    private void fork(Request<ForkHeader> request, Reply<ForkAnswer> reply) {
        if (isAsked(request, request.header().session(), reply)) {
            log.answers().fork(request.header(), reply);
        }
    }

    private void tail(Request<HeldHeader> request, Reply<FetchedHeader> reply) {
        if (isAsked(request, request.header().session(), reply)) {
            log.answers().tail(request.header(), reply);
        }
    }

    private void range(Request<RangeHeader> request, Reply<RangeAnswer> reply) {
        RangeReader reader = ranges;
        if (reader == null) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "nothing is read here for others");
        } else {
            reader.answer(request, reply);
        }
    }

    /** Only the master that starts is answered, over the connection on which it said so. */
    private boolean isAsked(Request<?> request, long number, Reply<?> reply) {
        FollowSession now = session;
        boolean asked = now != null && now.mayBeAsked(request.from(), number);
        if (!asked) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "session " + number + " is not with a master that starts");
        }
        return asked;
    }

    /** On the log loop: one frame up for all that moved until the event loop has its turn. */
    private void heldMoved() {
        FollowSession now = session;
        if (now != null && heldMoved.compareAndSet(false, true)) {
            try {
                now.loop().execute(() -> {
                    heldMoved.set(false);
                    now.tellHeld();
                });
            } catch (RejectedExecutionException e) {
                heldMoved.set(false);
                LOG.debug("event=held_not_told reason=\"the event loops have stopped\"", e);
            }
        }
    }
}
