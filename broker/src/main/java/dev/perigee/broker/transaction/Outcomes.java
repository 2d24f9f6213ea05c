package dev.perigee.broker.transaction;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.OwnedBy;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of the halves that were decided last, so that the same decision again is answered as the first, after a restart too. It
 * is remembered as long as what closed the half is in the log, of the last {@value #MAX} at most: a function of the log alone.
 * All of it is in memory as well as in the store.
 */
@OwnedBy("view loop")
final class Outcomes {
    /** Decided halves that are remembered; the oldest go first, and of them only that they were decided is known. */
    static final int MAX = 65_536;

    /**
     * A half that is no longer undecided.
     *
     * @param outcome what became of it
     * @param lastOffset where its newest copy lay
     * @param closedAt where the frame or the fact lies that closed it
     */
    @Immutable
    record Closed(Outcome outcome, long lastOffset, long closedAt) {}

    private final HalfStore store;
    private final int max;
    private final Map<Long, Closed> byBirth = new LinkedHashMap<>(); // in the order in which they were closed

    Outcomes(HalfStore store, int max) {
        this.store = store;
        this.max = max;
    }

    /** Takes in what an earlier run wrote. May wait for the disk. */
    void restore() {
        store.scan(HalfKeys.outcome(0, 0), HalfKeys.outcomeEnd(), (key, value) -> {
            byBirth.put(HalfKeys.closedBirth(key), HalfKeys.closed(key, value));
            return true;
        });
    }

    /** What became of a half; null when that is not remembered. */
    @Nullable
    Closed of(long birth) {
        return byBirth.get(birth);
    }

    /** A half was closed; in the order of the log, and of the births where one fact closes many. The first time counts. */
    void add(long birth, Closed closed) {
        if (byBirth.putIfAbsent(birth, closed) != null) {
            return;
        }
        store.put(HalfKeys.outcome(closed.closedAt(), birth), HalfKeys.outcomeValue(closed));
        if (byBirth.size() > max) {
            Iterator<Map.Entry<Long, Closed>> all = byBirth.entrySet().iterator();
            Map.Entry<Long, Closed> oldest = all.next();
            store.delete(HalfKeys.outcome(oldest.getValue().closedAt(), oldest.getKey()));
            all.remove();
        }
    }

    /** The log begins there. */
    void forgetBelow(long startOffset) {
        Iterator<Closed> all = byBirth.values().iterator();
        boolean some = false;
        while (all.hasNext() && all.next().closedAt() < startOffset) {
            all.remove();
            some = true;
        }
        if (some) {
            store.deleteRange(HalfKeys.outcome(0, 0), HalfKeys.outcome(startOffset, 0));
        }
    }

    /** Nothing is known any more. */
    void clear() {
        byBirth.clear();
    }
}
