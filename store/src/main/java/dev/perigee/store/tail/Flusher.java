package dev.perigee.store.tail;

import dev.perigee.loop.Loop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.log.SyncedToMark;
import dev.perigee.store.log.SyncedToMark.Mark;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Makes the log durable, and votes, nothing else (R29). One fdatasync covers all that was written before it began, so requests
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
     * A cut of the log, carried out by the flusher in the log loop's stead because it waits for the disk. From the order until
     * {@link #isCutting} says no, the log loop leaves the tail alone.
     *
     * @param endOffset where the log shall end
     * @param epoch the number of the epoch of the byte before; 0 for none
     * @param work cuts, durably
     */
    public record Cut(long endOffset, int epoch, Work work) {
        /** Takes the bytes away and whatever was made of them back. Blocks. */
        @FunctionalInterface
        public interface Work {
            /** Durable when it returns; a failure is final. */
            void run() throws IOException;
        }
    }

    /** A vote of the election of masters, to be made durable in the log loop's stead (R29, R36). */
    public interface VoteOrder {
        /** Makes it durable. Blocks, on the flusher; a failure is final. */
        void write() throws IOException;

        /** It is durable. On the flusher; must not block. */
        void written();
    }

    /**
     * What the marks of one run have in common.
     *
     * @param lostBytes what the log may have lost before; said again until the gap that covers it is durable, or {@link #restored}
     * @param followed whether another node wrote the log's end; said again until bytes of this node are durable behind it
     */
    public record MarkFacts(long logId, long bootId, long lostBytes, boolean followed) {}

    /** How far to flush, and what is said of the byte before: looked at as one, for the log goes on meanwhile. */
    private record Asked(long endOffset, int epoch, long storeTimestampMs) {}

    private final LogStorage storage;
    private final SyncedToMark mark;
    private final long delayMs;
    private final Bell logBell;
    private final MarkFacts facts;

    private volatile Asked requested = new Asked(0, 0, 0);
    private volatile long generation;
    private volatile boolean flushNow;
    /** Asynchronous only: a deadline is set, and what is requested meanwhile is flushed with it. */
    private volatile boolean armed;

    private volatile @Nullable Cut cut;
    private final AtomicReference<@Nullable VoteOrder> vote = new AtomicReference<>();
    private volatile long ownLogId;
    /** Of the log whose bytes are to be received, and are: 0 for none. */
    private volatile long wantedLogId;

    private volatile long receivingLogId;
    /** What lies below may have been received. */
    private volatile long receivedTo;
    /** Where this node's own bytes begin. */
    private volatile long ownFrom = Long.MAX_VALUE;
    /** Whether what may have been lost has come again. */
    private volatile boolean restored;

    /** The number of the last order to say that this node confirms alone; 0 while it does not. */
    private volatile long wantedAlone;
    /** The order that is carried out. */
    private volatile long keptAlone;
    /** Log loop only. */
    private long aloneOrders;

    private volatile Flushed flushed;
    private volatile @Nullable IOException failure;
    /** What is durable. */
    private Asked reached = requested;

    private long asyncDeadlineMs = Long.MAX_VALUE;
    private long markDeadlineMs = Long.MAX_VALUE;

    /** @param delayMs how long bytes may wait: 0 for synchronous flush, {@link #ASYNC_DELAY_MS} for asynchronous */
    public Flusher(LogStorage storage, SyncedToMark mark, long delayMs, MarkFacts facts, Bell logBell) {
        this.storage = storage;
        this.mark = mark;
        this.delayMs = delayMs;
        this.facts = facts;
        this.ownLogId = facts.logId();
        this.logBell = logBell;
        this.flushed = new Flushed(0, 0);
    }

    /**
     * Says where the log ends durably, before anything runs, and what the marks say of it until more is written: a replica may be
     * stopped again before anything comes.
     *
     * @param tailEpoch the epoch of the byte before; 0 for none
     * @param tailTimestampMs at least the store timestamp of the last frame
     */
    public void startAt(long startGeneration, long endOffset, int tailEpoch, long tailTimestampMs) {
        generation = startGeneration;
        requested = new Asked(endOffset, tailEpoch, tailTimestampMs);
        reached = requested;
        flushed = new Flushed(startGeneration, endOffset);
    }

    /**
     * Asks for everything below an offset. Log loop only.
     *
     * @return whether the caller must wake this loop; not when it waits for a deadline anyway
     */
    public boolean request(long endOffset, int tailEpoch, long tailTimestampMs) {
        requested = new Asked(endOffset, tailEpoch, tailTimestampMs);
        return !armed;
    }

    /** Says before anything runs that the mark on the disk speaks of received bytes already. */
    public void startReceiving() {
        wantedLogId = ownLogId;
        receivingLogId = wantedLogId;
    }

    /**
     * Orders the mark to say, durably, that from now on bytes another node sealed may lie behind it, in a log of this name; the
     * caller wakes this loop, and writes none before {@link #isReceiving}. Log loop only.
     */
    public void receive(long logId) {
        ownFrom = Long.MAX_VALUE; // what this node wrote before lies below
        wantedLogId = logId;
    }

    /** Whether a start would find in the mark that bytes of that log may have been received. */
    public boolean isReceiving(long logId) {
        return receivingLogId == logId && wantedLogId == logId;
    }

    /** From an offset on this node seals what is written into the log of this name. Log loop only. */
    public void append(long logId, long fromOffset) {
        ownLogId = logId;
        receivedTo = fromOffset;
        ownFrom = fromOffset;
        wantedLogId = 0;
        receivingLogId = 0;
    }

    /** Says before anything runs that the mark on the disk tells of a log that this node may have confirmed alone. */
    public void startAlone() {
        aloneOrders = 1;
        wantedAlone = aloneOrders;
        keptAlone = aloneOrders;
    }

    /**
     * Orders the mark to say, durably, that this node may confirm all of the log alone, or lets later ones say it no more. Log loop only.
     *
     * @return whether the caller must wake this loop
     */
    public boolean alone(boolean wanted) {
        if (wanted == (wantedAlone != 0)) {
            return false;
        }
        wantedAlone = wanted ? ++aloneOrders : 0;
        return wanted;
    }

    /** Whether a start would find that this node may have confirmed alone. */
    public boolean isKeptAlone() {
        long wanted = wantedAlone;
        return wanted != 0 && keptAlone == wanted;
    }

    /** What the log may have lost is in it again, from another node that had it: marks speak of it no more. Any thread. */
    public void restored() {
        restored = true;
    }

    /** Orders a cut; the caller wakes this loop. Log loop only, which requests nothing until it is done. */
    public void cut(Cut ordered) {
        cut = ordered;
    }

    /** Whether a cut is ordered and not done; for ever after a failure. When it is done, {@link #flushed} tells of it. */
    public boolean isCutting() {
        return cut != null;
    }

    /**
     * Orders a vote to be written, before any force that is not under way, but behind a cut; the caller wakes this loop. One that waits
     * is replaced and never written. Log loop only.
     */
    public void writeVote(VoteOrder order) {
        vote.set(order);
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
            Cut ordered = cut;
            if (ordered != null) {
                carryOut(ordered);
                return 1;
            }
            return writeVote() + markReceiving() + markAlone() + flushWhenDue(nowMs) + forceMarkWhenDue(nowMs);
        } catch (IOException e) {
            failure = e;
            logBell.ring();
            return 0;
        }
    }

    private int writeVote() throws IOException {
        VoteOrder order = vote.getAndSet(null);
        if (order == null) {
            return 0;
        }
        order.write();
        order.written();
        return 1;
    }

    private int markReceiving() throws IOException {
        long logId = wantedLogId;
        if (logId == 0 || logId == receivingLogId) {
            return 0;
        }
        writeMark(MarkKind.OPEN);
        mark.force();
        receivingLogId = logId;
        logBell.ring();
        return 1;
    }

    private int markAlone() throws IOException {
        long wanted = wantedAlone;
        if (wanted == 0 || wanted == keptAlone) {
            return 0;
        }
        writeMark(MarkKind.OPEN, true);
        mark.force();
        keptAlone = wanted; // of an order that was taken back meanwhile nobody asks
        logBell.ring();
        return 1;
    }

    /**
     * The mark says that the cut is under way before it begins, so that a start finishes it: what it has not reached looks sound
     * and acknowledged. And it says so no more before the first byte is written behind it (R3).
     */
    private void carryOut(Cut ordered) throws IOException {
        if (reached.endOffset() < ordered.endOffset()) {
            storage.force(reached.endOffset(), ordered.endOffset());
        }
        requested = new Asked(ordered.endOffset(), ordered.epoch(), requested.storeTimestampMs());
        reached = requested;
        long next = generation + 1;
        generation = next;
        writeMark(MarkKind.CUTTING);
        mark.force();
        ordered.work().run();
        writeMark(MarkKind.OPEN);
        mark.force();
        asyncDeadlineMs = Long.MAX_VALUE;
        markDeadlineMs = Long.MAX_VALUE;
        armed = false;
        flushNow = false;
        flushed = new Flushed(next, reached.endOffset());
        cut = null; // hands the tail back: everything above is seen by whoever sees this
        logBell.ring();
    }

    private int flushWhenDue(long nowMs) throws IOException {
        if (requested.endOffset() <= reached.endOffset() || !isDue(nowMs)) {
            return 0;
        }
        flushNow = false;
        asyncDeadlineMs = Long.MAX_VALUE;
        armed = false;
        long startGeneration = generation;
        Asked target = requested;
        storage.force(reached.endOffset(), target.endOffset());
        reached = target;
        flushed = new Flushed(startGeneration, target.endOffset());
        logBell.ringOrRun();
        writeMark(MarkKind.OPEN);
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

    private enum MarkKind {
        OPEN,
        CUTTING,
        CLEAN
    }

    private void writeMark(MarkKind kind) throws IOException {
        writeMark(kind, wantedAlone != 0);
    }

    private void writeMark(MarkKind kind, boolean alone) throws IOException {
        // The first bytes of an own epoch state the gap, so with any of them it is durable.
        Asked synced = reached;
        boolean isStated = synced.endOffset() > ownFrom;
        long lostBytes = isStated || restored ? 0 : facts.lostBytes();
        long receivedLogId = wantedLogId;
        mark.write(new Mark(
                receivedLogId == 0 ? ownLogId : receivedLogId,
                synced.endOffset(),
                generation,
                synced.epoch(),
                synced.storeTimestampMs(),
                facts.bootId(),
                kind == MarkKind.CLEAN,
                delayMs > 0,
                kind == MarkKind.CUTTING,
                receivedLogId != 0 || synced.endOffset() < receivedTo,
                facts.followed() && !isStated,
                alone,
                lostBytes));
    }

    /** Flushes the rest and marks the end as clean, unless a cut is not done. Only after the loop has stopped. */
    public void closeClean() throws IOException {
        if (failure == null && cut == null) {
            Asked last = requested;
            storage.force(reached.endOffset(), last.endOffset());
            reached = last.endOffset() > reached.endOffset() ? last : reached;
            flushed = new Flushed(generation, reached.endOffset());
            writeMark(MarkKind.CLEAN);
            mark.force();
        }
    }

    @Override
    public long nextDeadlineMs() {
        if (failure != null) {
            return Long.MAX_VALUE;
        }
        return cut != null || vote.get() != null ? 0 : Math.min(asyncDeadlineMs, markDeadlineMs);
    }
}
