package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One unit to append: a frame, or the frames of one batch, with complete bytes in the chunk space lent by an {@link
 * Appender}. Belongs to the submitter until submitted, to the log loop until completed, then to whoever the listener
 * hands it to. Used once.
 */
@OwnedBy("submitter, then the log loop")
public final class AppendRequest {
    private final String topic;
    private final int queueId;
    private final int frameCount;
    private final boolean waitForStore;
    private final AppendListener listener;

    private @Nullable ByteBuffer memory;
    private @Nullable ChunkSpace space;
    private boolean bound;
    private int position;
    private int sizeBytes;
    private long spaceEnd;
    private @Nullable Fact fact;
    private boolean usesReserve;
    private boolean ownTime;
    /** In which alone it may be appended; 0 for any. */
    private int onlyEpoch;

    private long arrivedMs;
    private long expiresMs = Long.MAX_VALUE;

    private long physicalOffset = -1;
    private long queueOffset = -1;
    private long storeTimestampMs;
    private long appendedMs;
    private int @Nullable [] frameStarts;

    /**
     * @param topic the topic in the frames; used only to assign queue offsets
     * @param frameCount frames in the unit, consecutive in the chunk space, at least 1
     * @param waitForStore false: complete at append even when flushing is synchronous
     */
    public AppendRequest(String topic, int queueId, int frameCount, boolean waitForStore, AppendListener listener) {
        if (frameCount < 1 || queueId < 0) {
            throw new IllegalArgumentException(
                    "frameCount " + frameCount + " must be at least 1 and queueId " + queueId + " at least 0");
        }
        this.topic = topic;
        this.queueId = queueId;
        this.frameCount = frameCount;
        this.waitForStore = waitForStore;
        this.listener = listener;
    }

    /**
     * Says since when the sender waits and how long it does; a request without this waits for ever. To be called before the
     * submit.
     *
     * @param sinceMs monotonic milliseconds
     */
    public AppendRequest arrived(long sinceMs, long maxWaitMs) {
        arrivedMs = sinceMs;
        expiresMs = sinceMs + maxWaitMs;
        return this;
    }

    /** When its sender began to wait, in monotonic milliseconds. */
    long arrivedMs() {
        return arrivedMs;
    }

    /** The last millisecond in which its sender waits. */
    long expiresMs() {
        return expiresMs;
    }

    /** The topic in the frames. */
    public String topic() {
        return topic;
    }

    /** The queue of all frames. */
    public int queueId() {
        return queueId;
    }

    /** How many frames the unit has, at least 1. */
    public int frameCount() {
        return frameCount;
    }

    /** Whether it completes only when the flush mode and the replicas allow; otherwise at append. */
    public boolean waitForStore() {
        return waitForStore;
    }

    /** The length of all frames together; 0 before they are written. */
    public int sizeBytes() {
        return sizeBytes;
    }

    /** Where frame {@code index} of the unit lies in the log; −1 before the append. */
    public long physicalOffset(int index) {
        if (index < 0 || index >= frameCount) {
            throw new IndexOutOfBoundsException("frame " + index + " of " + frameCount);
        }
        int[] starts = frameStarts;
        return starts == null ? physicalOffset : physicalOffset + starts[index];
    }

    /** The queue offset of the first frame; the others follow without a gap. −1 before the append. */
    public long queueOffset() {
        return queueOffset;
    }

    /** The byte after the unit (exclusive). */
    public long endOffset() {
        return physicalOffset + sizeBytes;
    }

    /** The store timestamp of all frames of the unit. */
    public long storeTimestampMs() {
        return storeTimestampMs;
    }

    void bind(ByteBuffer memory, int position, int sizeBytes, ChunkSpace space, long spaceEnd) {
        if (bound) {
            throw new IllegalStateException("request for " + topic + " submitted twice");
        }
        bound = true;
        this.memory = memory;
        this.position = position;
        this.sizeBytes = sizeBytes;
        this.space = space;
        this.spaceEnd = spaceEnd;
    }

    /** Says which fact the unit holds; facts may use the reserve. */
    void holds(Fact heldFact) {
        fact = heldFact;
        usesReserve = true;
    }

    /** Lets the unit use the reserve although it is no fact: copies that make space (R34). */
    void mayUseReserve() {
        usesReserve = true;
    }

    /**
     * Has the store time taken when the unit gets its place, and not before, with the batch: what is not to be stored before a
     * time must not look as if it were.
     */
    void takesOwnTime() {
        ownTime = true;
    }

    /** Says in which epoch alone the unit may be appended; 0 for any. */
    void onlyIn(int epoch) {
        onlyEpoch = epoch;
    }

    /** Whether it may be appended in this epoch. */
    boolean isFor(int epoch) {
        return onlyEpoch == 0 || onlyEpoch == epoch;
    }

    /** Whether the broker itself made it, a fact or a frame; others come from clients. */
    boolean isOwn() {
        return ownTime || fact != null;
    }

    /** See {@link #takesOwnTime}. */
    boolean hasOwnTime() {
        return ownTime;
    }

    /** The fact in the unit; null for messages. */
    @Nullable
    Fact fact() {
        return fact;
    }

    /** Whether it goes on while ordinary requests are refused, and may take the room kept for that. */
    boolean usesReserve() {
        return usesReserve;
    }

    ByteBuffer memory() {
        if (memory == null) {
            throw new IllegalStateException("request for " + topic + " has no bytes");
        }
        return memory;
    }

    int position() {
        return position;
    }

    /** Gives the chunk space back and lets go of the bytes: who waits for a flush must not keep them in memory. */
    void releaseSpace() {
        ChunkSpace lender = space;
        if (lender != null) {
            space = null;
            memory = null;
            lender.release(spaceEnd, sizeBytes);
        }
    }

    void placed(long physicalOffset, long queueOffset, long storeTimestampMs, long nowMs) {
        this.physicalOffset = physicalOffset;
        this.queueOffset = queueOffset;
        this.storeTimestampMs = storeTimestampMs;
        this.appendedMs = nowMs;
    }

    void frameStarts(int[] starts) {
        frameStarts = starts;
    }

    long appendedMs() {
        return appendedMs;
    }

    void complete(AppendResult result) {
        listener.completed(this, result);
    }
}
