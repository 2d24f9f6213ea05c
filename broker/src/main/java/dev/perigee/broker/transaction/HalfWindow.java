package dev.perigee.broker.transaction;

import dev.perigee.broker.carry.BirthNotes;
import dev.perigee.loop.OwnedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is in memory of the undecided halves: who decides about which now (the claims of R13), the newest of them, and when the
 * next check may be due. All of it is soft: the store and the log know the rest.
 */
@OwnedBy("view loop")
final class HalfWindow {
    /** Undecided halves in memory; the oldest go first, and are then looked up in the store. */
    static final int MAX_KNOWN = 65_536;
    /** Halves that are decided or checked at the same time at most; one more is refused as busy. */
    static final int MAX_CLAIMS = 10_000;
    /** Requests that wait for the claim of one half at most; one more is refused as busy. */
    static final int MAX_LINE = 16;

    private final int maxKnown;
    private final Map<Long, Half> known = new LinkedHashMap<>(); // by birth, oldest change first
    private final Map<Long, ArrayDeque<Runnable>> claims = new HashMap<>(); // by birth: who waits for the claim
    private final List<Runnable> freed = new ArrayList<>(); // those who waited for claims that have ended
    private final BirthNotes changedMeanwhile = new BirthNotes(); // while a round of checks looks for what is due

    /** No half that nobody looked at is to be checked earlier, by the clock of what waits. */
    private long nextCheckMs = Long.MAX_VALUE;

    private boolean looking;
    private long lookFromMs = Long.MAX_VALUE;

    /** @param maxKnown undecided halves in memory at most, {@link #MAX_KNOWN} but in tests */
    HalfWindow(int maxKnown) {
        this.maxKnown = maxKnown;
    }

    /** There may be halves in the store that were never seen here. */
    void unknownStore() {
        nextCheckMs = 0;
    }

    /** There are no halves any more. */
    void clear() {
        known.clear();
        claims.keySet().forEach(this::freeLine);
        claims.clear();
        nextCheckMs = Long.MAX_VALUE;
    }

    /** A half is there, or is another now: a copy took its place, or it was checked. Its claim has ended. */
    void changed(Half half) {
        known.remove(half.birth()); // so that it goes to the end
        known.put(half.birth(), half);
        if (known.size() > maxKnown) {
            known.remove(known.keySet().iterator().next());
        }
        nextCheckMs = Math.min(nextCheckMs, half.nextCheckMs());
        touched(half.birth());
    }

    /** It is no longer undecided, or nothing is known of it any more. Its claim has ended. */
    void closed(long birth) {
        known.remove(birth);
        touched(birth);
    }

    private void touched(long birth) {
        changedMeanwhile.note(birth);
        letGo(birth);
    }

    /** The half as it is now; null when it is not in memory, which says nothing of the store. */
    @Nullable
    Half known(long birth) {
        return known.get(birth);
    }

    /** Whether somebody decides, checks or copies it now. */
    boolean isClaimed(long birth) {
        return claims.containsKey(birth);
    }

    /** Whether there are as many claims as may be. */
    boolean isFull() {
        return claims.size() >= MAX_CLAIMS;
    }

    /** Claims a half that nobody has, until it changes, is closed, or {@link #letGo}. */
    void claim(long birth) {
        if (claims.putIfAbsent(birth, new ArrayDeque<>()) != null) {
            throw new IllegalStateException("half " + birth + " is claimed already");
        }
    }

    /** Waits for the claim of another to end; false when too many wait. */
    boolean await(long birth, Runnable turn) {
        ArrayDeque<Runnable> line = claims.get(birth);
        if (line == null || line.size() >= MAX_LINE) {
            return false;
        }
        line.add(turn);
        return true;
    }

    /** Nothing came of what it was claimed for; does nothing when nobody has it. */
    void letGo(long birth) {
        freeLine(birth);
        claims.remove(birth);
    }

    private void freeLine(long birth) {
        ArrayDeque<Runnable> line = claims.get(birth);
        if (line != null) {
            freed.addAll(line);
        }
    }

    /** Those whose turn has come, in their order; each may claim anew, or wait again. */
    List<Runnable> takeFreed() {
        List<Runnable> taken = List.copyOf(freed);
        freed.clear();
        return taken;
    }

    /** Whether there are some whose turn has come. */
    boolean hasFreed() {
        return !freed.isEmpty();
    }

    /** The time before which no half is to be checked; {@link Long#MAX_VALUE} when there is none, and while one looks. */
    long nextCheckMs() {
        return looking ? Long.MAX_VALUE : nextCheckMs;
    }

    /**
     * A round of checks begins to look into the store, which holds all that was applied.
     *
     * @return from when on it has to look
     */
    long beginLook() {
        lookFromMs = nextCheckMs;
        looking = true;
        nextCheckMs = Long.MAX_VALUE;
        changedMeanwhile.begin();
        return lookFromMs;
    }

    /**
     * It has looked. When too much changed meanwhile to tell what of it is as it was seen, it has to look again.
     *
     * @param nextMs when the first half is to be checked that it leaves to the next round
     */
    void endLook(long nextMs) {
        looking = false;
        nextCheckMs = Math.min(nextCheckMs, changedMeanwhile.isOverrun() ? lookFromMs : nextMs);
        changedMeanwhile.end();
    }

    /** Nothing came of a check of a half that is due at that time. */
    void dueAt(long ms) {
        nextCheckMs = Math.min(nextCheckMs, ms);
    }

    /** Whether a half is another, or closed, since {@link #beginLook}, as far as is known. Before {@link #endLook}. */
    boolean isChanged(long birth) {
        return changedMeanwhile.has(birth);
    }

    /** Halves somebody decides, checks or copies. */
    int claims() {
        return claims.size();
    }
}
