package dev.perigee.replica.feed;

import dev.perigee.loop.OwnedBy;

/** Paces the bytes for a replica that is far behind: a tenth of a second's worth may go at once. */
@OwnedBy("event loop")
final class CatchUpRate {
    private static final long SECOND_MS = 1_000;
    private static final int BURSTS_PER_SEC = 10;

    private final long bytesPerSec;
    private final long burstBytes;
    private long allowedBytes;
    private long countedMs;

    /** @param leastBurstBytes what may go at once however low the rate is, so that a frame ever goes */
    CatchUpRate(long bytesPerSec, long leastBurstBytes) {
        this.bytesPerSec = bytesPerSec;
        this.burstBytes = Math.max(leastBurstBytes, bytesPerSec / BURSTS_PER_SEC);
        this.allowedBytes = burstBytes;
    }

    /** Nothing was sent before this time. */
    void startAt(long nowMs) {
        countedMs = nowMs;
    }

    /** How many bytes may go now; {@link Long#MAX_VALUE} without a limit. */
    long allowedBytes(long nowMs) {
        if (bytesPerSec == 0) {
            return Long.MAX_VALUE;
        }
        long passedMs = Math.min(SECOND_MS, nowMs - countedMs);
        long gained = passedMs * bytesPerSec / SECOND_MS;
        if (gained > 0) {
            allowedBytes = Math.min(burstBytes, allowedBytes + gained);
            countedMs = nowMs;
        }
        return allowedBytes;
    }

    /** So many bytes went; more than were allowed are waited for. */
    void sent(long bytes) {
        if (bytesPerSec > 0) {
            allowedBytes -= bytes;
        }
    }

    /** When that many bytes may go, monotonic milliseconds. */
    long whenMs(long bytes, long nowMs) {
        long missing = Math.min(bytes, burstBytes) - allowedBytes(nowMs);
        return missing <= 0 ? nowMs : nowMs + Math.max(1, missing * SECOND_MS / bytesPerSec);
    }
}
