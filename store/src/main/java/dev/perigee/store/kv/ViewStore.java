package dev.perigee.store.kv;

import dev.perigee.store.view.LogPosition;
import java.io.IOException;
import java.util.Optional;

/**
 * One view's private map from key to value, ordered by the unsigned bytes of the key, larger than memory. The log is its
 * write-ahead log: what was written since the last {@link #flush} may be lost with the process, but always together with
 * the position it brought the map to, so that a restart replays exactly what is missing (R16).
 *
 * <p>The view loop writes; any thread reads, and sees the writes that had returned when it began. Keys and values are the
 * caller's to keep unchanged until the call returns, and the callee's copies when handed out. Whatever is called after
 * {@link #close} or {@link #destroy} fails with an IOException, except those two.
 */
public interface ViewStore extends AutoCloseable {
    /** How far the map had come when it was opened; empty when it was new. Does not move with {@link #write}. */
    Optional<LogPosition> position();

    /**
     * Makes all changes of a batch, in its order, and the position they bring the map to: all or none survive a crash.
     * Does not wait for the disk, unless the disk is so slow that the memory for what is not yet on it is used up.
     *
     * @param reached every entry of the log below it is folded in
     * @throws IOException when the store cannot take it; it is not to be written again, the node must stop
     */
    void write(ViewBatch batch, LogPosition reached) throws IOException;

    /** The value of a key. May wait for the disk. */
    Optional<byte[]> get(byte[] key) throws IOException;

    /**
     * Walks ascending over the keys from {@code from} (inclusive) to {@code to} (exclusive) as they are at the call, until
     * the visitor has enough. May wait for the disk. The visitor must not close the store.
     */
    void scan(byte[] from, byte[] to, KeyVisitor visitor) throws IOException;

    /** Makes everything written before this call durable. Waits for the disk; on the preparer. */
    void flush() throws IOException;

    /** Closes the map and removes it from the disk. Waits for calls under way; idempotent. */
    void destroy() throws IOException;

    /** Ends without a flush. Waits for calls under way; idempotent. */
    @Override
    void close() throws IOException;
}
