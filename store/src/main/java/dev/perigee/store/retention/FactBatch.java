package dev.perigee.store.retention;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactListener;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/** Facts appended together: how many are under way, how many failed, and where the last one ends. */
@ThreadSafe
final class FactBatch {
    private final BiConsumer<Fact, FactListener> facts;
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger appended = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicLong endOffset = new AtomicLong();

    FactBatch(BiConsumer<Fact, FactListener> facts) {
        this.facts = facts;
    }

    void append(Fact fact) {
        underWay.incrementAndGet();
        facts.accept(fact, this::completed);
    }

    private void completed(AppendResult result, long end) {
        if (end >= 0) {
            appended.incrementAndGet();
            endOffset.accumulateAndGet(end, Math::max);
        } else {
            refused.incrementAndGet();
        }
        underWay.decrementAndGet();
    }

    /** Whether all came to an end and those appended are applied. */
    boolean settled(long appliedOffset) {
        return underWay.get() == 0 && appliedOffset >= endOffset.get();
    }

    int appended() {
        return appended.get();
    }

    int refused() {
        return refused.get();
    }
}
