package dev.perigee.client.listener;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumeStatus;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;

/** What a consumer counts, for each topic. */
@ThreadSafe
public final class ConsumeCounters {
    /** The counters of one topic. */
    public static final class OfTopic {
        /** Messages pulled and handed on. */
        public final LongAdder received = new LongAdder();
        /** Messages a listener finished. */
        public final LongAdder consumed = new LongAdder();
        /** Messages a listener did not finish, each time. */
        public final LongAdder failed = new LongAdder();
        /** Messages the broker took back. */
        public final LongAdder sentBack = new LongAdder();
        /** Of these, those that were to be set aside at once. */
        public final LongAdder deadLettered = new LongAdder();
        /** Of these, those whose listener call took too long. */
        public final LongAdder timedOut = new LongAdder();
        /** Time spent in the listener, summed, in nanoseconds. */
        public final LongAdder listenerNs = new LongAdder();

        private OfTopic() {}
    }

    private static final double NS_PER_MS = 1_000_000;

    private final ConcurrentMap<String, OfTopic> topics = new ConcurrentHashMap<>();

    /** The counters of this topic, made when it is new. */
    public OfTopic of(String topic) {
        OfTopic counters = topics.get(topic);
        return counters != null ? counters : topics.computeIfAbsent(topic, ignored -> new OfTopic());
    }

    /** One of the counters, summed over all topics. */
    public long sum(ToLongFunction<OfTopic> counter) {
        return topics.values().stream().mapToLong(counter).sum();
    }

    /** The form administrators ask for: averages since the start. */
    public Map<String, ConsumeStatus> statuses(long runningMs) {
        double seconds = Math.max(1, runningMs) / 1000.0;
        Map<String, ConsumeStatus> statuses = new TreeMap<>();
        topics.forEach((name, topic) -> {
            long runs = Math.max(1, topic.consumed.sum() + topic.failed.sum());
            statuses.put(
                    name,
                    new ConsumeStatus(
                            0,
                            topic.received.sum() / seconds,
                            topic.listenerNs.sum() / NS_PER_MS / runs,
                            topic.consumed.sum() / seconds,
                            topic.failed.sum() / seconds,
                            topic.failed.sum()));
        });
        return statuses;
    }
}
