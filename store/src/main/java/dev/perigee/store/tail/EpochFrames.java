package dev.perigee.store.tail;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.EpochStarted;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.LogHead;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.MemberFacts;
import dev.perigee.store.epoch.ReplicaSet;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** The frames that begin an epoch or a segment: they name the log and the epoch it is written in (R9, R30). */
@OwnedBy("log loop")
public final class EpochFrames {
    private final LongSupplier ids;
    private final FactFrames frames;
    private long logId;
    private int segmentSizeBytes;
    private Epoch epoch = new Epoch(0, 0, 0);

    /** @param ids random numbers, none of them 0 */
    public EpochFrames(long logId, int segmentSizeBytes, LongSupplier ids, Clock clock) {
        this.logId = logId;
        this.segmentSizeBytes = segmentSizeBytes;
        this.ids = ids;
        this.frames = new FactFrames(clock);
    }

    /** An epoch of this node's own begins here. */
    public Epoch begin(int number, long offset) {
        epoch = new Epoch(number, ids.getAsLong(), offset);
        return epoch;
    }

    /** The epoch begun last begins here and not before: its first frame did not fit there. */
    public Epoch beginAt(long offset) {
        epoch = new Epoch(epoch.number(), epoch.id(), offset);
        return epoch;
    }

    /** The log takes the name and the segment size of the one it receives. */
    public void adopt(long receivedLogId, int receivedSegmentBytes) {
        logId = receivedLogId;
        segmentSizeBytes = receivedSegmentBytes;
    }

    /** The name of the log. */
    public long logId() {
        return logId;
    }

    /** The number of the epoch begun last. */
    public int number() {
        return epoch.number();
    }

    /**
     * The first frame of a segment. A restatement unless the epoch begins with it.
     *
     * @param inSync whom the log names before it as in sync
     * @param members whom it names as members of its group
     */
    public ByteBuffer logHead(Optional<ReplicaSet> inSync, MemberFacts members) {
        return frames.encode(new LogHead(
                Long.toHexString(logId),
                epoch.number(),
                epochId(),
                epoch.startOffset(),
                List.of(),
                segmentSizeBytes,
                inSync.map(set -> new LogHead.InSyncTold(set.members(), set.factEnd()))
                        .orElse(null),
                null,
                members.told()));
    }

    /** The frame of a fact that belongs to the start of the epoch. */
    public ByteBuffer of(Fact fact) {
        return frames.encode(fact);
    }

    /** The frame of a new epoch inside a segment. */
    public ByteBuffer epochStarted() {
        return frames.encode(new EpochStarted(epoch.number(), epochId()));
    }

    private String epochId() {
        return Long.toHexString(epoch.id());
    }
}
