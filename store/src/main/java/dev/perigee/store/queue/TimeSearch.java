package dev.perigee.store.queue;

import dev.perigee.loop.OwnedBy;

/**
 * Binary search in a queue by store time, which never falls along the log (R18). An offset in a gap counts as stored with the
 * message after it, a message trimmed meanwhile as older than any time.
 */
@OwnedBy("its user")
final class TimeSearch {
    private final ConsumeQueue queue;
    private final FrameTimes times;
    private final EntryProbe probe;

    TimeSearch(ConsumeQueue queue, FrameTimes times) {
        this.queue = queue;
        this.times = times;
        this.probe = new EntryProbe(queue, ConsumeQueue.Holes.FAIL);
    }

    long search(long timestampMs, Boundary boundary) {
        long min = queue.minOffset();
        long max = queue.maxOffset();
        if (min >= max) {
            return max;
        }
        if (boundary == Boundary.LOWER) {
            return firstFrom(timestampMs, min, max);
        }
        long after = timestampMs == Long.MAX_VALUE ? max : firstFrom(timestampMs + 1, min, max);
        return Math.max(min, after - 1);
    }

    /** The first offset in [min, max) stored at or after the time, else max. */
    private long firstFrom(long timestampMs, long min, long max) {
        long low = min;
        long high = max;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (timeAt(middle) >= timestampMs) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private long timeAt(long queueOffset) {
        if (!probe.seekMessage(queueOffset)) {
            return queueOffset < queue.minOffset() ? FrameTimes.GONE : Long.MAX_VALUE;
        }
        return times.storeTimestampMs(probe.physicalOffset(), probe.sizeBytes());
    }
}
