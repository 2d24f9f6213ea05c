package dev.perigee.remoting.transport;

import java.nio.ByteBuffer;

/** What a transport tells the owner of a link. All methods are called on the link's event loop. */
public interface LinkEvents {
    /** The link is open and can be written to. Comes first, once. */
    void opened(Link link);

    /**
     * Bytes have arrived. The receiver moves the position past every complete frame; the rest, less than one frame, comes
     * again with more bytes behind it. The buffer and slices of it are valid only during the call.
     */
    void received(ByteBuffer bytes);

    /** No more bytes are at hand: the end of a burst. */
    void burstEnded();

    /** The queue has sunk below the low water mark after it had been above the high one. */
    void writableAgain();

    /** The link is closed. Comes last, once, if {@link #opened} came. */
    void closed(String reason);
}
