package dev.perigee.remoting;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.PendingCall;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.counter.RemotingCounters;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Transport;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls peers by address over one connection each, opened at the first call and again after it was lost. Addresses are
 * {@code host:port}, split at the last colon.
 */
@ThreadSafe
public final class RemotingClient implements AutoCloseable {
    /** A blocking caller waits this much longer than the deadline, so that the event loop's own verdict comes first. */
    private static final long VERDICT_GRACE_MS = 1_000;

    private static final int MAX_PORT = 65_535;

    private final Transport transport;
    private final Sessions sessions;
    private final LinkOptions linkOptions;
    private final Map<String, Peer> peers = new ConcurrentHashMap<>();

    public RemotingClient(ClientConfig config, Transport transport, Clock clock) {
        this.transport = transport;
        this.sessions = new Sessions("client", config.limits(), HandlerTable.empty(), transport, clock)
                .serialization(config.serialization())
                .onGoAway(this::wentAway);
        this.linkOptions = new LinkOptions(
                config.limits().highWaterBytes(),
                config.limits().lowWaterBytes(),
                config.connectTimeoutMs(),
                config.tls());
    }

    /** Sets who answers requests the peers send over our connections; to be called before the first call. */
    public void onRequest(HandlerTable handlers) {
        sessions.handlers(handlers);
    }

    /** Tells this listener about connections; to be called before the first call. */
    public void onConnections(ConnectionListener listener) {
        sessions.listener(listener);
    }

    /**
     * Sends a request and gives its answer, completed on an event loop. It fails with a {@link RemotingException}, at the
     * latest at the deadline, connecting included. When the peer answers 1500 (go away), the request is sent once more over
     * a new connection.
     *
     * @param body the body, which the caller no longer changes; null or empty for none
     */
    public <Q extends Record, R extends Record> CompletableFuture<Answer<R>> call(
            String address, Rpc<Q, R> rpc, Q header, byte @Nullable [] body, Deadline deadline) {
        PendingCall<Q, R> call = new PendingCall<>(rpc, header, body, address, deadline);
        call.allowGoingElsewhere();
        try {
            start(peer(address), call);
        } catch (RemotingException e) {
            call.fail(e);
        }
        return call.future();
    }

    /**
     * As {@link #call}, waiting for the answer. Blocks up to the deadline; not to be called on an event loop.
     *
     * @throws RemotingException when no answer came
     */
    public <Q extends Record, R extends Record> Answer<R> callBlocking(
            String address, Rpc<Q, R> rpc, Q header, byte @Nullable [] body, Deadline deadline)
            throws RemotingException, InterruptedException {
        if (sessions.isOnLoop()) {
            throw new IllegalStateException("a blocking call of " + rpc + " on an event loop");
        }
        CompletableFuture<Answer<R>> answer = call(address, rpc, header, body, deadline);
        try {
            return answer.get(deadline.remainingMs() + VERDICT_GRACE_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RemotingException failure) {
                throw failure;
            }
            throw new IllegalStateException(rpc + " to " + address + " failed in an unforeseen way", e);
        } catch (TimeoutException e) {
            RemotingException failure = new RemotingException.CallTimeout(address, rpc.name(), deadline);
            failure.addSuppressed(e);
            throw failure;
        }
    }

    /** Sends a request that gets no answer. It is dropped and counted when there is no way to send it. */
    @SuppressWarnings("FutureReturnValueIgnored") // what follows the connection ends in the callback
    public <Q extends Record, R extends Record> void oneway(
            String address, Rpc<Q, R> rpc, Q header, byte @Nullable [] body) {
        Optional<Connection> open = connection(address);
        if (open.isPresent()) {
            open.get().oneway(rpc, header, body);
            return;
        }
        connect(address).whenComplete((connection, failure) -> {
            if (connection == null) {
                sessions.counters().droppedOneways.increment();
            } else {
                connection.oneway(rpc, header, body);
            }
        });
    }

    /** The open connection to this address; opened when there is none. Fails with a {@link RemotingException}. */
    @SuppressWarnings("FutureReturnValueIgnored") // what follows the connection ends in the callback
    public CompletableFuture<Connection> connect(String address) {
        CompletableFuture<Connection> connected = new CompletableFuture<>();
        try {
            peer(address).connect().whenComplete((session, failure) -> {
                if (session == null) {
                    connected.completeExceptionally(failure);
                } else {
                    connected.complete(session);
                }
            });
        } catch (RemotingException e) {
            connected.completeExceptionally(e);
        }
        return connected;
    }

    /** As {@link #connect(String)}, failing at the deadline at the latest; the attempt to open it goes on for whoever comes next. */
    public CompletableFuture<Connection> connect(String address, Deadline deadline) {
        CompletableFuture<Connection> connected = connect(address);
        if (!connected.isDone()) {
            endAt(deadline, address, connected);
        }
        return connected;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the connection ends in the callback
    private void endAt(Deadline deadline, String address, CompletableFuture<Connection> connected) {
        LoopExecutor.Scheduled end;
        try {
            end = transport
                    .loop(0)
                    .schedule(
                            deadline.remainingMs(),
                            () -> connected.completeExceptionally(new RemotingException.ConnectFailed(
                                    address, "not open after " + deadline.limitMs() + " ms" + state(address), null)));
        } catch (RejectedExecutionException e) {
            connected.completeExceptionally(new RemotingException.ConnectFailed(address, e));
            return;
        }
        connected.whenComplete((connection, failure) -> end.cancel());
    }

    private String state(String address) {
        Peer peer = peers.get(address);
        return peer == null ? "" : ": " + peer.waitedFor();
    }

    /** The open connection to this address, if there is one now. */
    public Optional<Connection> connection(String address) {
        Peer peer = peers.get(address);
        return peer == null ? Optional.empty() : Optional.ofNullable(peer.openSession());
    }

    /** Closes the connection to this address, if there is one; calls waiting on it fail. */
    public void close(String address) {
        connection(address).ifPresent(connection -> connection.close("closed by the caller"));
    }

    /** What has been counted so far. */
    public RemotingCounters counters() {
        return sessions.snapshot();
    }

    /** Closes all connections; calls waiting on them fail with {@code ConnectionClosed}. Idempotent. */
    @Override
    public void close() {
        sessions.close("the client is closing");
    }

    private void start(Peer peer, PendingCall<?, ?> call) {
        Session session = peer.openSession();
        if (session != null) {
            session.start(call);
        } else if (sessions.isClosing()) {
            call.failClosed("the client is closing");
        } else if (peer.startWaiting()) {
            startWhenConnected(peer, call);
        } else {
            call.failTooMany("too many calls wait for the connection to open (limit maxPendingCalls)");
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the connection ends in the callback
    private void startWhenConnected(Peer peer, PendingCall<?, ?> call) {
        LoopExecutor.Scheduled timeout;
        try {
            timeout = transport
                    .loop(0)
                    .schedule(call.deadline().remainingMs(), () -> call.failTimeout(": " + peer.waitedFor()));
        } catch (RejectedExecutionException e) {
            peer.endWaiting();
            call.failClosed("the event loops have stopped");
            return;
        }
        peer.connect().whenComplete((session, failure) -> {
            timeout.cancel();
            peer.endWaiting();
            if (session == null) {
                call.fail(failure);
            } else {
                session.start(call);
            }
        });
    }

    /** The peer said that it is going away: later calls take a new connection, and so does this one, once. */
    private boolean wentAway(Session session, PendingCall<?, ?> call) {
        Peer peer = session.peer();
        if (peer == null || !peer.retire(session)) {
            return false;
        }
        start(peer, call);
        return true;
    }

    private Peer peer(String address) throws RemotingException {
        Peer known = peers.get(address);
        if (known != null) {
            return known;
        }
        InetSocketAddress target = parse(address);
        return peers.computeIfAbsent(address, asked -> new Peer(asked, target, sessions, transport, linkOptions));
    }

    private static InetSocketAddress parse(String address) throws RemotingException {
        int colon = address.lastIndexOf(':');
        try {
            int port = Integer.parseInt(address.substring(colon + 1));
            if (colon > 0 && port > 0 && port <= MAX_PORT) {
                return InetSocketAddress.createUnresolved(address.substring(0, colon), port);
            }
        } catch (NumberFormatException e) {
            throw new RemotingException.ConnectFailed(address, "the address is not host:port", e);
        }
        throw new RemotingException.ConnectFailed(address, "the address is not host:port", null);
    }
}
