package dev.perigee.client.transaction;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.atomic.LongAdder;

/** What a transaction producer counts. */
@ThreadSafe
final class Counters {
    final LongAdder halves = new LongAdder();
    final LongAdder committed = new LongAdder();
    final LongAdder rolledBack = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder open = new LongAdder();
    final LongAdder checks = new LongAdder();
    final LongAdder checksUndecided = new LongAdder();
    final LongAdder checksDropped = new LongAdder();
    final LongAdder checksForeign = new LongAdder();

    TransactionMetrics snapshot() {
        return new TransactionMetrics(
                halves.sum(),
                committed.sum(),
                rolledBack.sum(),
                refused.sum(),
                open.sum(),
                checks.sum(),
                checksUndecided.sum(),
                checksDropped.sum(),
                checksForeign.sum());
    }
}
