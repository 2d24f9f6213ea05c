package dev.perigee.replica.feed;

import dev.perigee.loop.OwnedBy;
import dev.perigee.replica.StreamLimits;
import dev.perigee.store.frame.FrameLayout;
import dev.perigee.store.frame.FrameVerifier;
import dev.perigee.store.frame.FrameVerifier.Verdict;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log of a sender in pieces for the stream. Every frame is verified once, before the first byte of its unit is handed
 * out (R28); a unit that has to wait is not verified again. Of what this process wrote after the reader began, and so lately that it is in memory as it was
 * written, only the shape is: the receiver checks every byte, and after a refusal all of it lies before where the next reader begins. One call does a bounded amount of work, and one that must not wait
 * touches nothing that is not in memory.
 */
@OwnedBy("event loop; while something is read elsewhere, the thread that does")
final class UnitReader {
    /** Bytes that one call verifies before it stops; the frame it is at is finished. */
    static final int WORK_BYTES = StreamLimits.FRAME_BYTES;

    /** Whether a call may wait for the disk. */
    enum DiskWait {
        NEVER,
        ALLOWED
    }

    /** Why a call gave no piece. */
    enum Stop {
        /** What is next does not fit into the room. */
        NO_ROOM,
        /** The unit is large: the next call goes on where this one stopped. */
        UNFINISHED,
        /** What is next has to come from the disk: to be called again where that may be waited for. */
        COLD,
        /** See {@link UnitReader#damage}. */
        DAMAGED
    }

    private final FeedSource source;
    private final int frameBytes;
    private final FrameVerifier verifier = new FrameVerifier();
    /** Where the log ended when this began: what lies before is verified whole. */
    private long logEndBefore;
    /** The first byte of the next piece. */
    private long next;

    private int epochBefore;
    /** The unit that is verified or being verified: it begins at or behind {@link #next}, or holds it when it goes in fragments. */
    private long unitStart;

    /** Up to where it is verified. */
    private long unitEnd;

    private int unitEpoch;
    private boolean unitIsWhole;
    private boolean unitIsBlank;

    private DiskWait wait = DiskWait.NEVER;
    private long logEnd;
    /** What is in memory, as this call knows. */
    private long warmFrom;

    private long warmTo;
    private int workBytes;
    private long verifiedBytes;
    private Stop stop = Stop.NO_ROOM;
    private String damage = "";
    private long damagedAt = -1;

    /**
     * Reads nothing before {@link #startAt}.
     *
     * @param frameBytes a unit larger than this goes in fragments of this size
     */
    UnitReader(FeedSource source, int frameBytes) {
        this.source = source;
        this.frameBytes = frameBytes;
    }

    /**
     * Begins behind a unit.
     *
     * @param epoch of that unit; 0 when there is none
     */
    void startAt(long offset, int epoch) {
        next = offset;
        epochBefore = epoch;
        unitStart = offset;
        unitEnd = offset;
        logEndBefore = source.endOffset();
    }

    /**
     * The next piece; null when there is none, see {@link #stop}.
     *
     * @param bytes the rest of the segment that holds the first byte of the next piece
     * @param end where the log ends: behind that byte
     * @param room how many bytes the piece may have
     */
    @Nullable
    FeedPiece read(FeedSource.Pinned bytes, long end, int room, DiskWait mayWait) {
        wait = mayWait;
        logEnd = end;
        warmFrom = next;
        warmTo = next;
        workBytes = 0;
        return next > unitStart && next < unitEnd ? fragment(bytes, room) : wholeUnits(bytes, room);
    }

    /** Why the last call gave no piece. */
    Stop stop() {
        return stop;
    }

    /** What is damaged, and where. */
    String damage() {
        return damage;
    }

    /** Where the damaged frame begins; −1 while none was met. */
    long damagedAt() {
        return damagedAt;
    }

    /** How many bytes the last call verified and handed out. */
    int workBytes() {
        return workBytes;
    }

    /** How many bytes were verified since the start, those twice that were verified twice. */
    long verifiedBytes() {
        return verifiedBytes;
    }

    private @Nullable FeedPiece wholeUnits(FeedSource.Pinned bytes, int room) {
        long to = next;
        int epoch = epochBefore;
        while (to < logEnd && verifyUnitAt(bytes, to)) {
            long sentEnd = unitIsBlank ? to + StreamLimits.BLANK_BYTES : unitEnd;
            if (sentEnd - next > room) {
                stop = Stop.NO_ROOM;
                break;
            }
            if (unitIsBlank) {
                return piece(bytes, sentEnd, unitEnd, unitEnd, epoch);
            }
            to = unitEnd;
            epoch = unitEpoch;
        }
        if (to > next) {
            return piece(bytes, to, to, to, epoch);
        }
        // What does not fit into the window's rest waits, what does not fit into a frame goes in fragments.
        boolean isLarge = stop == Stop.NO_ROOM && !unitIsBlank && room >= frameBytes;
        return isLarge ? fragment(bytes, room) : null;
    }

    private @Nullable FeedPiece fragment(FeedSource.Pinned bytes, int room) {
        long to = Math.min(unitEnd, next + room);
        return piece(bytes, to, to, unitEnd, to == unitEnd ? unitEpoch : epochBefore);
    }

    private @Nullable FeedPiece piece(FeedSource.Pinned bytes, long to, long nextOffset, long endOfUnit, int epoch) {
        if (!mayTouch(bytes, next, to)) {
            return null;
        }
        int position = (int) (next - bytes.fromOffset());
        int size = (int) (to - next);
        boolean inPlace = wait == DiskWait.NEVER && next >= source.writtenFrom();
        ByteBuffer stored = bytes.bytes().slice(position, size);
        // What the kernel may take away is copied now: it must not be waited for when it is sent.
        ByteBuffer sent =
                inPlace ? stored : ByteBuffer.allocate(size).put(stored).flip();
        workBytes += size;
        FeedPiece piece = new FeedPiece(next, sent, inPlace, nextOffset, endOfUnit, epoch);
        next = nextOffset;
        epochBefore = epoch;
        return piece;
    }

    /** Whether the unit that begins there is verified now, be it that it was before; else {@link #stop} says why not. */
    private boolean verifyUnitAt(FeedSource.Pinned bytes, long offset) {
        if (unitStart != offset) {
            unitStart = offset;
            unitEnd = offset;
            unitIsWhole = false;
            unitIsBlank = false;
        }
        while (!unitIsWhole) {
            if (!mayVerify(bytes, unitEnd) || !verifyFrame(bytes, unitEnd)) {
                return false;
            }
        }
        return true;
    }

    /** What is no frame costs nothing: it is a blank, or damaged. */
    private boolean mayVerify(FeedSource.Pinned bytes, long at) {
        if (!mayTouch(bytes, at, Math.min(at + FrameLayout.HEAD_BYTES, bytes.endOffset()))) {
            return false;
        }
        int position = (int) (at - bytes.fromOffset());
        if (!FrameVerifier.isPlausible(bytes.bytes(), position, (int) (bytes.endOffset() - at))) {
            return true;
        }
        if (workBytes >= WORK_BYTES) {
            stop = Stop.UNFINISHED;
            return false;
        }
        return mayTouch(bytes, at, at + bytes.bytes().getInt(position));
    }

    private boolean verifyFrame(FeedSource.Pinned bytes, long at) {
        int position = (int) (at - bytes.fromOffset());
        int rest = (int) (bytes.endOffset() - at);
        Verdict verdict = isAsWritten(at)
                ? verifier.checkShape(bytes.bytes(), position, rest, at)
                : verifier.check(bytes.bytes(), position, rest, at);
        boolean blank = verdict == Verdict.BLANK && at == unitStart;
        if (verdict != Verdict.FRAME && verdict != Verdict.UNSTAMPED && !blank) {
            damage = "the log is damaged at offset " + at + " ("
                    + verdict.name().toLowerCase(Locale.ROOT) + "): nothing from there on is sent";
            damagedAt = at;
            stop = Stop.DAMAGED;
            return false;
        }
        int size = verifier.sizeBytes();
        int looked = blank ? FrameLayout.HEAD_BYTES : size;
        workBytes += looked;
        verifiedBytes += looked;
        unitEnd = at + size;
        unitIsBlank = blank;
        unitIsWhole = blank || !verifier.unitContinues();
        if (!blank) {
            unitEpoch = verifier.epoch();
        }
        return true;
    }

    private boolean isAsWritten(long at) {
        return wait == DiskWait.NEVER && at >= logEndBefore && at >= source.writtenFrom();
    }

    /** Looks at what is asked for and some more at once, for it is one system call either way. */
    private boolean mayTouch(FeedSource.Pinned bytes, long from, long to) {
        long needed = Math.min(to, logEnd); // a damaged size may lead behind it
        if (wait == DiskWait.ALLOWED || (from >= warmFrom && needed <= warmTo)) {
            return true;
        }
        long until = Math.max(needed, Math.min(from + WORK_BYTES, Math.min(logEnd, bytes.endOffset())));
        if (!source.isLoaded(bytes, from, until)) {
            stop = Stop.COLD;
            return false;
        }
        if (from < warmFrom || from > warmTo) {
            warmFrom = from;
        }
        warmTo = until;
        return true;
    }
}
