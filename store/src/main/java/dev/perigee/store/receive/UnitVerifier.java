package dev.perigee.store.receive;

import static dev.perigee.store.receive.ReceiveRefusedException.Reason.DAMAGED;
import static dev.perigee.store.receive.ReceiveRefusedException.Reason.EPOCH;
import static dev.perigee.store.receive.ReceiveRefusedException.Reason.FACT;
import static dev.perigee.store.receive.ReceiveRefusedException.Reason.LOG;
import static dev.perigee.store.receive.ReceiveRefusedException.Reason.PLACE;
import static dev.perigee.store.receive.ReceiveRefusedException.Reason.SEGMENT;
import static dev.perigee.store.receive.ReceiveRefusedException.Reason.UNIT;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.LogHead;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.epoch.EpochFold;
import dev.perigee.store.epoch.EpochTable;
import dev.perigee.store.frame.FrameLayout;
import dev.perigee.store.frame.FrameVerifier;
import dev.perigee.store.frame.FrameVerifier.Verdict;
import dev.perigee.store.frame.KnownFacts;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Says whether received bytes are whole, sound units that belong to a place: that offset, no epoch that falls or rises without
 * saying so, right checksums, no unit cut short (R4, R20), segments where the sender's are (R30). Changes nothing.
 */
@OwnedBy("log loop")
public final class UnitVerifier {
    private static final int SMALLEST_SEGMENT_BYTES = 4096;
    private static final int HEX = 16;

    /**
     * The end of the log that is to take the bytes.
     *
     * @param logId its name
     * @param offset where it ends
     * @param lastFrameEnd where its last frame ends, before the blank if one follows; 0 when that is not known
     * @param segmentSizeBytes the size of its files
     * @param epochs of all before
     */
    public record End(long logId, long offset, long lastFrameEnd, int segmentSizeBytes, EpochTable epochs) {}

    private final FrameVerifier frame = new FrameVerifier();
    private final MessageFrame message = new MessageFrame();

    // The walk under way: where in the log and in the buffer it is, and what it found.
    private End end = new End(0, 0, 0, SMALLEST_SEGMENT_BYTES, EpochTable.EMPTY);
    private ByteBuffer buffer = ByteBuffer.allocate(0);
    private int position;
    private long offset;
    private EpochFold epochs = new EpochFold(EpochTable.EMPTY);
    private Map<Integer, Fact> facts = new HashMap<>();
    private boolean inUnit;
    private long storeTimestampMs;

    /**
     * What an empty log becomes by the first bytes it receives: a log of that name that begins there, with files of that size.
     *
     * @throws ReceiveRefusedException when they do not begin with a sound head, or one that does not belong there
     */
    public End beginning(ByteBuffer bytes, long atOffset) throws ReceiveRefusedException {
        int from = bytes.position();
        int present = bytes.remaining();
        if (present < FrameLayout.HEAD_BYTES
                || frame.check(bytes, from, present + FrameLayout.HEAD_BYTES, atOffset) != Verdict.FRAME
                || !(EpochFold.factOf(bytes, from) instanceof LogHead head)) {
            throw new ReceiveRefusedException(
                    SEGMENT, atOffset, "the head of a segment as the first frame of a log", "something else");
        }
        long size = head.segmentSizeBytes();
        if (size < SMALLEST_SEGMENT_BYTES
                || size > Integer.MAX_VALUE
                || size % SMALLEST_SEGMENT_BYTES != 0
                || atOffset % size != 0) {
            throw new ReceiveRefusedException(
                    SEGMENT, atOffset, "a size of segments that leads here", "segments of " + size + " bytes");
        }
        return new End(logIdOf(head, atOffset), atOffset, 0, (int) size, EpochTable.EMPTY);
    }

    /**
     * Checks bytes from position to limit of a buffer, and leaves it as it was.
     *
     * @param atOffset the offset in the log of the first byte
     * @throws ReceiveRefusedException naming the first thing that is wrong
     */
    public ReceivedUnits verify(End log, ByteBuffer bytes, long atOffset) throws ReceiveRefusedException {
        begin(log, bytes, atOffset);
        int from = position;
        int limit = bytes.limit();
        long segmentEnd = log.offset() - log.offset() % log.segmentSizeBytes() + log.segmentSizeBytes();
        if (limit - from > segmentEnd - offset) {
            throw new ReceiveRefusedException(
                    SEGMENT, segmentEnd, "no more bytes of this segment", (limit - from) + " bytes from " + offset);
        }
        boolean blank = false;
        int frameBytes = 0;
        while (position < limit && !blank) {
            blank = step(limit, (int) (segmentEnd - offset));
            frameBytes = blank ? frameBytes : position - from;
        }
        if (inUnit) {
            throw new ReceiveRefusedException(UNIT, offset, "the rest of a unit", "the end of the bytes");
        }
        long newEnd = blank ? segmentEnd : offset;
        return new ReceivedUnits(frameBytes, blank, newEnd, epochs.table(), storeTimestampMs, facts);
    }

    private void begin(End log, ByteBuffer bytes, long atOffset) throws ReceiveRefusedException {
        if (atOffset != log.offset()) {
            throw new ReceiveRefusedException(
                    PLACE, log.offset(), "bytes for the end of the log", "bytes for offset " + atOffset);
        }
        end = log;
        buffer = bytes;
        position = bytes.position();
        offset = atOffset;
        epochs = new EpochFold(log.epochs());
        facts = new HashMap<>();
        inUnit = false;
        storeTimestampMs = 0;
    }

    /** Goes over one frame, or over the blank that ends the segment: then gives true. */
    private boolean step(int limit, int available) throws ReceiveRefusedException {
        int present = limit - position;
        if (present < FrameLayout.HEAD_BYTES) {
            throw cutShort(FrameLayout.HEAD_BYTES, present);
        }
        if (FrameVerifier.isPlausible(buffer, position, available) && buffer.getInt(position) > present) {
            throw cutShort(buffer.getInt(position), present);
        }
        Verdict verdict = frame.check(buffer, position, available, offset);
        if (verdict == Verdict.BLANK) {
            blank(present, available);
            return true;
        }
        if (verdict == Verdict.WRONG_OFFSET) {
            long own = message.wrap(buffer, position).physicalOffset();
            throw new ReceiveRefusedException(PLACE, offset, "a frame of this offset", "one of offset " + own);
        }
        if (verdict != Verdict.FRAME) {
            throw new ReceiveRefusedException(DAMAGED, offset, "a sound frame", verdict.name());
        }
        followFrame();
        inUnit = frame.unitContinues();
        storeTimestampMs = Math.max(storeTimestampMs, frame.storeTimestampMs());
        position += frame.sizeBytes();
        offset += frame.sizeBytes();
        return false;
    }

    private ReceiveRefusedException cutShort(int expectedBytes, int presentBytes) {
        return new ReceiveRefusedException(
                UNIT, offset, expectedBytes + " bytes of a frame", presentBytes + " bytes and no more");
    }

    /** A blank is its eight bytes alone, or all of the rest of the segment and then zeros. */
    private void blank(int present, int available) throws ReceiveRefusedException {
        if (inUnit || offset % end.segmentSizeBytes() == 0) {
            throw new ReceiveRefusedException(
                    SEGMENT, offset, inUnit ? "the rest of a unit" : "the head of a segment", "a blank");
        }
        if (present != FrameLayout.HEAD_BYTES && present != available) {
            throw new ReceiveRefusedException(
                    SEGMENT, offset, "a blank of 8 or " + available + " bytes", present + " bytes");
        }
        for (int i = position + FrameLayout.HEAD_BYTES; i < position + present; i++) {
            if (buffer.get(i) != 0) {
                long at = offset + i - position;
                throw new ReceiveRefusedException(SEGMENT, at, "zeros behind a blank", "byte " + buffer.get(i));
            }
        }
    }

    private void followFrame() throws ReceiveRefusedException {
        Fact fact = fact();
        Optional<String> unknown = KnownFacts.objection(fact);
        if (unknown.isPresent()) {
            throw new ReceiveRefusedException(
                    FACT, offset, "what this release understands, for " + KnownFacts.known(), unknown.get());
        }
        if (offset % end.segmentSizeBytes() == 0) {
            if (inUnit || !(fact instanceof LogHead head)) {
                throw new ReceiveRefusedException(
                        SEGMENT, offset, "the head of a segment", fact == null ? "a message" : fact.kind());
            }
            checkHead(head);
            long lastFrameEnd = offset == end.offset() ? end.lastFrameEnd() : offset;
            epochs.head(offset, frame.epoch(), lastFrameEnd, fact);
        } else {
            epochs.frame(offset, frame.epoch(), fact);
        }
        if (epochs.objection().isPresent()) {
            EpochFold.Objection objection = epochs.objection().get();
            throw new ReceiveRefusedException(EPOCH, objection.offset(), objection.expected(), objection.found());
        }
        if (fact != null) {
            facts.put(position, fact);
        }
    }

    private @Nullable Fact fact() throws ReceiveRefusedException {
        try {
            return FactCodec.decode(message.wrap(buffer, position));
        } catch (BadBodyException e) {
            throw new ReceiveRefusedException(DAMAGED, offset, "a readable fact", String.valueOf(e.getMessage()));
        }
    }

    private void checkHead(LogHead head) throws ReceiveRefusedException {
        if (logIdOf(head, offset) != end.logId()) {
            throw new ReceiveRefusedException(
                    LOG, offset, "log id " + Long.toHexString(end.logId()), "log id " + head.logId());
        }
        if (head.segmentSizeBytes() != end.segmentSizeBytes()) {
            throw new ReceiveRefusedException(
                    SEGMENT,
                    offset,
                    "segments of " + end.segmentSizeBytes() + " bytes",
                    "segments of " + head.segmentSizeBytes());
        }
    }

    private static long logIdOf(LogHead head, long offset) throws ReceiveRefusedException {
        try {
            long id = Long.parseUnsignedLong(head.logId(), HEX);
            if (id != 0) {
                return id;
            }
        } catch (NumberFormatException e) {
            // told below, with the others
        }
        throw new ReceiveRefusedException(LOG, offset, "a log id", "\"" + head.logId() + "\"");
    }
}
