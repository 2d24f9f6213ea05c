package dev.perigee.broker.replica.feed;

import dev.perigee.broker.replica.StreamLimits;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.store.frame.FrameVerifier;
import dev.perigee.store.frame.FrameVerifier.Verdict;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What goes down to one replica in one session: the bytes between what was sent and the end of the log, in frames of whole
 * units where they fit and of fragments of larger ones, within the window of bytes not yet held. Does nothing by itself: whoever
 * owns the connection asks for frames until there are none, after each {@link #held}, when the log has grown, and at {@link
 * #nextDeadlineMs}. Every frame of the log is verified before its first byte goes (R28).
 */
@OwnedBy("event loop")
public final class LogFeed {
    private static final byte[] NOTHING = {};
    private static final int NO_UNIT = -1;

    private final FeedSource source;
    private final FeedTerms terms;
    private final CatchUpRate rate;
    private final FrameVerifier verifier = new FrameVerifier();
    private boolean started;
    /** The next byte to send. */
    private long sent;
    /** The end of the unit that is going in fragments; not above {@link #sent} when none is. */
    private long fragmentedEnd;

    private long fragmentedStart;

    private int fragmentedEpoch;
    private long held;
    private int epochBefore;
    /** Of the unit scanned last. */
    private int scannedEpoch;

    private boolean scannedBlank;
    private FeedSource.@Nullable Pinned pin;
    private long sentMs;
    private long progressMs;
    /** Nothing but the pace keeps bytes from going. */
    private boolean waitsForRate;

    private @Nullable String fault;

    public LogFeed(FeedSource source, FeedTerms terms) {
        this.source = source;
        this.terms = terms;
        this.rate = new CatchUpRate(terms.catchUpBytesPerSec(), terms.frameBytes());
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
        }
    }

    /**
     * The next frame that may go now; a heartbeat when nothing went for {@link StreamLimits#HEARTBEAT_MS}. Empty when there is
     * none, and for good when there is a {@link #fault}.
     */
    public Optional<FeedFrame> next(long nowMs) {
        if (!started || fault != null) {
            return Optional.empty();
        }
        FeedFrame frame = bytesThatMayGo(nowMs);
        if (frame == null && nowMs - progressMs >= StreamLimits.PIN_MS) {
            unpin(); // a replica that does not move keeps no file (R35)
        }
        if (frame == null && fault == null && nowMs - sentMs >= StreamLimits.HEARTBEAT_MS) {
            frame = new FeedFrame(header(sent), NOTHING);
        }
        if (frame != null) {
            sentMs = nowMs;
        }
        return Optional.ofNullable(frame);
    }

    /** When {@link #next} wants to be called although nothing happened, monotonic milliseconds. */
    public long nextDeadlineMs(long nowMs) {
        if (!started || fault != null) {
            return Long.MAX_VALUE;
        }
        long heartbeatMs = sentMs + StreamLimits.HEARTBEAT_MS;
        return waitsForRate ? Math.min(heartbeatMs, rate.whenMs(terms.frameBytes(), nowMs)) : heartbeatMs;
    }

    /** Why nothing will ever be sent again: the connection is to be closed. */
    public Optional<String> fault() {
        return Optional.ofNullable(fault);
    }

    /** The byte after the last one sent (exclusive). */
    public long sentOffset() {
        return sent;
    }

    /** The byte after the last one held (exclusive). */
    public long heldOffset() {
        return held;
    }

    /** Lets the log go; the feed is not used any more. */
    public void close() {
        unpin();
        started = false;
    }

    private @Nullable FeedFrame bytesThatMayGo(long nowMs) {
        long end = source.endOffset();
        boolean paced = end - sent > terms.windowBytes() && terms.catchUpBytesPerSec() > 0;
        long room = Math.min(terms.frameBytes(), terms.windowBytes() - (sent - held));
        if (sent < fragmentedEnd && held >= fragmentedStart) {
            room = terms.frameBytes(); // a unit larger than the window: it is held once it is whole, and not before
        }
        waitsForRate = paced && room > 0 && rate.allowedBytes(nowMs) < terms.frameBytes();
        if (sent >= end || room <= 0 || waitsForRate) {
            return null;
        }
        FeedSource.Pinned bytes = pinned();
        if (bytes == null) {
            fault = "offset " + sent + " is not stored any more: the log begins at " + source.startOffset();
            return null;
        }
        FeedFrame frame = sent < fragmentedEnd ? fragment(bytes, (int) room) : wholeUnits(bytes, end, (int) room);
        if (frame != null && paced) {
            rate.sent(frame.bytes().length);
        }
        return frame;
    }

    /** The rest of the segment; moving on to the next one lets the one before go. */
    private FeedSource.@Nullable Pinned pinned() {
        FeedSource.Pinned now = pin;
        if (now != null && sent >= now.fromOffset() && sent < now.endOffset()) {
            return now;
        }
        unpin();
        pin = source.pin(sent).orElse(null);
        return pin;
    }

    private void unpin() {
        FeedSource.Pinned now = pin;
        if (now != null) {
            pin = null;
            now.release().run();
        }
    }

    private @Nullable FeedFrame wholeUnits(FeedSource.Pinned bytes, long end, int room) {
        long from = sent;
        long to = from;
        int epoch = epochBefore;
        while (to < end) {
            long unitEnd = scanUnit(bytes, to);
            if (unitEnd == NO_UNIT) {
                return null;
            }
            boolean fits = (scannedBlank ? to + StreamLimits.BLANK_BYTES : unitEnd) - from <= room;
            if (fits && scannedBlank) {
                FeedFrame frame = frame(bytes, from, to + StreamLimits.BLANK_BYTES);
                sent = unitEnd;
                epochBefore = epoch;
                return frame;
            }
            if (!fits) {
                return to == from ? firstFragment(bytes, unitEnd, room) : sendTo(bytes, to, epoch);
            }
            to = unitEnd;
            epoch = scannedEpoch;
        }
        return sendTo(bytes, to, epoch);
    }

    private FeedFrame sendTo(FeedSource.Pinned bytes, long to, int epoch) {
        FeedFrame frame = frame(bytes, sent, to);
        sent = to;
        epochBefore = epoch;
        return frame;
    }

    /** A unit that does not fit into the room: if that is the window's it waits, if it is a frame's it goes in fragments. */
    private @Nullable FeedFrame firstFragment(FeedSource.Pinned bytes, long unitEnd, int room) {
        if (scannedBlank || room < terms.frameBytes()) {
            return null;
        }
        fragmentedStart = sent;
        fragmentedEnd = unitEnd;
        fragmentedEpoch = scannedEpoch;
        return fragment(bytes, room);
    }

    private FeedFrame fragment(FeedSource.Pinned bytes, int room) {
        long to = Math.min(fragmentedEnd, sent + room);
        FeedFrame frame = frame(bytes, sent, to);
        sent = to;
        if (to == fragmentedEnd) {
            epochBefore = fragmentedEpoch;
        }
        return frame;
    }

    /**
     * Verifies the unit that begins at an offset.
     *
     * @return its end, of a blank the segment's; {@link #NO_UNIT} when it is damaged, which is a fault
     */
    private long scanUnit(FeedSource.Pinned bytes, long offset) {
        long at = offset;
        boolean continues = true;
        while (continues) {
            int position = (int) (at - bytes.fromOffset());
            Verdict verdict = verifier.check(bytes.bytes(), position, (int) (bytes.endOffset() - at), at);
            scannedBlank = verdict == Verdict.BLANK && at == offset;
            if (verdict != Verdict.FRAME && verdict != Verdict.UNSTAMPED && !scannedBlank) {
                fault = "the log is damaged at offset " + at + " ("
                        + verdict.name().toLowerCase(Locale.ROOT) + "): nothing from there on is sent";
                return NO_UNIT;
            }
            at += verifier.sizeBytes();
            continues = !scannedBlank && verifier.unitContinues();
        }
        if (!scannedBlank) {
            scannedEpoch = verifier.epoch();
        }
        return at;
    }

    private FeedFrame frame(FeedSource.Pinned bytes, long from, long to) {
        byte[] copy = new byte[(int) (to - from)];
        ByteBuffer view = bytes.bytes();
        view.get((int) (from - bytes.fromOffset()), copy);
        return new FeedFrame(header(from), copy);
    }

    private FetchedHeader header(long offset) {
        return new FetchedHeader(terms.session(), terms.senderEpoch(), epochBefore, offset, source.confirmOffset());
    }
}
