package dev.perigee.store.queue;

/** Knows when a frame of the log was stored. Thread-safe; may block. */
@FunctionalInterface
public interface FrameTimes {
    /** What is answered for a frame that the log does not hold any more. */
    long GONE = -1;

    /** The store timestamp of the frame at an offset, {@link #GONE} when it was trimmed. */
    long storeTimestampMs(long physicalOffset, int sizeBytes);
}
