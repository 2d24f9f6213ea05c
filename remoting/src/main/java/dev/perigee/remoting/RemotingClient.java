package dev.perigee.remoting;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.transport.Transport;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Calls peers by address over one connection each, opened at the first call and again after it was lost. Addresses are
 * {@code host:port}, split at the last colon.
 */
@ThreadSafe
@SuppressWarnings("DoNotCallSuggester")
public final class RemotingClient implements AutoCloseable {
    public RemotingClient(ClientConfig config, Transport transport, Clock clock) {
        throw new UnsupportedOperationException();
    }

    /** Sets who answers requests the peers send over our connections; to be called before the first call. */
    public void onRequest(HandlerTable handlers) {
        throw new UnsupportedOperationException();
    }

    /** Tells this listener about connections; to be called before the first call. */
    public void onConnections(ConnectionListener listener) {
        throw new UnsupportedOperationException();
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
        throw new UnsupportedOperationException();
    }

    /**
     * As {@link #call}, waiting for the answer. Blocks up to the deadline; not to be called on an event loop.
     *
     * @throws RemotingException when no answer came
     */
    public <Q extends Record, R extends Record> Answer<R> callBlocking(
            String address, Rpc<Q, R> rpc, Q header, byte @Nullable [] body, Deadline deadline)
            throws RemotingException, InterruptedException {
        throw new UnsupportedOperationException();
    }

    /** Sends a request that gets no answer. It is dropped and counted when there is no way to send it. */
    public <Q extends Record, R extends Record> void oneway(
            String address, Rpc<Q, R> rpc, Q header, byte @Nullable [] body) {
        throw new UnsupportedOperationException();
    }

    /** The open connection to this address; opened when there is none. Fails with a {@link RemotingException}. */
    public CompletableFuture<Connection> connect(String address) {
        throw new UnsupportedOperationException();
    }

    /** The open connection to this address, if there is one now. */
    public Optional<Connection> connection(String address) {
        throw new UnsupportedOperationException();
    }

    /** Closes the connection to this address, if there is one; calls waiting on it fail. */
    public void close(String address) {
        throw new UnsupportedOperationException();
    }

    /** What has been counted so far. */
    public RemotingCounters counters() {
        throw new UnsupportedOperationException();
    }

    /** Closes all connections; calls waiting on them fail with {@code ConnectionClosed}. Idempotent. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
