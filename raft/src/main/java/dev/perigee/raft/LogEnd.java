package dev.perigee.raft;

import dev.perigee.loop.Immutable;

/**
 * Where a log ends, and in which epoch its last byte was written: all that a vote compares (Raft §5.4.1).
 *
 * @param epoch the number of the epoch of the last byte; 0 for a log without a byte
 * @param epochId the random id of that epoch (R9); 0 when it has none
 * @param endOffset the byte after the last one (exclusive)
 */
@Immutable
public record LogEnd(int epoch, long epochId, long endOffset) {
    /** Of a log without a byte. */
    public static final LogEnd EMPTY = new LogEnd(0, 0, 0);

    public LogEnd {
        if (epoch < 0 || endOffset < 0) {
            throw new IllegalArgumentException(
                    "epoch=" + epoch + " endOffset=" + endOffset + ", neither may be below 0");
        }
    }

    /** Whether there is not a byte in the log. */
    public boolean isEmpty() {
        return epoch == 0;
    }

    /** Whether it is the same place by what votes tell of it: number and offset. */
    boolean isAsFar(LogEnd other) {
        return epoch == other.epoch && endOffset == other.endOffset;
    }

    /**
     * Whether a log that ends here has all that may be confirmed of one that ends there: its last epoch is later, or the same
     * and it is at least as long (Raft §5.4.1). Ids are not compared: of two epochs of one number neither is confirmed.
     */
    public boolean isAtLeast(LogEnd other) {
        return epoch != other.epoch ? epoch > other.epoch : endOffset >= other.endOffset;
    }
}
