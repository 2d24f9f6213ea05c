package dev.perigee.broker.timer;

import dev.perigee.broker.carry.BirthNotes;
import dev.perigee.loop.OwnedBy;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Up to when waiting messages are in memory: what is due before the horizon is in the {@link TimerWindow}, what lies beyond
 * is only in the store, and looked for there when its time comes near.
 *
 * <p>The horizon moves first, so that what is applied from then on goes straight into the window, and only then the store is
 * scanned up to it. Whatever is closed while the scan runs is remembered, for the scan may still see it.
 */
@OwnedBy("view loop")
final class TimerHorizon {
    /** How far ahead is loaded. */
    static final long AHEAD_MS = 30_000;
    /** What is due so soon and only in the store is loaded now. */
    static final long SOON_MS = 10_000;

    /** The order of delivery: by due time, then by birth. */
    record Due(long dueMs, long birth) implements Comparable<Due> {
        static final Due FIRST = new Due(0, 0);

        @Override
        public int compareTo(Due other) {
            return ORDER.compare(this, other);
        }
    }

    private static final Comparator<Due> ORDER =
            Comparator.comparingLong(Due::dueMs).thenComparingLong(Due::birth);

    /**
     * A look into the store.
     *
     * @param from where it begins
     * @param to what it is to bring in, exclusive
     * @param room how many it may bring
     */
    record Scan(Due from, Due to, int room) {}

    /**
     * What a scan found.
     *
     * @param found the messages from {@code from} to {@code end}
     * @param end up to where it came, exclusive
     * @param nextDueMs when the first one beyond {@code end} is due, {@link Long#MAX_VALUE} when there is none
     */
    record Scanned(List<WaitingMessage> found, Due end, long nextDueMs) {}

    private final BirthNotes closedInScan = new BirthNotes();
    private Due at = Due.FIRST;
    /** Nothing that is only in the store is due earlier. */
    private long nextUnloadedMs = Long.MAX_VALUE;

    private boolean scanning;
    private Due scanFrom = Due.FIRST;

    /** There may be messages in the store that were never told of here. */
    void unknownStore() {
        nextUnloadedMs = 0;
    }

    /** Nothing waits any more. */
    void clear() {
        at = Due.FIRST;
        nextUnloadedMs = Long.MAX_VALUE;
    }

    /** Whether something due then is to be only in the store. */
    boolean isBeyond(Due due) {
        return due.compareTo(at) >= 0;
    }

    /** A message that is due then is only in the store. */
    void onlyStored(long dueMs) {
        nextUnloadedMs = Math.min(nextUnloadedMs, dueMs);
    }

    /** From there on messages are only in the store. */
    void moveBack(Due to) {
        at = to;
        onlyStored(to.dueMs());
    }

    /** A message was delivered or closed. */
    void closed(long birth) {
        closedInScan.note(birth);
    }

    /**
     * Moves on and says what to look for in the store, which must hold everything that was applied; null when there is nothing
     * to do.
     *
     * @param timerMs now, by the {@link TimerClock}
     * @param room messages it may bring
     */
    @Nullable
    Scan beginScan(long timerMs, int room) {
        Due to = new Due(timerMs + AHEAD_MS, 0);
        if (scanning || nextUnloadedMs > timerMs + SOON_MS || to.compareTo(at) <= 0) {
            return null;
        }
        scanning = true;
        scanFrom = at;
        at = to;
        nextUnloadedMs = Long.MAX_VALUE;
        closedInScan.begin();
        return new Scan(scanFrom, to, room);
    }

    /** Ends a scan and gives what it found that still waits: nothing, to be scanned again, when too much was closed to tell. */
    List<WaitingMessage> endScan(Scanned scanned) {
        scanning = false;
        Scanned sure = closedInScan.isOverrun() ? new Scanned(List.of(), scanFrom, Long.MAX_VALUE) : scanned;
        if (!isBeyond(sure.end())) {
            moveBack(sure.end());
        }
        onlyStored(sure.nextDueMs());
        List<WaitingMessage> waiting = sure.found().stream()
                .filter(message -> !closedInScan.has(message.birth))
                .toList();
        closedInScan.end();
        return waiting;
    }

    /** When the next messages want to be loaded, by the {@link TimerClock}; {@link Long#MAX_VALUE} for never. */
    long nextLoadMs() {
        return scanning || nextUnloadedMs == Long.MAX_VALUE ? Long.MAX_VALUE : nextUnloadedMs - SOON_MS;
    }
}
