package dev.perigee.broker.timer;

import dev.perigee.broker.carry.BirthNotes;
import dev.perigee.broker.timer.TimerHorizon.Due;
import dev.perigee.broker.timer.TimerHorizon.Scan;
import dev.perigee.broker.timer.TimerHorizon.Scanned;
import dev.perigee.broker.timer.WaitingMessage.State;
import dev.perigee.loop.OwnedBy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The waiting messages that are due soon, in memory, in the order in which they are due; and the claims on those that are
 * being delivered or copied. Everything below the {@link TimerHorizon} is here.
 */
@OwnedBy("view loop")
final class TimerWindow {
    /** Messages loaded at most, with those on their way and those that failed; twice as many are held when they come by themselves. */
    static final int MAX_LOADED = 20_000;
    /** Deliveries on their way at most; more wait. */
    static final int MAX_FIRING = 1_000;
    /** Bytes of deliveries on their way at most, beyond the first; more wait. */
    static final long MAX_FIRING_BYTES = 16L << 20;

    private final TreeMap<Due, WaitingMessage> waiting = new TreeMap<>();
    private final Map<Long, WaitingMessage> known = new HashMap<>(); // by birth, whatever their state
    private final PriorityQueue<WaitingMessage> failed =
            new PriorityQueue<>(Comparator.comparingLong(WaitingMessage::retryAtMs));
    private final TimerHorizon horizon = new TimerHorizon();
    /** What was closed, or copied, while recalls are looked for. */
    private final BirthNotes changedInLookup = new BirthNotes();

    private final int maxLoaded;

    /** Until then nothing is tried, for what failed last would fail others as well; monotonic. */
    private long pausedUntilMs = Long.MIN_VALUE;

    private int firing;
    private long firingBytes;

    TimerWindow() {
        this(MAX_LOADED);
    }

    TimerWindow(int maxLoaded) {
        this.maxLoaded = maxLoaded;
    }

    /** There may be messages in the store that were never seen here. */
    void unknownStore() {
        horizon.unknownStore();
    }

    /** Nothing waits any more. */
    void clear() {
        waiting.clear();
        known.clear();
        failed.clear();
        horizon.clear();
        firing = 0;
        firingBytes = 0;
    }

    /** A message waits, or a copy of it took its place; it is in the store, or will be before the next scan. */
    void added(WaitingMessage message) {
        if (message.offset() != message.birth) {
            changedInLookup.note(message.birth);
        }
        WaitingMessage there = known.get(message.birth);
        if (there == null) {
            insert(message);
        } else {
            release(there);
            there.moved(message.offset(), message.sizeBytes());
            insert(there);
        }
    }

    private void insert(WaitingMessage message) {
        Due key = new Due(message.dueMs, message.birth);
        if (horizon.isBeyond(key)) {
            known.remove(message.birth);
            horizon.onlyStored(message.dueMs);
            return;
        }
        known.put(message.birth, message);
        waiting.put(key, message);
        if (waiting.size() > 2 * maxLoaded) {
            evict();
        }
    }

    /** The later ones go back to being only in the store. */
    private void evict() {
        while (waiting.size() > maxLoaded) {
            Map.Entry<Due, WaitingMessage> last = waiting.pollLastEntry();
            known.remove(last.getValue().birth);
            horizon.moveBack(last.getKey());
        }
    }

    /** A message was delivered or closed. */
    void closed(long birth) {
        horizon.closed(birth);
        changedInLookup.note(birth);
        WaitingMessage message = known.remove(birth);
        if (message != null) {
            release(message);
        }
    }

    private void release(WaitingMessage message) {
        if (message.is(State.WAITING)) {
            waiting.remove(new Due(message.dueMs, message.birth));
        } else if (message.is(State.FAILED)) {
            failed.remove(message);
        } else {
            landed(message);
        }
    }

    private void landed(WaitingMessage message) {
        if (message.is(State.FIRING)) {
            firing--;
            firingBytes -= message.sizeBytes();
        }
    }

    /** Whether somebody delivers, copies or recalls it now; one whose delivery failed is nobody's until it is tried again. */
    boolean isClaimed(long birth) {
        WaitingMessage message = known.get(birth);
        return message != null && (message.is(State.FIRING) || message.is(State.CARRIED) || message.is(State.RECALLED));
    }

    /** Claims a message, which may be far from due, for a copy; until {@link #added} tells of the copy or it failed. */
    void carry(WaitingMessage message) {
        claim(message, State.CARRIED);
    }

    private void claim(WaitingMessage message, State state) {
        WaitingMessage there = known.get(message.birth);
        if (there != null) {
            release(there);
        }
        message.enter(state);
        known.put(message.birth, message);
    }

    /** The copy, or the recall, came not to be. */
    void letGo(WaitingMessage message) {
        if (known.get(message.birth) == message && (message.is(State.CARRIED) || message.is(State.RECALLED))) {
            message.enter(State.WAITING);
            insert(message);
        }
    }

    /** Whether a message can be recalled. */
    enum Recall {
        /** Nothing is done with it, and it is not due. */
        FREE,
        /** It is copied or recalled just now. */
        BUSY,
        /** It is due. */
        TOO_LATE
    }

    /** Whether a message that was found in the store, and neither closed nor copied since, can be recalled now. */
    Recall recallable(WaitingMessage message, long timerMs) {
        WaitingMessage there = known.get(message.birth);
        if (there != null && (there.is(State.CARRIED) || there.is(State.RECALLED))) {
            return Recall.BUSY;
        }
        if (message.dueMs <= timerMs || (there != null && there.is(State.FIRING))) {
            return Recall.TOO_LATE;
        }
        return Recall.FREE;
    }

    /** Claims a message that is {@link Recall#FREE}, where it lies now, until it is closed or {@link #letGo}. */
    void recall(WaitingMessage message) {
        WaitingMessage there = known.get(message.birth);
        if (there != null) {
            message.moved(there.offset(), there.sizeBytes());
        }
        claim(message, State.RECALLED);
    }

    /** From now on it is remembered what is closed or copied. */
    void beginLookup() {
        changedInLookup.begin();
    }

    /** Whether a message may have been closed or copied since {@link #beginLookup}. */
    boolean changedInLookup(long birth) {
        return changedInLookup.has(birth);
    }

    /** What is closed or copied from now on is not looked for. */
    void endLookup() {
        changedInLookup.end();
    }

    /**
     * The next message to deliver, which is claimed from now on; null when none is due or too many are on their way.
     *
     * @param timerMs now, by the {@link TimerClock}
     * @param nowMs monotonic milliseconds
     */
    @Nullable
    WaitingMessage next(long timerMs, long nowMs) {
        if (isFull() || nowMs < pausedUntilMs) {
            return null;
        }
        WaitingMessage again = failed.peek();
        if (again != null && again.retryAtMs() <= nowMs) {
            failed.remove();
            return fire(again);
        }
        Map.Entry<Due, WaitingMessage> first = waiting.firstEntry();
        if (first == null || first.getKey().dueMs() > timerMs) {
            return null;
        }
        waiting.pollFirstEntry();
        return fire(first.getValue());
    }

    private WaitingMessage fire(WaitingMessage message) {
        message.enter(State.FIRING);
        firing++;
        firingBytes += message.sizeBytes();
        return message;
    }

    private boolean isFull() {
        return firing >= MAX_FIRING || firingBytes >= MAX_FIRING_BYTES;
    }

    /** What {@link #next} gave came to nothing. */
    void failed(WaitingMessage message, long tryAgainAtMs) {
        if (known.get(message.birth) == message && message.is(State.FIRING)) {
            landed(message);
            message.failed(tryAgainAtMs);
            failed.add(message);
        }
    }

    /** Gives nothing before that time, in monotonic milliseconds: the log takes no deliveries now. */
    void pause(long untilMs) {
        pausedUntilMs = untilMs;
    }

    /** Until when {@link #next} gives nothing, monotonic. */
    long pausedUntilMs() {
        return pausedUntilMs;
    }

    /**
     * Moves the horizon and says what to look for in the store, which must hold everything that was applied; null when
     * there is nothing to do.
     */
    @Nullable
    Scan beginScan(long timerMs) {
        return hasRoom() ? horizon.beginScan(timerMs, maxLoaded - held()) : null;
    }

    /** Whether a scan is worth its while. */
    private boolean hasRoom() {
        return held() <= maxLoaded / 2;
    }

    /** All in memory but those that are carried, whose number retention bounds. */
    private int held() {
        return waiting.size() + failed.size() + firing;
    }

    /** Takes in what a scan found, unless too much was closed meanwhile to tell what of it still waits. */
    void endScan(Scanned scanned) {
        for (WaitingMessage message : horizon.endScan(scanned)) {
            if (!known.containsKey(message.birth)) {
                insert(message);
            }
        }
    }

    /** A scan did not come to its end, or did not begin. */
    void scanFailed(Scan scan) {
        endScan(new Scanned(new ArrayList<>(), scan.from(), Long.MAX_VALUE));
    }

    /** Those that wait from one place in the order to another, exclusive; so many at most. */
    List<WaitingMessage> waiting(Due from, Due to, int max) {
        List<WaitingMessage> found = new ArrayList<>();
        if (from.compareTo(to) >= 0) {
            return found;
        }
        for (WaitingMessage each : waiting.subMap(from, to).values()) {
            if (found.size() == max) {
                break;
            }
            found.add(each);
        }
        return found;
    }

    /** When the next message is due, by the {@link TimerClock}; {@link Long#MAX_VALUE} for never, or when an ending wakes. */
    long nextDueMs() {
        return waiting.isEmpty() || isFull()
                ? Long.MAX_VALUE
                : waiting.firstKey().dueMs();
    }

    /** When the next messages want to be loaded, by the {@link TimerClock}; {@link Long#MAX_VALUE} for never. */
    long nextLoadMs() {
        return hasRoom() ? horizon.nextLoadMs() : Long.MAX_VALUE;
    }

    /** When the next failed one is tried again, monotonic; {@link Long#MAX_VALUE} for none. */
    long nextRetryMs() {
        WaitingMessage first = failed.peek();
        return first == null || isFull() ? Long.MAX_VALUE : first.retryAtMs();
    }

    /** Messages on their way. */
    int firing() {
        return firing;
    }

    /** Messages in memory that are not on their way. */
    int loaded() {
        return waiting.size();
    }
}
