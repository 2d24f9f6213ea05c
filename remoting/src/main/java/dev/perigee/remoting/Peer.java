package dev.perigee.remoting;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.Transport;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One address that a client calls, with its connection or the attempt to open it, which concurrent callers share. */
@ThreadSafe
final class Peer {
    private static final long RETIRE_PAUSE_MS = 1_000;

    private final String address;
    private final InetSocketAddress target;
    private final Sessions sessions;
    private final Transport transport;
    private final LinkOptions options;
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile @Nullable Session current;
    private volatile boolean agreeing;
    private @Nullable CompletableFuture<Session> attempt;
    private boolean retiredBefore;
    private long retiredMs;

    Peer(String address, InetSocketAddress target, Sessions sessions, Transport transport, LinkOptions options) {
        this.address = address;
        this.target = target;
        this.sessions = sessions;
        this.transport = transport;
        this.options = options;
    }

    /** The open connection, or null. */
    @Nullable
    Session openSession() {
        Session session = current;
        return session != null && session.isOpen() ? session : null;
    }

    /** Takes a place among the calls that wait for the connection to open; false when all are taken. */
    boolean startWaiting() {
        if (waiting.incrementAndGet() <= sessions.limits().maxPendingCalls()) {
            return true;
        }
        waiting.decrementAndGet();
        return false;
    }

    void endWaiting() {
        waiting.decrementAndGet();
    }

    /** The open connection, or the attempt to open one, started if there is none. */
    CompletableFuture<Session> connect() {
        CompletableFuture<Session> mine;
        // guards the choice who connects: callers come on any thread and must not open two connections
        synchronized (this) {
            Session session = openSession();
            if (session != null) {
                return CompletableFuture.completedFuture(session);
            }
            CompletableFuture<Session> running = attempt;
            if (running != null) {
                return running;
            }
            mine = new CompletableFuture<>();
            attempt = mine;
            agreeing = false;
        }
        try {
            transport.connect(
                    target,
                    options,
                    sessions.newReceiver(() -> agreeing = true, session -> succeeded(mine, session)),
                    cause -> failed(mine, cause));
        } catch (RejectedExecutionException e) {
            failed(mine, e);
        }
        return mine;
    }

    /** What a call waits for that waits for the connection to open, for people. */
    String waitedFor() {
        return agreeing
                ? "the peer was reached, but the TLS handshake with it had not finished"
                : "the connection was not open yet";
    }

    /**
     * No further call goes over this session; the calls on it may end. False when this session itself has replaced one that
     * was retired a moment ago: whoever listens at this address is going away as a whole, and nothing is gained by yet
     * another connection. On the session's event loop.
     */
    boolean retire(Session session) {
        synchronized (this) {
            if (current == session) {
                long nowMs = sessions.clock().monotonicMs();
                if (retiredBefore && nowMs - retiredMs < RETIRE_PAUSE_MS) {
                    return false;
                }
                retiredBefore = true;
                retiredMs = nowMs;
                current = null;
            }
        }
        session.closeWhenCallsEnd();
        return true;
    }

    private void succeeded(CompletableFuture<Session> mine, Session session) {
        session.belongTo(this);
        synchronized (this) {
            current = session;
            attempt = null;
        }
        mine.complete(session);
    }

    private void failed(CompletableFuture<Session> mine, Throwable cause) {
        synchronized (this) {
            attempt = null;
        }
        mine.completeExceptionally(new RemotingException.ConnectFailed(address, cause));
    }
}
