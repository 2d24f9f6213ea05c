package dev.perigee.broker.timer;

import dev.perigee.broker.timer.TimerHorizon.Due;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * Has the frames of what is due within moments read elsewhere, so that they are in memory when they are delivered, however long
 * ago they came. One batch at a time, in the order of their places; only a help: what was not read ahead is read when it is
 * due.
 */
@OwnedBy("view loop")
final class WarmAhead {
    /** How far ahead. */
    static final long AHEAD_MS = 2_000;

    private static final int MAX_BATCH = 256;

    /** After a batch that nobody took. */
    private static final long AGAIN_MS = 10;

    /** One byte in so many brings in all. */
    private static final int PAGE_BYTES = 4_096;

    /** Where a message lies. */
    private record Place(long offset, int sizeBytes) {}

    private final CommitLog log;
    private final Predicate<Runnable> background;
    private final Runnable wake;
    private final AtomicBoolean reading = new AtomicBoolean();
    private Due warmTo = Due.FIRST;
    private long againMs = Long.MIN_VALUE;

    /** @param background runs what may wait for the disk elsewhere; false when too much waits there */
    WarmAhead(CommitLog log, Predicate<Runnable> background, Runnable wake) {
        this.log = log;
        this.background = background;
        this.wake = wake;
    }

    /** Has the next ones read; returns how many. */
    int doWork(TimerWindow window, long timerMs, long nowMs) {
        if (reading.get() || nowMs < againMs) {
            return 0;
        }
        List<WaitingMessage> next = window.waiting(warmTo, new Due(timerMs + AHEAD_MS + 1, 0), MAX_BATCH);
        if (next.isEmpty()) {
            return 0;
        }
        List<Place> places = next.stream()
                .map(each -> new Place(each.offset(), each.sizeBytes()))
                .sorted(Comparator.comparingLong(Place::offset))
                .toList();
        reading.set(true);
        if (!background.test(() -> read(places))) {
            reading.set(false);
            againMs = nowMs + AGAIN_MS;
            return 0;
        }
        WaitingMessage last = next.get(next.size() - 1);
        warmTo = new Due(last.dueMs, last.birth + 1);
        return next.size();
    }

    /** When there is more to read, by the {@link TimerClock}; {@link Long#MAX_VALUE} for never. */
    long nextMs(TimerWindow window) {
        if (reading.get()) {
            return Long.MAX_VALUE; // its end wakes
        }
        List<WaitingMessage> next = window.waiting(warmTo, new Due(Long.MAX_VALUE, 0), 1);
        return next.isEmpty() ? Long.MAX_VALUE : next.get(0).dueMs - AHEAD_MS;
    }

    /** Until when nothing is tried, monotonic. */
    long againMs() {
        return againMs;
    }

    /** On a cold reader. */
    private void read(List<Place> places) {
        try {
            places.forEach(this::read);
        } finally {
            reading.set(false);
            wake.run();
        }
    }

    private void read(Place place) {
        SegmentLease lease = log.lease(place.offset(), place.sizeBytes());
        if (lease == null) {
            return; // gone; a copy took its place, or it is told when it is due
        }
        try {
            for (int at = 0; at < place.sizeBytes(); at += PAGE_BYTES) {
                byte unused = lease.bytes().get(at);
            }
        } catch (InternalError e) {
            // the disk does not give it; that is told when it is due
        } finally {
            lease.release();
        }
    }
}
