package dev.perigee.remoting.transport;

import java.nio.ByteBuffer;

/** What a transport tells the owner of a link. All methods are called on the link's event loop. */
public interface LinkEvents {
    /** The other end is reached, and TLS is being agreed on with it. Comes before the link is open, where this side asks for TLS. */
    default void agreeing() {}

    /** The link is open and can be written to. Comes once, before what follows. */
    void opened(Link link);

    /**
     * Bytes have arrived. The receiver moves the position past every complete frame it takes; the rest comes again with
     * more bytes behind it. The buffer and slices of it are valid only during the call.
     *
     * @return how many bytes the frame at the position needs in all, as far as it is known by now; what is kept of it never
     *     takes more memory than this or twice what has arrived, whichever is less
     */
    int received(ByteBuffer bytes);

    /** No more bytes are at hand: the end of a burst. */
    void burstEnded();

    /** The queue has sunk below the low water mark after it had been above the high one. */
    void writableAgain();

    /** The link is closed. Comes last, once, if {@link #opened} came. */
    void closed(String reason);
}
