package dev.perigee.replica;

import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.store.frame.FrameLayout;

/** The figures of the replication stream that both sides rely on, and what happens at each. */
public final class StreamLimits {
    /** The format of the stream spoken here; a replica that speaks a newer one is refused. */
    public static final int FORMAT = 1;

    /** The highest feature level of facts understood here; a replica below the level of the log is refused. */
    public static final int FEATURE_LEVEL = FactCodec.LEVEL;

    /** Bytes sent and not yet held at most; at this limit a feed sends nothing but heartbeats. */
    public static final int WINDOW_BYTES = 8 << 20;

    /** Bytes of the log in one frame at most; a larger unit goes in fragments. */
    public static final int FRAME_BYTES = 256 << 10;

    /**
     * The largest unit: more than is appended ({@code StoreConfig.MAX_UNIT_BYTES}) by what the broker may add to a message. A larger one is
     * not put together: the connection is closed.
     */
    public static final int UNIT_BYTES = 17 << 20;

    /** That more is confirmed is told after this time at the latest, also when nothing else is to be sent. */
    public static final long CONFIRM_MS = 20;

    /** A frame goes down, and one up, at least so often. */
    public static final long HEARTBEAT_MS = 500;

    /** For so long without progress of the replica its feed keeps one segment from being deleted, and no longer (R35). */
    public static final long PIN_MS = 600_000;

    /** Replicas of one master at most; a further hello is refused. */
    public static final int REPLICAS = 32;

    /** Of a blank only its head is sent: size and magic. */
    public static final int BLANK_BYTES = FrameLayout.HEAD_BYTES;

    private StreamLimits() {}
}
