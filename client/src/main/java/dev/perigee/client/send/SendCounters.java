package dev.perigee.client.send;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.atomic.LongAdder;

/** What a producer counts. */
@ThreadSafe
public final class SendCounters {
    public final LongAdder messages = new LongAdder();
    public final LongAdder bytes = new LongAdder();
    public final LongAdder stored = new LongAdder();
    public final LongAdder failed = new LongAdder();
    public final LongAdder requests = new LongAdder();
    public final LongAdder retries = new LongAdder();
    public final LongAdder droppedOneways = new LongAdder();
    public final LongAdder latencyMs = new LongAdder();
}
