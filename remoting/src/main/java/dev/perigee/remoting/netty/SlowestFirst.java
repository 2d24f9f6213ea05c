package dev.perigee.remoting.netty;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Which links give way when all together hold more memory than they may: those that have made no progress for {@link #SLOW_MS} or
 * longer, the longest first, until an eighth of the limit is free.
 *
 * @param <L> a link, or its part in what is limited
 * @param candidates which links hold something and have not been given up
 * @param sinceNs when a link last made progress
 * @param heldBytes what a link holds
 */
record SlowestFirst<L>(Predicate<L> candidates, ToLongFunction<L> sinceNs, ToLongFunction<L> heldBytes) {
    /** A link that has made no progress for so long gives way to others when memory is short. */
    static final long SLOW_MS = 10_000;

    private static final int FREED_SHARE = 8;
    private static final long SLOW_NS = TimeUnit.MILLISECONDS.toNanos(SLOW_MS);

    private record Aged<L>(L link, long ageNs) {}

    /**
     * Makes them give way.
     *
     * @param overBytes how much more than the limit is held
     * @param giveUp ends a link that has been slow for so many milliseconds
     * @return whether there was any
     */
    boolean free(Set<L> links, long nowNs, long overBytes, long limitBytes, ObjLongConsumer<L> giveUp) {
        List<Aged<L>> slow = new ArrayList<>();
        for (L link : links) {
            long ageNs = nowNs - sinceNs.applyAsLong(link);
            if (ageNs >= SLOW_NS && candidates.test(link)) {
                slow.add(new Aged<>(link, ageNs));
            }
        }
        slow.sort(Comparator.<Aged<L>>comparingLong(Aged::ageNs).reversed());
        long tooMuch = overBytes + limitBytes / FREED_SHARE;
        for (int i = 0; i < slow.size() && tooMuch > 0; i++) {
            Aged<L> oldest = slow.get(i);
            tooMuch -= heldBytes.applyAsLong(oldest.link());
            giveUp.accept(oldest.link(), TimeUnit.NANOSECONDS.toMillis(oldest.ageNs()));
        }
        return !slow.isEmpty();
    }
}
