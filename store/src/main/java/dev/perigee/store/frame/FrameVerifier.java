package dev.perigee.store.frame;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.FrameCheck;
import dev.perigee.protocol.message.FrameStamp;
import java.nio.ByteBuffer;

/** Verifies what stands at a place of the log, as recovery, repair and {@code perigee log verify} see it (R4). */
@OwnedBy("its user")
public final class FrameVerifier {
    /** What stands there. */
    public enum Verdict {
        /** A sound, stamped frame. */
        FRAME,
        /** A sound frame without a stamp, as a stock broker writes it. */
        UNSTAMPED,
        /** The blank that ends a segment. */
        BLANK,
        /** Zeros: nothing was written here. */
        END,
        /** No frame begins here: the size or the magic is impossible. */
        NO_FRAME,
        /** The lengths inside the frame contradict its size. */
        BAD_LENGTHS,
        /** A frame that belongs to another offset. */
        WRONG_OFFSET,
        /** The body differs from its checksum. */
        BAD_BODY,
        /** Something outside of the body differs from the stamp's checksum. */
        BAD_STAMP
    }

    private int sizeBytes;
    private int epoch;
    private boolean unitContinues;
    private long storeTimestampMs;
    private long unsyncedBytes;

    /**
     * Checks what begins at a position.
     *
     * @param available bytes from the position to the end of the segment; when {@link #isPlausible} the frame must be in
     *     the buffer
     * @param offset the offset in the log
     */
    public Verdict check(ByteBuffer buffer, int position, int available, long offset) {
        return look(buffer, position, available, offset, true);
    }

    /**
     * As {@link #check}, without the checksums: of bytes that this process wrote and that nothing but its memory has kept since. What is
     * damaged all the same may be called sound, so whoever gets the bytes checks them.
     */
    public Verdict checkShape(ByteBuffer buffer, int position, int available, long offset) {
        return look(buffer, position, available, offset, false);
    }

    private Verdict look(ByteBuffer buffer, int position, int available, long offset, boolean checksums) {
        sizeBytes = 0;
        if (available < FrameLayout.HEAD_BYTES) {
            return Verdict.NO_FRAME;
        }
        int size = buffer.getInt(position);
        int magic = buffer.getInt(position + FrameLayout.MAGIC);
        if (size == 0 && magic == 0) {
            return Verdict.END;
        }
        if (magic == FrameLayout.BLANK_MAGIC && size == available) {
            sizeBytes = size;
            return Verdict.BLANK;
        }
        return isPlausible(buffer, position, available)
                ? lookAtFrame(buffer, position, size, offset, checksums)
                : Verdict.NO_FRAME;
    }

    /** Whether size and magic can be a frame's; only then need the rest of it be in the buffer. */
    public static boolean isPlausible(ByteBuffer buffer, int position, int available) {
        if (available < FrameLayout.HEAD_BYTES) {
            return false;
        }
        int size = buffer.getInt(position);
        return FrameLayout.isFrameMagic(buffer.getInt(position + FrameLayout.MAGIC))
                && size >= FrameLayout.MIN_BYTES
                && size <= FrameLayout.MAX_BYTES
                && size <= available - FrameLayout.HEAD_BYTES;
    }

    private Verdict lookAtFrame(ByteBuffer buffer, int position, int size, long offset, boolean checksums) {
        FrameCheck content = FrameCheck.of(buffer, position, size, checksums);
        Verdict verdict = switch (content) {
            case SOUND -> Verdict.FRAME;
            case SOUND_UNSTAMPED -> Verdict.UNSTAMPED;
            case BAD_BODY -> Verdict.BAD_BODY;
            case BAD_STAMP -> Verdict.BAD_STAMP;
            case BAD_LENGTH, CUT_OFF, BAD_MAGIC, BLANK, ABSENT -> Verdict.BAD_LENGTHS;
        };
        if (!content.isSound()) {
            return verdict;
        }
        sizeBytes = size;
        if (buffer.getLong(position + FrameLayout.PHYSICAL_OFFSET) != offset) {
            return Verdict.WRONG_OFFSET;
        }
        boolean stamped = content == FrameCheck.SOUND;
        storeTimestampMs = buffer.getLong(FrameLayout.storeTimestamp(buffer, position));
        epoch = stamped ? FrameStamp.epoch(buffer, position, size) : 0;
        unitContinues = stamped && FrameStamp.unitContinues(buffer, position, size);
        unsyncedBytes = stamped ? FrameStamp.unsyncedBytes(buffer, position, size) : Long.MAX_VALUE;
        return verdict;
    }

    /** The size of the frame or blank found; 0 when the verdict is about neither. */
    public int sizeBytes() {
        return sizeBytes;
    }

    /** The epoch in the stamp; 0 without one. */
    public int epoch() {
        return epoch;
    }

    /** Whether the next frame belongs to the same unit. */
    public boolean unitContinues() {
        return unitContinues;
    }

    /** When the frame was stored, in log time. */
    public long storeTimestampMs() {
        return storeTimestampMs;
    }

    /** How many bytes before the frame may have been unsynced when it was written; MAX_VALUE when unknown. */
    public long unsyncedBytes() {
        return unsyncedBytes;
    }
}
