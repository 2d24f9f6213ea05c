package dev.perigee.broker.timer;

import dev.perigee.broker.carry.LivePlaces;
import dev.perigee.broker.mark.ClockNote;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.fact.TimerClosed.TimerRef;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.view.LogPosition;
import dev.perigee.store.view.LogView.CarrySink;
import dev.perigee.store.view.LogView.FrameCopy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;

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
    private final LivePlaces<WaitingMessage> places;
    /** Copies that came not to be, from any thread. */
    private final Queue<WaitingMessage> failures = new ConcurrentLinkedQueue<>();

    /** @param maxRemembered places that are remembered at most, see {@link LivePlaces#MAX_REMEMBERED} */
    WaitingPlaces(TimerEntries entries, TimerWindow window, int maxRemembered) {
        this.entries = entries;
        this.window = window;
        this.places = new LivePlaces<>(new InStore(), maxRemembered);
    }

    /** An offset of the log below which no message lies. */
    long lowest() {
        return places.lowest();
    }

    /** It is known from before that no message lies below. */
    void restore(long offset) {
        places.restore(offset);
    }

    /** Nothing is known any more. */
    void forget() {
        places.forget();
    }

    /** A message is at a place where none was. A copy that moves it on in the same pass does no harm, for that place was {@link #left} then. */
    void put(WaitingMessage message) {
        places.put(message);
    }

    /** A message is no longer at that place. */
    void left(long offset) {
        places.left(offset);
    }

    /** What the pass changed is in the store. */
    void passEnded() {
        places.passEnded();
    }

    /** Gathers what {@link #carryForward} and {@link #cut} will want to know. */
    PacedTask lookAhead(long startOffset) {
        return places.lookAhead(startOffset);
    }

    /** See {@link LivePlaces#firstLiveOffset}. */
    long firstLiveOffset() {
        return places.firstLiveOffset();
    }

    /** The waiting messages by place. */
    private final class InStore implements LivePlaces.Source<WaitingMessage> {
        @Override
        public void walk(long fromOffset, long belowOffset, Predicate<WaitingMessage> visitor) {
            entries.scan(
                    TimerKeys.place(fromOffset),
                    TimerKeys.place(belowOffset),
                    (key, value) -> visitor.test(TimerKeys.placed(key, value)));
        }

        @Override
        public long offsetOf(WaitingMessage entry) {
            return entry.offset();
        }

        @Override
        public long reachedOffset() {
            LogPosition position = entries.reached();
            return position == null ? 0 : position.offset();
        }
    }

    /** What was gathered is carried without a look into the store; only where nothing was it is walked over. */
    void carryForward(long belowOffset, CarrySink sink) {
        letGoFailures();
        int[] count = {0};
        places.visit(belowOffset, message -> {
            count[0] += carry(message.copy(), sink) ? 1 : 0;
            return count[0] < MAX_CARRIED;
        });
    }

    private boolean carry(WaitingMessage message, CarrySink sink) {
        if (window.isClaimed(message.birth)) {
            return false;
        }
        window.carry(message);
        sink.frame(message.offset(), new Copy(message, entries.told()));
        return true;
    }

    /** Makes the copy of a waiting message whose frame must go. */
    private final class Copy implements FrameCopy {
        private final WaitingMessage message;
        private final TimerMark mark;

        Copy(WaitingMessage message, ClockNote told) {
            this.message = message;
            this.mark = new TimerMark(
                    message.dueMs, message.birth, message.offset(), message.recallHash, told.shiftMs(), told.timerMs());
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
        places.trimmed(startOffset, gone);
    }
}
