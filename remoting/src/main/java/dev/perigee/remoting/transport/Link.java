package dev.perigee.remoting.transport;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One open byte connection of a transport. All methods are called on {@link #loop()}'s thread, except those that say
 * otherwise.
 */
public interface Link {
    /** The peer's address. Any thread. */
    InetSocketAddress remote();

    /** Our own address. Any thread. */
    InetSocketAddress local();

    /** The event loop that owns this link. Any thread. */
    LoopExecutor loop();

    /**
     * Queues one frame: the head is copied, the body is taken over and released exactly once. Nothing is sent before
     * {@link #flush}, except when the queue grows large. On a closed link the frame is dropped and its body released.
     */
    void write(byte[] head, int headSizeBytes, @Nullable Payload body);

    /** Sends what is queued, as far as the peer takes it; the rest follows by itself. */
    void flush();

    /** Whether the queue is below the high water mark, or has sunk below the low one since. Any thread. */
    boolean isWritable();

    /** Bytes queued and not yet taken by the peer's side. Any thread. */
    long queuedBytes();

    /** Stops taking bytes from the peer; they stay in the network. */
    void pauseReading();

    /** Takes bytes again; those already here are handed up first, before this method returns. */
    void resumeReading();

    /** Ends the link at once; queued bytes are dropped. Any thread. */
    void close();

    /** Ends the link when all queued bytes are sent, at the latest after that many milliseconds. Any thread. */
    void closeWhenSent(long timeoutMs);
}
