package dev.perigee.store.tail;

import dev.perigee.loop.Loop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.log.SyncedToMark;
import dev.perigee.store.log.SyncedToMark.Mark;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Makes the log durable, nothing else (R29). One fdatasync covers all that was written before it began, so requests
 * coalesce while one is under way. The one loop that may block. After a failed force it never tries again.
 */
@OwnedBy("flusher")
public final class Flusher implements Loop {
    /** The delay of asynchronous flush: with the force itself, bytes are durable within 500 ms. */
    public static final long ASYNC_DELAY_MS = 450;

    /**
     * Bytes that are appended and not forced at most; at this limit the log loop takes nothing more until the force is
     * through, and its inbox refuses as busy. Bounds what a loss of power can take under asynchronous flush.
     */
    public static final long MAX_UNSYNCED_BYTES = 512L << 20;

    /** A mark waits no longer than this to become durable itself. */
    static final long MARK_FORCE_MS = 100;

    /** What a force reached: all bytes below, in the generation it began in (R1). */
    public record Flushed(long generation, long endOffset) {}

    /**
     * What the marks of one run have in common.
     *
     * @param lostBytes what the log may have lost before; said again until the gap that covers it is durable
     */
    public record MarkFacts(long logId, long bootId, long lostBytes) {}

    private final LogStorage storage;
    private final SyncedToMark mark;
    private final long delayMs;
    private final Bell logBell;
    private final MarkFacts facts;

    private volatile long requested;
    private volatile long generation;
    private volatile int epoch;
    private volatile long storeTimestampMs;
    private volatile boolean flushNow;
    /** Asynchronous only: a deadline is set, and what is requested meanwhile is flushed with it. */
    private volatile boolean armed;

    private volatile Flushed flushed;
    private volatile @Nullable IOException failure;
    private long synced;
    private long startOffset;
    private long asyncDeadlineMs = Long.MAX_VALUE;
    private long markDeadlineMs = Long.MAX_VALUE;

    /** @param delayMs how long bytes may wait: 0 for synchronous flush, {@link #ASYNC_DELAY_MS} for asynchronous */
    public Flusher(LogStorage storage, SyncedToMark mark, long delayMs, MarkFacts facts, Bell logBell) {
        this.storage = storage;
        this.mark = mark;
        this.delayMs = delayMs;
        this.facts = facts;
        this.logBell = logBell;
        this.flushed = new Flushed(0, 0);
    }

    /** Says where the log ends durably, before anything runs. */
    public void startAt(long startGeneration, long endOffset) {
        generation = startGeneration;
        requested = endOffset;
        synced = endOffset;
        startOffset = endOffset;
        flushed = new Flushed(startGeneration, endOffset);
    }

    /**
     * Asks for everything below an offset. Log loop only.
     *
     * @return whether the caller must wake this loop; not when it waits for a deadline anyway
     */
    public boolean request(long endOffset, int tailEpoch, long tailTimestampMs) {
        epoch = tailEpoch;
        storeTimestampMs = tailTimestampMs;
        requested = endOffset;
        return !armed;
    }

    /** With asynchronous flush: do not wait for the deadline. */
    public void hurry() {
        flushNow = true;
    }

    /** What was reached last. */
    public Flushed flushed() {
        return flushed;
    }

    /** Why nothing will ever be flushed again, or null. */
    public @Nullable IOException failure() {
        return failure;
    }

    @Override
    public String name() {
        return "perigee-flusher";
    }

    @Override
    public int doWork(long nowMs) {
        if (failure != null) {
            return 0;
        }
        try {
            return flushWhenDue(nowMs) + forceMarkWhenDue(nowMs);
        } catch (IOException e) {
            failure = e;
            logBell.ring();
            return 0;
        }
    }

    private int flushWhenDue(long nowMs) throws IOException {
        if (requested <= synced || !isDue(nowMs)) {
            return 0;
        }
        flushNow = false;
        asyncDeadlineMs = Long.MAX_VALUE;
        armed = false;
        long startGeneration = generation;
        long target = requested;
        storage.force(synced, target);
        synced = target;
        flushed = new Flushed(startGeneration, target);
        logBell.ringOrRun();
        writeMark(false);
        if (markDeadlineMs == Long.MAX_VALUE) {
            markDeadlineMs = nowMs + MARK_FORCE_MS;
        }
        return 1;
    }

    private boolean isDue(long nowMs) {
        if (delayMs == 0 || flushNow) {
            return true;
        }
        if (asyncDeadlineMs == Long.MAX_VALUE) {
            asyncDeadlineMs = nowMs + delayMs;
            armed = true;
        }
        return nowMs >= asyncDeadlineMs;
    }

    private int forceMarkWhenDue(long nowMs) throws IOException {
        if (nowMs < markDeadlineMs) {
            return 0;
        }
        markDeadlineMs = Long.MAX_VALUE;
        mark.force();
        return 1;
    }

    private void writeMark(boolean clean) throws IOException {
        // The first bytes of a run state the gap, so with any of this run's bytes it is durable.
        long lostBytes = synced > startOffset ? 0 : facts.lostBytes();
        mark.write(new Mark(
                facts.logId(),
                synced,
                generation,
                epoch,
                storeTimestampMs,
                facts.bootId(),
                clean,
                delayMs > 0,
                lostBytes));
    }

    /** Flushes the rest and marks the end as clean. Only after the loop has stopped. */
    public void closeClean() throws IOException {
        if (failure == null) {
            storage.force(synced, requested);
            synced = Math.max(synced, requested);
            writeMark(true);
            mark.force();
        }
    }

    @Override
    public long nextDeadlineMs() {
        return failure != null ? Long.MAX_VALUE : Math.min(asyncDeadlineMs, markDeadlineMs);
    }
}
