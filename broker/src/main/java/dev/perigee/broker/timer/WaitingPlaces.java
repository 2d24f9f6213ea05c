package dev.perigee.broker.timer;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.fact.TimerClosed.TimerRef;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.kv.KeyVisitor;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.view.LogPosition;
import dev.perigee.store.view.LogView.CarrySink;
import dev.perigee.store.view.LogView.FrameCopy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Where in the log the frames of waiting messages lie: how far back the log is needed for them, and their copies further on
 * when it is to go.
 */
@OwnedBy("view loop, but for looking ahead")
final class WaitingPlaces {
    /** Copies of one round; the next round takes the next ones. */
    static final int MAX_CARRIED = 512;

    private final TimerEntries entries;
    private final TimerWindow window;
    private final PlacesAhead ahead;
    /** Copies that came not to be, from any thread. */
    private final Queue<WaitingMessage> failures = new ConcurrentLinkedQueue<>();

    /**
     * No message lies below; a walk that began further back would pass over all that was ever closed. Written by the view loop,
     * read by the preparer, too.
     */
    private volatile long lowest;

    /** @param maxGone places that are remembered at most, see {@link PlacesAhead#MAX_GONE} */
    WaitingPlaces(TimerEntries entries, TimerWindow window, int maxGone) {
        this.entries = entries;
        this.window = window;
        this.ahead = new PlacesAhead(entries, maxGone);
    }

    /** An offset of the log below which no message lies. */
    long lowest() {
        return lowest;
    }

    /** It is known from before that no message lies below. */
    void nothingBelow(long offset) {
        lowest = offset;
    }

    /** Nothing is known any more. */
    void forget() {
        lowest = 0;
        ahead.giveUp();
    }

    /** A message is no longer at that place. */
    void left(long offset) {
        ahead.left(offset);
    }

    /** What the pass changed is in the store. */
    void passEnded() {
        ahead.passEnded();
    }

    /** Gathers what {@link #carryForward} and {@link #cut} will want to know. */
    PacedTask lookAhead(long startOffset) {
        return ahead.gather(lowest, startOffset);
    }

    /**
     * Where the first message lies; {@link Long#MAX_VALUE} when none waits. By what was gathered, where {@link #lookAhead} was
     * run before. When too much left meanwhile to tell, no further than was known before: then it is to be looked ahead anew.
     * Else by a walk over the store.
     */
    long firstLiveOffset() {
        if (ahead.mustGather(0)) {
            return lowest;
        }
        PlacesAhead.Gathered gathered = ahead.gathered(0);
        if (gathered != null) {
            long first = ahead.firstLiveOffset(gathered);
            lowest = Math.max(lowest, first);
            return first;
        }
        long[] first = {Long.MAX_VALUE};
        walk(Long.MAX_VALUE, (key, value) -> {
            first[0] = TimerKeys.longAt(key, TimerKeys.PLACE_AT);
            return false;
        });
        LogPosition end = entries.reached();
        if (first[0] != Long.MAX_VALUE) {
            lowest = first[0];
        } else if (end != null) {
            lowest = end.offset(); // what comes lies further on
        }
        return first[0];
    }

    /** Walks over the places below an offset, in order. */
    private void walk(long belowOffset, KeyVisitor visitor) {
        entries.scan(TimerKeys.place(lowest), TimerKeys.place(belowOffset), visitor);
    }

    /** What was gathered is carried without a look into the store; only where nothing was it is walked over. */
    void carryForward(long belowOffset, CarrySink sink) {
        letGoFailures();
        PlacesAhead.Gathered gathered = ahead.gathered(belowOffset);
        int[] count = {0};
        if (ahead.mustGather(belowOffset)) {
            return; // with the next look ahead
        }
        if (gathered == null) {
            walk(belowOffset, (key, value) -> {
                count[0] += carry(TimerKeys.placed(key, value), sink) ? 1 : 0;
                return count[0] < MAX_CARRIED;
            });
            return;
        }
        for (WaitingMessage each : gathered.messages()) {
            if (each.offset() >= belowOffset || count[0] == MAX_CARRIED) {
                break;
            }
            if (ahead.isThere(each)) {
                count[0] += carry(each.copy(), sink) ? 1 : 0;
            }
        }
    }

    private boolean carry(WaitingMessage message, CarrySink sink) {
        if (window.isClaimed(message.birth)) {
            return false;
        }
        window.carry(message);
        sink.frame(message.offset(), new Copy(message, entries.shiftMs(), entries.timerMs()));
        return true;
    }

    /** Makes the copy of a waiting message whose frame must go. */
    private final class Copy implements FrameCopy {
        private final WaitingMessage message;
        private final TimerMark mark;

        Copy(WaitingMessage message, long shiftMs, long timerMs) {
            this.message = message;
            this.mark =
                    new TimerMark(message.dueMs, message.birth, message.offset(), message.recallHash, shiftMs, timerMs);
        }

        @Override
        public FrameDraft of(MessageFrame frame) {
            return WaitingFrames.copy(frame, mark);
        }

        @Override
        public void failed() {
            failures.add(message);
        }

        @Override
        public Fact lost() {
            TimerRef ref = new TimerRef(message.dueMs, message.birth, mark.readAt(), message.recallHash);
            return TimerClosed.lost(List.of(ref), "its frame is damaged");
        }
    }

    /** The messages whose copies came not to be are claimed no more. */
    void letGoFailures() {
        for (WaitingMessage each = failures.poll(); each != null; each = failures.poll()) {
            window.letGo(each);
        }
    }

    /**
     * The log begins there now. The store does not know of this pass yet: what a copy took the place of in it still seems to
     * lie there.
     *
     * @param gone told of each message that lay below
     */
    void cut(long startOffset, Consumer<WaitingMessage> gone) {
        PlacesAhead.Gathered gathered = ahead.gathered(startOffset);
        if (gathered != null && ahead.firstLiveOffset(gathered) >= startOffset) {
            lowest = Math.max(lowest, startOffset);
            return;
        }
        walk(startOffset, (key, value) -> {
            WaitingMessage there = TimerKeys.placed(key, value);
            if (!ahead.leftInPass(there.offset())) {
                gone.accept(there);
            }
            return true;
        });
    }
}
