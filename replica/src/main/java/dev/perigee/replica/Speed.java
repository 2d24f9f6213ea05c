package dev.perigee.replica;

import dev.perigee.loop.ThreadSafe;

/** How fast an offset moves, taken at most every second. One thread tells of it, any thread asks. */
@ThreadSafe
public final class Speed {
    private static final long WINDOW_MS = 1_000;
    /** Longer ago says nothing of now. */
    private static final long STALE_MS = 5_000;

    private record Sample(long offset, long atMs, long bytesPerSec) {
        private boolean isNone() {
            return atMs == Long.MIN_VALUE;
        }
    }

    private static final Sample NONE = new Sample(0, Long.MIN_VALUE, 0);

    private volatile Sample last = NONE;

    /** The offset is there now; monotonic milliseconds. */
    public void at(long offset, long nowMs) {
        Sample before = last;
        if (before.isNone()) {
            last = new Sample(offset, nowMs, 0);
        } else if (nowMs - before.atMs() >= WINDOW_MS) {
            long moved = Math.max(0, offset - before.offset());
            last = new Sample(offset, nowMs, moved * 1_000 / (nowMs - before.atMs()));
        }
    }

    /** Bytes a second, lately; 0 when nothing was told for some seconds. */
    public long bytesPerSec(long nowMs) {
        Sample now = last;
        return now.isNone() || nowMs - now.atMs() > STALE_MS ? 0 : now.bytesPerSec();
    }
}
