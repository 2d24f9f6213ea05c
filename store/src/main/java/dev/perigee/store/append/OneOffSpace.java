package dev.perigee.store.append;

import dev.perigee.loop.ThreadSafe;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Memory for units a ring has no room for, and for facts: allocated one by one, bounded in total. */
@ThreadSafe
final class OneOffSpace implements ChunkSpace {
    private final long maxBytes;
    private final AtomicLong used = new AtomicLong();

    OneOffSpace(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Allocates a buffer, or answers null when too much is out already. One alone always fits. */
    @Nullable
    ByteBuffer reserve(int bytes) {
        long total = used.addAndGet(bytes);
        if (total > maxBytes && total != bytes) {
            used.addAndGet(-bytes);
            return null;
        }
        return ByteBuffer.allocate(bytes);
    }

    @Override
    public void release(long spaceEnd, int bytes) {
        used.addAndGet(-bytes);
    }
}
