package dev.perigee.replica;

import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.HelloAnswer;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.ForkSearch;
import dev.perigee.store.epoch.LogExtent;
import dev.perigee.store.frame.FrameLayout;
import dev.perigee.store.frame.FrameVerifier;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;

/** What a broker says of its log in hellos, and reads in those of others. Any thread. */
public final class LogFacts {
    private static final int HEX = 16;

    private final ReplicaIdentity self;
    private final CommitLog log;

    public LogFacts(ReplicaIdentity self, CommitLog log) {
        this.self = self;
        this.log = log;
    }

    /** As a sender answers. */
    public HelloAnswer answer() {
        LogExtent extent = log.extent();
        Optional<Epoch> last = extent.epochs().last();
        return new HelloAnswer(
                self.cluster(),
                self.brokerName(),
                self.brokerId(),
                self.nodeId().text(),
                Long.toHexString(log.logId()),
                last.map(Epoch::number).orElse(0),
                last.map(epoch -> Long.toHexString(epoch.id())).orElse(HelloCheck.NONE),
                extent.startOffset(),
                extent.endOffset(),
                log.confirmOffset(),
                StreamLimits.FORMAT,
                StreamLimits.FEATURE_LEVEL,
                log.segmentSizeBytes());
    }

    /**
     * As a replica asks; an empty log has no name yet, whatever it was given when it was made.
     *
     * @param run the number of this process
     * @param confirmOffset the highest that it was ever told, which may be beyond its end
     * @param restoring whether it may have forgotten what it answered for (R5)
     */
    public HelloHeader hello(long session, long run, long confirmOffset, boolean restoring) {
        LogExtent extent = log.extent();
        Optional<Epoch> last = extent.epochs().last();
        return new HelloHeader(
                self.cluster(),
                self.brokerName(),
                self.brokerId(),
                self.nodeId().text(),
                isEmpty() ? HelloCheck.NONE : Long.toHexString(log.logId()),
                last.map(Epoch::number).orElse(0),
                last.map(epoch -> Long.toHexString(epoch.id())).orElse(HelloCheck.NONE),
                extent.startOffset(),
                extent.endOffset(),
                confirmOffset,
                StreamLimits.FORMAT,
                StreamLimits.FEATURE_LEVEL,
                session,
                run,
                StreamLimits.WINDOW_BYTES,
                restoring);
    }

    /** As a sender answers one question of that search. */
    public ForkAnswer fork(int number) {
        LogExtent extent = log.extent();
        return ForkSearch.answer(new ForkSearch.Ask(number), extent)
                .map(answer -> new ForkAnswer(
                        answer.epoch().number(), Long.toHexString(answer.epoch().id()), answer.endOffset()))
                .orElse(new ForkAnswer(0, HelloCheck.NONE, extent.startOffset()));
    }

    /**
     * What a sender answered.
     *
     * @throws NumberFormatException when the id is not one
     */
    public static Optional<ForkSearch.Answer> read(ForkAnswer answer) {
        long id = Long.parseUnsignedLong(answer.epochId(), HEX);
        return answer.epoch() == 0
                ? Optional.empty()
                : Optional.of(new ForkSearch.Answer(new Epoch(answer.epoch(), id, 0), answer.endOffset()));
    }

    /** The epoch of the unit that ends at an offset; 0 at the start of the log. */
    public int epochBefore(long offset) {
        return offset <= log.startOffset()
                ? 0
                : log.extent().epochs().at(offset - 1).map(Epoch::number).orElse(0);
    }

    /**
     * When the unit that begins at an offset was stored, wall milliseconds; empty where none begins there, or that cannot be read
     * without waiting for the disk.
     */
    public OptionalLong storedMs(long offset) {
        SegmentLease rest = log.leaseRest(offset);
        if (rest == null) {
            return OptionalLong.empty();
        }
        try {
            ByteBuffer bytes = rest.bytes();
            boolean isFrame = bytes.limit() >= FrameLayout.MIN_BYTES
                    && DiskFile.isLoaded(bytes.slice(0, FrameLayout.MIN_BYTES))
                    && FrameVerifier.isPlausible(bytes, 0, bytes.limit());
            return isFrame
                    ? OptionalLong.of(bytes.getLong(FrameLayout.storeTimestamp(bytes, 0)))
                    : OptionalLong.empty();
        } finally {
            rest.release();
        }
    }

    /** Where the log ends now. */
    public long endOffset() {
        return log.endOffset();
    }

    /** Whether there is not a byte in the log. */
    public boolean isEmpty() {
        return log.endOffset() == log.startOffset();
    }
}
