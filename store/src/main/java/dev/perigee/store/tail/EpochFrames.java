package dev.perigee.store.tail;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.EpochStarted;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.LogHead;
import java.nio.ByteBuffer;
import java.util.List;

/** The frames that begin an epoch or a segment: they name the log and the epoch it is written in (R9, R30). */
@OwnedBy("log loop")
public final class EpochFrames {
    private final long logId;
    private final int number;
    private final String epochId;
    private final int segmentSizeBytes;
    private final FactFrames frames;
    private long startOffset;

    public EpochFrames(long logId, int number, long epochId, int segmentSizeBytes, Clock clock) {
        this.logId = logId;
        this.number = number;
        this.epochId = Long.toHexString(epochId);
        this.segmentSizeBytes = segmentSizeBytes;
        this.frames = new FactFrames(clock);
    }

    /** The epoch begins here. */
    public void begin(long offset) {
        startOffset = offset;
    }

    /** The name of the log. */
    public long logId() {
        return logId;
    }

    /** The number of the epoch. */
    public int number() {
        return number;
    }

    /** The first frame of a segment. A restatement unless the epoch begins with it. */
    public ByteBuffer logHead() {
        return frames.encode(
                new LogHead(Long.toHexString(logId), number, epochId, startOffset, List.of(), segmentSizeBytes));
    }

    /** The frame of a fact that belongs to the start of the epoch. */
    public ByteBuffer of(Fact fact) {
        return frames.encode(fact);
    }

    /** The frame of a new epoch inside a segment. */
    public ByteBuffer epochStarted() {
        return frames.encode(new EpochStarted(number, epochId));
    }
}
