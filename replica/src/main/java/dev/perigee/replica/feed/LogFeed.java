package dev.perigee.replica.feed;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.replica.StreamLimits;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What goes down to one replica in one session: the bytes between what was sent and the end of the log, in frames of whole
 * units where they fit and of fragments of larger ones, within the window of bytes not yet held. Does nothing by itself: whoever
 * owns the connection asks for frames, turn by turn, until there are none, after each {@link #held}, when the log has grown, and at
 * {@link #nextDeadlineMs}; and has read elsewhere what has to come from the disk.
 */
@OwnedBy("event loop")
public final class LogFeed {
    /** Bytes verified or copied in one turn of the event loop; the piece at hand is finished, the rest is for the next turn. */
    static final int TURN_BYTES = 2 * StreamLimits.FRAME_BYTES;

    /** Until a read is tried again that found too many others waiting. */
    static final long READ_RETRY_MS = 10;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final FeedSource source;
    private final FeedTerms terms;
    private final CatchUpRate rate;
    private final UnitReader reader;
    private boolean started;
    /** The next byte to send. */
    private long sent;
    /** The end of the unit that is going in fragments; not above {@link #sent} when none is. */
    private long fragmentedEnd;

    private long fragmentedStart;
    private long held;
    private int epochBefore;
    private @Nullable SharedPin pin;
    /** What is to be read elsewhere, or being read. */
    private @Nullable ColdRead coldRead;

    private boolean coldReadBegun;
    private long coldReadAtMs;
    /** Came from the disk, and goes next. */
    private @Nullable FeedPiece ready;

    private int turnBytes;
    private boolean wantsTurn;
    private long sentMs;
    private volatile long toldConfirm = -1; // written on the event loop alone
    private long confirmSeen;
    private long progressMs;
    /** Since when what was sent and is not held has waited without progress; says nothing while all is held. */
    private long waitingSinceMs;
    /** Frames that lie in the log and have not left the connection. */
    private final AtomicInteger lent = new AtomicInteger();

    /** Nothing but the pace keeps bytes from going. */
    private boolean waitsForRate;

    private @Nullable String fault;

    public LogFeed(FeedSource source, FeedTerms terms) {
        this.source = source;
        this.terms = terms;
        this.rate = new CatchUpRate(terms.catchUpBytesPerSec(), terms.frameBytes());
        this.reader = new UnitReader(source, terms.frameBytes());
    }

    /**
     * Begins the stream: the replica holds everything below an offset and nothing else. Once.
     *
     * @param epoch the epoch of the last unit before the offset; 0 when there is none
     */
    public void startAt(long offset, int epoch, long nowMs) {
        if (started) {
            throw new IllegalStateException("the feed of session " + terms.session() + " was started before");
        }
        started = true;
        sent = offset;
        fragmentedEnd = offset;
        held = offset;
        epochBefore = epoch;
        reader.startAt(offset, epoch);
        progressMs = nowMs;
        sentMs = nowMs - StreamLimits.HEARTBEAT_MS; // the first frame goes at once, be it empty
        rate.startAt(nowMs);
        if (offset > source.endOffset()) {
            fault = "the replica holds bytes up to " + offset + ", the log ends at " + source.endOffset();
        }
    }

    /** Whether {@link #startAt} was called. */
    public boolean isStarted() {
        return started;
    }

    /** The replica holds everything below an offset. What it cannot hold is a fault. */
    public void held(long endOffset, long nowMs) {
        if (endOffset < held || endOffset > sent) {
            fault = "the replica holds bytes up to " + endOffset + ", but held up to " + held + " and was sent up to "
                    + sent;
            return;
        }
        if (endOffset > held) {
            held = endOffset;
            progressMs = nowMs;
            waitingSinceMs = nowMs;
        }
    }

    /** The event loop has its turn: as many frames may go as one turn allows. */
    public void beginTurn() {
        turnBytes = 0;
        wantsTurn = false;
    }

    /**
     * The next frame that may go in this turn, to be released when it went; a heartbeat when nothing went for {@link StreamLimits#HEARTBEAT_MS}. Empty when there
     * is none, and for good when there is a {@link #fault}.
     */
    public Optional<FeedFrame> next(long nowMs) {
        if (!started || fault != null) {
            return Optional.empty();
        }
        // First what is confirmed and then who writes: what is confirmed of another one's bytes, of a later or an
        // earlier epoch, says
        // nothing of those sent here (R19).
        confirmSeen = source.confirmOffset();
        if (!source.endsIn(terms.senderEpoch())) {
            fault = "the log does not end in epoch " + terms.senderEpoch() + ", in which this session is, any more";
            return Optional.empty();
        }
        FeedPiece piece = pieceThatMayGo(nowMs);
        FeedFrame frame = piece == null ? null : send(piece, nowMs);
        letGo(frame, nowMs);
        long pauseMs = confirmSeen > toldConfirm ? StreamLimits.CONFIRM_MS : StreamLimits.HEARTBEAT_MS;
        if (frame == null && fault == null && nowMs - sentMs >= pauseMs) {
            frame = FeedFrame.of(header(sent), NOTHING);
        }
        if (frame != null) {
            sentMs = nowMs;
        }
        return Optional.ofNullable(frame);
    }

    /** How far the replica was told that the log is confirmed; −1 before it was told anything. Any thread. */
    public long toldConfirm() {
        return toldConfirm;
    }

    /** Whether more could go at once, but not in this turn: others have theirs first. */
    public boolean wantsTurn() {
        return wantsTurn;
    }

    /**
     * What has to be read where the disk may be waited for, handed out once: to be run on such a thread, and then {@link #readDone}
     * called on the event loop; or else {@link #readRefused}.
     */
    public Optional<Runnable> readElsewhere(long nowMs) {
        ColdRead read = coldRead;
        if (read == null || coldReadBegun || nowMs < coldReadAtMs) {
            return Optional.empty();
        }
        coldReadBegun = true;
        return Optional.of(read);
    }

    /** What was handed out has been run; the next frame may go. */
    public void readDone() {
        ColdRead read = coldRead;
        if (read == null) {
            throw new IllegalStateException("nothing was read elsewhere in session " + terms.session());
        }
        coldRead = null;
        coldReadBegun = false;
        if (!started) {
            unpin(); // the feed was closed meanwhile
            return;
        }
        ready = read.piece();
        if (read.failure() != null) {
            fault = read.failure();
        }
    }

    /** What was handed out was not run and will not be, for too many reads wait; it is handed out again after a while. */
    public void readRefused(long nowMs) {
        coldReadBegun = false;
        coldReadAtMs = nowMs + READ_RETRY_MS;
    }

    /** When {@link #next} wants to be called although nothing happened, monotonic milliseconds. */
    public long nextDeadlineMs(long nowMs) {
        if (!started || fault != null) {
            return Long.MAX_VALUE;
        }
        long deadlineMs = sentMs + StreamLimits.HEARTBEAT_MS;
        if (sent > toldConfirm) { // nobody says when that is confirmed
            deadlineMs = Math.min(deadlineMs, Math.max(sentMs, nowMs) + StreamLimits.CONFIRM_MS);
        }
        if (coldRead != null && !coldReadBegun) {
            deadlineMs = Math.min(deadlineMs, coldReadAtMs);
        }
        return waitsForRate ? Math.min(deadlineMs, rate.whenMs(terms.frameBytes(), nowMs)) : deadlineMs;
    }

    /** Why nothing will ever be sent again: the connection is to be closed. */
    public Optional<String> fault() {
        return Optional.ofNullable(fault);
    }

    /** Where a damaged frame begins that is the fault; −1 for none. */
    long damagedAt() {
        return reader.damagedAt();
    }

    /** The byte after the last one sent (exclusive). */
    public long sentOffset() {
        return sent;
    }

    /** The byte after the last one held (exclusive). */
    public long heldOffset() {
        return held;
    }

    /** How many bytes were verified since the start; not while something is read elsewhere. */
    long verifiedBytes() {
        return reader.verifiedBytes();
    }

    /** Lets the log go, what is read elsewhere when that is done; the feed is not used any more. */
    public void close() {
        started = false;
        if (!coldReadBegun) {
            coldRead = null;
            unpin();
        }
    }

    private @Nullable FeedPiece pieceThatMayGo(long nowMs) {
        FeedPiece came = ready;
        if (came != null) {
            ready = null;
            payFor(came);
            return came;
        }
        if (coldRead != null) {
            return null;
        }
        long end = source.endOffset();
        long room = Math.min(terms.frameBytes(), terms.windowBytes() - (sent - held));
        if (sent < fragmentedEnd && held >= fragmentedStart) {
            room = terms.frameBytes(); // a unit larger than the window: it is held once it is whole, and not before
        }
        waitsForRate = isPaced() && room > 0 && rate.allowedBytes(nowMs) < terms.frameBytes();
        if (sent >= end || room <= 0 || waitsForRate) {
            return null;
        }
        if (turnBytes >= TURN_BYTES) {
            wantsTurn = true;
            return null;
        }
        FeedSource.Pinned bytes = pinned();
        if (bytes == null) {
            fault = "offset " + sent + " is not stored any more: the log begins at " + source.startOffset();
            return null;
        }
        return read(bytes, end, (int) room);
    }

    private @Nullable FeedPiece read(FeedSource.Pinned bytes, long end, int room) {
        FeedPiece piece = reader.read(bytes, end, room, UnitReader.DiskWait.NEVER);
        turnBytes += reader.workBytes();
        if (piece != null) {
            payFor(piece);
            return piece;
        }
        switch (reader.stop()) {
            case COLD -> {
                coldRead = new ColdRead(reader, bytes, end, room);
                coldReadAtMs = 0;
            }
            case UNFINISHED -> wantsTurn = true;
            case DAMAGED -> fault = reader.damage();
            case NO_ROOM -> {} // until more is held
        }
        return null;
    }

    private boolean isPaced() {
        return terms.catchUpBytesPerSec() > 0 && source.endOffset() - sent > terms.windowBytes();
    }

    private void payFor(FeedPiece piece) {
        if (isPaced()) {
            rate.sent(piece.bytes().limit());
        }
    }

    /** A replica that does not move keeps no file (R35): neither by what comes next nor by frames that wait in the connection. */
    private void letGo(@Nullable FeedFrame next, long nowMs) {
        if (next == null && coldRead == null && nowMs - progressMs >= StreamLimits.PIN_MS) {
            unpin();
        }
        if (sent > held && lent.get() > 0 && nowMs - waitingSinceMs >= StreamLimits.PIN_MS) {
            fault = "the replica holds bytes up to " + held + " and has taken none of the next for "
                    + StreamLimits.PIN_MS + " ms";
        }
    }

    private FeedFrame send(FeedPiece piece, long nowMs) {
        if (sent == held) {
            waitingSinceMs = nowMs;
        }
        FeedFrame frame = frame(piece);
        if (piece.isUnfinished() && sent >= fragmentedEnd) {
            fragmentedStart = piece.offset();
            fragmentedEnd = piece.unitEnd();
        }
        sent = piece.nextOffset();
        epochBefore = piece.epochAfter();
        return frame;
    }

    private FeedFrame frame(FeedPiece piece) {
        FetchedHeader header = header(piece.offset());
        SharedPin now = pin;
        if (now == null || !piece.isInPlace()) {
            return FeedFrame.of(header, piece.bytes());
        }
        now.hold();
        lent.incrementAndGet();
        return new FeedFrame(header, piece.bytes(), () -> {
            lent.decrementAndGet();
            now.release();
        });
    }

    /** The rest of the segment; moving on to the next one lets the one before go, as soon as its frames are sent. */
    private FeedSource.@Nullable Pinned pinned() {
        SharedPin before = pin;
        if (before != null
                && sent >= before.pinned().fromOffset()
                && sent < before.pinned().endOffset()) {
            return before.pinned();
        }
        unpin();
        FeedSource.Pinned now = source.pin(sent).orElse(null);
        pin = now == null ? null : new SharedPin(now);
        return now;
    }

    private void unpin() {
        SharedPin now = pin;
        if (now != null) {
            pin = null;
            now.release();
        }
    }

    private FetchedHeader header(long offset) {
        toldConfirm = confirmSeen;
        return new FetchedHeader(terms.session(), terms.senderEpoch(), epochBefore, offset, toldConfirm);
    }
}
