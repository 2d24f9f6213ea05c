package dev.perigee.remoting;

import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.transport.Payload;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a peer; either side may call the other. All methods may be called from any thread and none blocks.
 * Connections are compared by identity.
 */
public interface Connection {
    /** The peer's address as {@code ip:port}. */
    String remoteAddress();

    /** The peer's address. */
    InetSocketAddress remote();

    /** Our own address on this connection. */
    InetSocketAddress local();

    /** False from the moment the connection is lost or closed. */
    boolean isOpen();

    /** Whether little enough is queued towards the peer that more can be sent. */
    boolean isWritable();

    /**
     * Sends a request and gives its answer, completed on this connection's event loop. It fails with a {@link
     * dev.perigee.remoting.call.RemotingException}: timeout at the deadline, connection closed, too many calls waiting,
     * frame too large. An answer with a code other than 0 is no failure.
     *
     * @param body the body, which the caller no longer changes; null or empty for none
     */
    <Q extends Record, R extends Record> CompletableFuture<Answer<R>> call(
            Rpc<Q, R> rpc, Q header, byte @Nullable [] body, Deadline deadline);

    /** Sends a request that gets no answer. It is dropped and counted when the connection is closed or too full. */
    <Q extends Record, R extends Record> void oneway(Rpc<Q, R> rpc, Q header, byte @Nullable [] body);

    /** As {@link #oneway}, with a body that is lent: released once, when it went out or was dropped. */
    <Q extends Record, R extends Record> void onewayLent(Rpc<Q, R> rpc, Q header, Payload body);

    /**
     * Takes nothing more from the peer until {@link #resumeReading}: what it sends stays in the network, answers to own calls too.
     * On this connection's event loop; for a handler whose work finds no room.
     */
    void pauseReading();

    /** Takes from the peer again, what is here already before this returns. On this connection's event loop, not from a handler. */
    void resumeReading();

    /** Calls the listener on this connection's event loop when it has closed; at once when it already has. */
    void onClose(Consumer<Connection> listener);

    /** Runs the task on this connection's event loop: at once when called there, soon otherwise. */
    void execute(Runnable task);

    /** The number of this connection's event loop. */
    int loopIndex();

    /** When it was opened, or taken in; monotonic milliseconds. */
    long openedMs();

    /** Ends the connection; the reason is logged and named in the failures of waiting calls. */
    void close(String reason);
}
