package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where one event loop encodes frames and hands them to the log loop. Not thread-safe: one per event loop.
 *
 * <p>Use: {@link #reserve}, encode the complete unit into the lent buffer, {@link #submit}. A reservation that is not
 * submitted is simply replaced by the next one.
 */
@OwnedBy("event loop")
@SuppressWarnings("DoNotCallSuggester") // bodies follow
public final class Appender {
    Appender() {}

    /**
     * Lends space for one unit. The buffer's position is the first byte to write and its limit the end of the space; it
     * is the same object each time and must be full before the submit. Queue offset, physical offset, store timestamp
     * and the stamp's digits are filled in by the log loop.
     *
     * @return null when there is no room; {@link #refusal()} then says why
     */
    public @Nullable ByteBuffer reserve(int sizeBytes) {
        throw new UnsupportedOperationException();
    }

    /** Why the last {@link #reserve} lent nothing. */
    public AppendResult refusal() {
        throw new UnsupportedOperationException();
    }

    /** Hands the last reserved space over as one unit. Completes at once, on this thread, when refused. */
    public void submit(AppendRequest request) {
        throw new UnsupportedOperationException();
    }

    /** The largest unit that can be reserved. */
    public int maxUnitBytes() {
        throw new UnsupportedOperationException();
    }
}
