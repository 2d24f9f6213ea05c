package dev.perigee.broker.carry;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.log.PacedTask;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where in the log the frames lie that a view still needs, of a view that keeps its entries in a store. What lies below a cut of the log is
 * gathered on the preparer before the view loop carries it, so that this loop does not read the store for it. What leaves its
 * place below the cut while that is gathered, or later, is remembered by place, and so is what changes there: the store may still
 * have told of it as it was. A place that was left is never used again, so remembering too many does no harm.
 *
 * @param <E> an entry, with its place
 */
@OwnedBy("view loop, but for the gathering")
public final class LivePlaces<E> {
    /** Gathered at most; the rest is gathered for the next round. */
    public static final int MAX_GATHERED = 10_000;

    /** Places left or changed that are remembered at most; beyond it what was gathered is given up, and it must be gathered anew. */
    public static final int MAX_REMEMBERED = 200_000;

    private static final int PER_STEP = 1_000;

    /**
     * The entries in their store.
     *
     * @param <T> an entry
     */
    public interface Source<T> {
        /**
         * Walks over the entries from one place on to another, exclusive, in order, as far as the store knows, until the visitor
         * gives false. On the view loop and on the preparer; may wait for the disk.
         */
        void walk(long fromOffset, long belowOffset, Predicate<T> visitor);

        /** The place of an entry. */
        long offsetOf(T entry);

        /** The byte after the last entry of the log that was folded in; 0 before the first. On the view loop. */
        long reachedOffset();
    }

    /**
     * What was gathered.
     *
     * @param <T> an entry
     * @param below the cut
     * @param entries those below it, or the first of them, by place
     * @param whole whether these are all
     */
    private record Gathered<T>(long below, List<T> entries, boolean whole) {}

    /** A gathering, by its number from 1 on, and its cut. */
    private record Gathering(int number, long below) {}

    private static final Gathering NONE = new Gathering(0, 0);

    private final Source<E> source;
    private final int maxRemembered;
    private final List<E> putInPass = new ArrayList<>();
    private final Set<Long> leftInPass = new HashSet<>();
    private final Map<Long, E> changedInPass = new HashMap<>();
    private final Set<Long> gone = new HashSet<>();
    private final Map<Long, E> changed = new HashMap<>();
    /** The newest one. */
    private volatile Gathering gathering = NONE;

    private volatile @Nullable Gathered<E> gathered;
    private Gathering noted = NONE;
    private boolean givenUp;

    /** Nothing lies below; a walk that began further back would pass over all that was ever closed. Read by the preparer, too. */
    private volatile long lowest;

    public LivePlaces(Source<E> source) {
        this(source, MAX_REMEMBERED);
    }

    /** @param maxRemembered places left or changed that are remembered at most */
    public LivePlaces(Source<E> source, int maxRemembered) {
        this.source = source;
        this.maxRemembered = maxRemembered;
    }

    /** A place below which nothing lies. */
    public long lowest() {
        return lowest;
    }

    /** Goes on from what {@link #lowest} was, with a store that was opened anew. */
    public void restore(long lowestOffset) {
        lowest = lowestOffset;
    }

    /** There are no entries any more. */
    public void forget() {
        lowest = 0;
        endPass();
        giveUp();
    }

    /** An entry is at a place where none was. */
    public void put(E entry) {
        putInPass.add(entry);
    }

    /** An entry is no longer at that place. */
    public void left(long offset) {
        leftInPass.add(offset);
        changedInPass.remove(offset);
    }

    /** An entry is another now, at the same place. */
    public void changed(E entry) {
        changedInPass.put(source.offsetOf(entry), entry);
    }

    /** What the pass changed is in the store. */
    public void passEnded() {
        noteGathering();
        if (noted.number() > 0 && !givenUp) {
            for (long place : leftInPass) {
                if (place < noted.below()) {
                    gone.add(place);
                    changed.remove(place);
                }
            }
            changedInPass.forEach((place, entry) -> {
                if (place < noted.below()) {
                    changed.put(place, entry);
                }
            });
            if (gone.size() + changed.size() > maxRemembered) {
                giveUp();
            }
        }
        endPass();
    }

    private void endPass() {
        putInPass.clear();
        leftInPass.clear();
        changedInPass.clear();
    }

    /** When a gathering begins anew, what had changed before is in the store; nothing changed since the last pass. */
    private void noteGathering() {
        Gathering now = gathering;
        if (!now.equals(noted)) {
            noted = now;
            givenUp = false;
            gone.clear();
            changed.clear();
        }
    }

    /** What was gathered may be used no more. */
    private void giveUp() {
        givenUp = true;
        gone.clear();
        changed.clear();
    }

    /** Gathers what lies below a cut. On the preparer, where the task is run. */
    public PacedTask lookAhead(long below) {
        gathered = null;
        gathering = new Gathering(gathering.number() + 1, below); // before the store is looked at
        List<E> entries = new ArrayList<>();
        long[] from = {lowest};
        return () -> {
            int limit = Math.min(MAX_GATHERED, entries.size() + PER_STEP);
            source.walk(from[0], below, entry -> {
                entries.add(entry);
                from[0] = source.offsetOf(entry) + 1;
                return entries.size() < limit;
            });
            boolean full = entries.size() == limit;
            if (full && limit < MAX_GATHERED) {
                return true;
            }
            gathered = new Gathered<>(below, List.copyOf(entries), !full);
            return false;
        };
    }

    /** What was gathered for this cut or a later one; null when nothing was, or it was given up. */
    private @Nullable Gathered<E> gathered(long below) {
        noteGathering();
        Gathered<E> known = gathered;
        return known != null && known.below() >= below && !givenUp ? known : null;
    }

    /** Whether that cut was gathered for, but is not known now what lies there: only another gathering can tell. */
    private boolean mustGather(long below) {
        return gathered(below) == null && noted.number() > 0 && noted.below() >= below;
    }

    /** The first offset below which nothing lies, as far as was gathered. */
    private long firstLiveOffset(Gathered<E> from) {
        for (E each : from.entries()) {
            if (!gone.contains(source.offsetOf(each))) {
                return source.offsetOf(each);
            }
        }
        List<E> all = from.entries();
        return from.whole() || all.isEmpty() ? from.below() : source.offsetOf(all.get(all.size() - 1)) + 1;
    }

    /**
     * Where the first entry lies, or a place below which none does; {@link Long#MAX_VALUE} when there is none. By what was
     * gathered, where {@link #lookAhead} was run before. When too much left meanwhile to tell, no further than was known before:
     * then it is to be looked ahead anew. Else by a walk over the store. Between passes.
     */
    public long firstLiveOffset() {
        if (mustGather(0)) {
            return lowest;
        }
        Gathered<E> known = gathered(0);
        if (known != null) {
            long first = firstLiveOffset(known);
            lowest = Math.max(lowest, first);
            return first;
        }
        long[] first = {Long.MAX_VALUE};
        source.walk(lowest, Long.MAX_VALUE, entry -> {
            first[0] = source.offsetOf(entry);
            return false;
        });
        // where there is none, what comes lies further on than what was folded in
        lowest = Math.max(lowest, first[0] == Long.MAX_VALUE ? source.reachedOffset() : first[0]);
        return first[0];
    }

    /**
     * Visits the entries below a cut in order, each as it is now, until the visitor gives false. What was gathered is visited without
     * a look into the store; only where nothing was it is walked over. Nothing is visited where it must be gathered anew. Between passes.
     */
    public void visit(long belowOffset, Predicate<E> visitor) {
        if (mustGather(belowOffset)) {
            return; // with the next look ahead
        }
        Gathered<E> known = gathered(belowOffset);
        if (known == null) {
            source.walk(lowest, belowOffset, visitor);
            return;
        }
        for (E each : known.entries()) {
            long offset = source.offsetOf(each);
            if (offset >= belowOffset) {
                return;
            }
            if (!gone.contains(offset) && !visitor.test(changed.getOrDefault(offset, each))) {
                return;
            }
        }
    }

    /**
     * The log begins here: names what still lies below, as it is now, which it does only when files were taken away by hand. Also in the
     * middle of a pass, which the store does not know of yet. Whoever hears of them may say that they {@link #left} their places.
     */
    public void trimmed(long startOffset, Consumer<E> lost) {
        List<E> below = new ArrayList<>();
        Gathered<E> known = gathered(startOffset);
        if (known != null && firstLiveOffset(known) >= startOffset) {
            lowest = Math.max(lowest, startOffset);
        } else {
            source.walk(lowest, startOffset, below::add);
        }
        for (E each : putInPass) {
            if (source.offsetOf(each) < startOffset) {
                below.add(each);
            }
        }
        below.removeIf(entry -> leftInPass.contains(source.offsetOf(entry)));
        below.forEach(entry -> lost.accept(changedInPass.getOrDefault(source.offsetOf(entry), entry)));
    }
}
