package dev.perigee.remoting.netty;

import dev.perigee.loop.ThreadSafe;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The memory of what waits to be sent, over all accepted links of a group of event loops, against a limit. A link alone is
 * held back by its water marks; many that take nothing would use up all memory together. Where more would exceed the limit,
 * links are closed that have not emptied their queue for {@link SlowestFirst#SLOW_MS} or longer, the longest first, until an eighth of
 * the limit is free; when there is none, or those that were closed still hold as much again because their event
 * loops are busy, the link that is to get more is closed, unless little waits for it. So who takes its answers gets them,
 * whatever others leave lying.
 *
 * <p>A count is renewed when its link flushes, and all are before any link is closed.
 */
@ThreadSafe
final class UnsentBytes {
    /** What may always wait for a link. */
    static final int FREE_BYTES = 64 << 10;

    private static final SlowestFirst<Share> SLOWEST_FIRST = new SlowestFirst<>(
            share -> share.isCounted() && !share.givenUp, share -> share.sinceNs, share -> share.counted);

    private final long limitBytes;
    private final LongSupplier clockNs;
    private final AtomicLong total = new AtomicLong();
    /** The part of it on links that were told to end and have not. */
    private final AtomicLong leaving = new AtomicLong();

    private final Set<Share> shares = ConcurrentHashMap.newKeySet();

    UnsentBytes(long limitBytes, LongSupplier clockNs) {
        this.limitBytes = limitBytes;
        this.clockNs = clockNs;
    }

    /** What waits on all links, as they were counted last. */
    long countedBytes() {
        return total.get();
    }

    /**
     * A link's part.
     *
     * @param queuedBytes how much memory waits to be sent on it now; called by any thread
     * @param giveUp ends the link, for the reason given; called by any thread
     */
    Share share(LongSupplier queuedBytes, Consumer<String> giveUp) {
        return new Share(queuedBytes, giveUp);
    }

    /** What one link has queued. */
    final class Share {
        private final LongSupplier queuedBytes;
        private final Consumer<String> giveUp;
        private volatile long sinceNs;
        private volatile long counted;
        private volatile boolean givenUp;

        private Share(LongSupplier queuedBytes, Consumer<String> giveUp) {
            this.queuedBytes = queuedBytes;
            this.giveUp = giveUp;
        }

        /** Whether anything of it is in the count, rightly or not any more. */
        boolean isCounted() {
            return counted != 0;
        }

        /**
         * The link was flushed. Its event loop.
         *
         * @param wasEmpty whether nothing waited before, so that what waits now is young
         */
        void flushed(boolean wasEmpty) {
            if (wasEmpty) {
                sinceNs = clockNs.getAsLong();
            }
            if (count(queuedBytes.getAsLong()) > 0 && isTooMuch()) {
                makeRoom(this);
            }
        }

        /** The link has ended, and nothing waits on it. */
        void ended() {
            count(0);
            shares.remove(this);
        }

        /** Counts anew; how much more it is than before. Guarded: any thread that makes room counts, and gives up. */
        private synchronized long count(long now) {
            long more = now - counted;
            if (more != 0) {
                counted = now;
                shares.add(this);
                total.addAndGet(more);
                leaving.addAndGet(givenUp ? more : 0);
            }
            return more;
        }

        private void giveUp(String why) {
            synchronized (this) { // see count
                if (givenUp) {
                    return;
                }
                givenUp = true;
                leaving.addAndGet(counted);
            }
            giveUp.accept("answers that peers have not taken hold " + total.get() + " bytes, limit " + limitBytes + ","
                    + why);
        }
    }

    private boolean isTooMuch() {
        return total.get() - leaving.get() > limitBytes || total.get() > 2 * limitBytes;
    }

    private void makeRoom(Share wanting) {
        shares.forEach(share -> share.count(share.queuedBytes.getAsLong()));
        if (!isTooMuch()) {
            return;
        }
        SLOWEST_FIRST.free(
                shares,
                clockNs.getAsLong(),
                total.get() - leaving.get() - limitBytes,
                limitBytes,
                (share, slowMs) -> share.giveUp(" and this one has not taken its own for " + slowMs + " ms"));
        if (isTooMuch() && wanting.counted > FREE_BYTES) {
            wanting.giveUp(" and no slower ones free enough of it at once");
        }
    }
}
