package dev.perigee.store.queue;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The frames of one queue of a topic, in order: queue offset → place in the log. Written by the view loop only; read by
 * any thread without a lock, since entries never change once the published maximum has passed them.
 *
 * <p>Entries lie in files up to some offset and in memory from some offset; the two ranges overlap or touch. Offsets in a
 * gap have no entries. The writer fills an entry, or notes a gap, then publishes the maximum; a reader takes the maximum,
 * then gaps and blocks.
 */
@ThreadSafe
public final class ConsumeQueue {
    private static final EntryBlock[] NO_BLOCKS = {};
    /** A longer gap takes several reads to pass. */
    private static final long MAX_EXAMINED = 1 << 30;

    /** What to do about entries of a file that must be there and are zero: the file is damaged. */
    enum Holes {
        FAIL,
        PASS_OVER
    }

    private final String topic;
    private final int queueId;
    private final String folder;
    private final QueueTails tails;
    private final FrameTimes times;
    private final FileEntries filed;

    private volatile long minOffset;
    private final AtomicLong maxOffset = new AtomicLong();
    private final AtomicLong lastPhysical = new AtomicLong(-1);
    private volatile QueueGaps gaps = QueueGaps.NONE;
    private volatile EntryBlock[] blocks = NO_BLOCKS;
    /** Entries below come from a checkpoint or a file, whatever holds them now. */
    private volatile long restoredEnd;

    private volatile long firstPhysical = Long.MAX_VALUE;
    private volatile EntryProbe.@Nullable Beginning ahead;

    // The view loop's own.
    private @Nullable EntryBlock open;
    private long fileEnd;
    private long endsFactOffset = -1;
    private long touchedFrom = -1;

    ConsumeQueue(String topic, int queueId, String folder, QueueTails tails, FrameTimes times) {
        this.topic = topic;
        this.queueId = queueId;
        this.folder = folder;
        this.tails = tails;
        this.times = times;
        this.filed = new FileEntries(this, tails);
    }

    /** The topic it belongs to. */
    public String topic() {
        return topic;
    }

    /** Its number in the topic, from 0. */
    public int queueId() {
        return queueId;
    }

    /** The queue offset of the oldest message still stored; equal to {@link #maxOffset} when there is none. */
    public long minOffset() {
        return minOffset;
    }

    /** The queue offset the next message gets (exclusive end of what can be read). */
    public long maxOffset() {
        return maxOffset.get();
    }

    /**
     * The place in the log of the newest message, −1 when unknown because none came since the queue's frames left. Any
     * thread; asked after {@link #maxOffset} it covers every message below that.
     */
    public long lastPhysical() {
        return lastPhysical.get();
    }

    /** From this queue offset on {@link #read} needs no file. Below, it may wait for the disk. */
    public long memoryStart() {
        EntryBlock[] tail = blocks;
        return tail.length == 0 ? maxOffset() : tail[0].firstOffset;
    }

    /**
     * From this queue offset on this process itself made the entries from the log; those below come from a file or a
     * checkpoint, so the log may have lost what they lead to.
     */
    public long foldedFrom() {
        return Math.max(restoredEnd, memoryStart());
    }

    /**
     * Whether entries from an offset on can be read without waiting for the disk: they are in memory, or in the file mapped
     * last and loaded. Opens nothing. Any thread.
     */
    public boolean isLoaded(long fromOffset, int entries) {
        long end = Math.min(Math.min(fromOffset + entries, maxOffset()), memoryStart());
        return fromOffset >= end || filed.isLoaded(fromOffset, end);
    }

    /**
     * Shows entries to a visitor, from one queue offset on. From memory near the end, from mapped files further back.
     *
     * @param maxEntries how many to look at; a gap that the last of them leads into is passed over whole
     * @return how many entries were examined, gaps included: the next read begins that much later; 0 when {@code
     *     fromOffset} is not in [minOffset, maxOffset)
     * @throws IllegalStateException at an entry that its file has lost: it is zero, and no gap is noted there
     */
    public int read(long fromOffset, int maxEntries, EntryVisitor visitor) {
        return read(fromOffset, maxEntries, Holes.FAIL, visitor);
    }

    /** As above; entries that their file has lost may be passed over. */
    int read(long fromOffset, int maxEntries, Holes holes, EntryVisitor visitor) {
        long max = maxOffset.get();
        QueueGaps skipped = gaps;
        EntryBlock[] tail = blocks;
        if (maxEntries <= 0 || fromOffset >= max || fromOffset < minOffset) {
            return 0;
        }
        long end = Math.min(max, fromOffset + maxEntries);
        long tailStart = tail.length == 0 ? max : tail[0].firstOffset;
        long at = skipped.endOf(fromOffset);
        while (at >= 0 && at < end) {
            long runEnd = Math.min(end, skipped.nextStart(at));
            at = at < tailStart
                    ? filed.show(at, Math.min(runEnd, tailStart), holes, visitor)
                    : EntryBlock.show(tail, at, runEnd, visitor);
            at = at < 0 ? at : skipped.endOf(at);
        }
        return (int) Math.min(MAX_EXAMINED, (at < 0 ? ~at : at) - fromOffset);
    }

    /**
     * Searches by store time. Reads frames from the log, so it belongs on a cold reader.
     *
     * @return LOWER: the first message stored at or after the time, else the maximum offset; UPPER: the last one stored
     *     at or before it, else the minimum offset; 0 for a queue that never held a message
     */
    public long offsetByTime(long timestampMs, Boundary boundary) {
        return new TimeSearch(this, times).search(timestampMs, boundary);
    }

    /** Looks up for {@link #trimTo} what it would have to read from files. Preparer. */
    void lookAhead(long logStart) {
        long min = minOffset;
        long max = maxOffset.get();
        if (min < max && firstPhysical < logStart && lastPhysical() >= logStart) {
            EntryProbe.Beginning found = new EntryProbe(this, Holes.PASS_OVER).beginning(logStart, min, max - 1);
            ahead = found.physicalOffset() < logStart ? null : found; // null: its first message there came meanwhile
        }
    }

    // From here on: the view loop's side.

    String folder() {
        return folder;
    }

    EntryBlock[] blocks() {
        return blocks;
    }

    /** Entries below are in the files: a queue's blocks get there in order, so the last one that did tells. */
    long fileEnd() {
        EntryBlock[] now = blocks;
        for (int i = now.length - 1; i >= 0; i--) {
            if (now[i].isInFile()) {
                fileEnd = Math.max(fileEnd, now[i].endOffset());
                break;
            }
        }
        return fileEnd;
    }

    long endsFactOffset() {
        return endsFactOffset;
    }

    QueueGaps gaps() {
        return gaps;
    }

    /** Takes over a checkpointed state; the unwritten entries follow by {@link #put} and {@link #goOnAt}. */
    void restore(QueueMark mark) {
        fileEnd = mark.fileEnd();
        maxOffset.set(mark.fileEnd());
        restoredEnd = mark.maxOffset();
        minOffset = mark.minOffset();
        firstPhysical = mark.firstPhysical();
        lastPhysical.set(mark.lastPhysical());
        endsFactOffset = mark.endsFactOffset();
        gaps = mark.gaps();
    }

    QueueMark mark() {
        return new QueueMark(
                minOffset, maxOffset.get(), fileEnd(), firstPhysical, lastPhysical.get(), endsFactOffset, gaps);
    }

    /** Adds the frame with the given queue offset, behind a gap when it does not follow. */
    void append(long queueOffset, long physicalOffset, int sizeBytes, long tagHash) {
        long max = maxOffset.get();
        if (queueOffset < max) {
            throw new IllegalStateException("queue " + this + " ends at " + max + ", but the frame at " + physicalOffset
                    + " has queue offset " + queueOffset);
        }
        if (queueOffset > max) {
            skipTo(queueOffset);
        }
        if (minOffset == queueOffset) {
            firstPhysical = physicalOffset;
        }
        lastPhysical.lazySet(physicalOffset);
        put(physicalOffset, sizeBytes, tagHash);
    }

    /**
     * The next offset is at least this one, says the fact at {@code factOffset}: restated for a queue whose frames left, or
     * raised after a loss. A queue that ends further back got frames since.
     */
    void endsAt(long nextOffset, long factOffset) {
        if (nextOffset > maxOffset.get()) {
            skipTo(nextOffset);
        }
        if (nextOffset == maxOffset.get()) {
            endsFactOffset = factOffset;
        }
    }

    private void skipTo(long nextOffset) {
        if (minOffset == maxOffset.get()) {
            rebase(nextOffset);
            return;
        }
        gaps = gaps.plus(maxOffset.get(), nextOffset);
        goOnAt(nextOffset);
    }

    /** The next entry comes behind a gap that is noted. */
    void goOnAt(long nextOffset) {
        EntryBlock block = open;
        if (block != null) {
            open = null;
            tails.ask(block); // before any later one, for a queue's entries get into its files in order
        }
        maxOffset.set(nextOffset);
    }

    /** An empty queue begins elsewhere: nothing has to be kept for what lies between. */
    private void rebase(long nextOffset) {
        tails.release(this);
        blocks = NO_BLOCKS;
        gaps = QueueGaps.NONE;
        open = null;
        fileEnd = nextOffset;
        minOffset = nextOffset;
        maxOffset.set(nextOffset);
    }

    void put(long physicalOffset, int sizeBytes, long tagHash) {
        EntryBlock block = open;
        if (block == null) {
            block = addBlock();
        }
        block.add(physicalOffset, sizeBytes, tagHash);
        maxOffset.lazySet(maxOffset.get() + 1);
        if (block.isFull()) {
            open = null;
            tails.ask(block);
        }
    }

    /** Adds nothing more to a block: it is about to leave memory. */
    void seal(EntryBlock block) {
        if (open == block) {
            open = null;
        }
    }

    /**
     * Blocks end where the queue's name says, so that thousands of queues filled in turn are not all written in the same
     * pass: the first block is shorter, the others are whole.
     */
    private int nextCapacity() {
        int whole = tails.config().blockEntries();
        int phase = Math.floorMod(folder.hashCode(), whole);
        return whole - (int) Math.floorMod(maxOffset.get() - phase, (long) whole);
    }

    private EntryBlock addBlock() {
        EntryBlock block = new EntryBlock(this, maxOffset.get(), nextCapacity());
        EntryBlock[] now = blocks;
        EntryBlock[] longer = new EntryBlock[now.length + 1];
        System.arraycopy(now, 0, longer, 0, now.length);
        longer[now.length] = block;
        blocks = longer;
        open = block;
        tails.added(block);
        return block;
    }

    /** Forgets the first block, whose entries are in the files. */
    void dropFirst(EntryBlock block) {
        EntryBlock[] now = blocks;
        if (now.length == 0 || now[0] != block || !block.isInFile()) {
            throw new IllegalStateException("block at " + block.firstOffset + " is not the written head of " + this);
        }
        fileEnd = Math.max(fileEnd, block.endOffset());
        EntryBlock[] shorter = new EntryBlock[now.length - 1];
        System.arraycopy(now, 1, shorter, 0, shorter.length);
        blocks = shorter;
    }

    /** Raises the minimum to the first message at or behind the log's start; returns the former minimum. */
    long trimTo(long logStart) {
        long before = minOffset;
        if (before == maxOffset.get() || firstPhysical >= logStart) {
            return before;
        }
        if (lastPhysical.get() < logStart) {
            firstPhysical = Long.MAX_VALUE;
            minOffset = maxOffset.get();
            forgetGaps();
            return before;
        }
        EntryProbe.Beginning known = ahead;
        EntryProbe.Beginning begin = known != null && known.logStart() == logStart
                ? known
                : new EntryProbe(this, Holes.PASS_OVER).beginning(logStart, before, maxOffset.get() - 1);
        ahead = null;
        firstPhysical = begin.physicalOffset();
        minOffset = gaps.endOf(begin.queueOffset()); // what is lost there stays in sight, and fails its readers
        forgetGaps();
        return before;
    }

    /** A trimmed gap is still needed while entries in front of it are in memory only: a checkpoint writes them, too. */
    private void forgetGaps() {
        gaps = gaps.behind(Math.min(minOffset, fileEnd()));
    }

    /** Notes that the pass touched this queue; true the first time in a pass. */
    boolean touch(long fromOffset) {
        if (touchedFrom >= 0) {
            return false;
        }
        touchedFrom = fromOffset;
        return true;
    }

    long takeTouched() {
        long from = touchedFrom;
        touchedFrom = -1;
        return from;
    }

    @Override
    public String toString() {
        return topic + "@" + queueId;
    }
}
