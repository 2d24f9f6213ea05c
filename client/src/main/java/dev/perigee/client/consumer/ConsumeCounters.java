package dev.perigee.client.consumer;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumeStatus;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** What a consumer counts, for each topic. */
@ThreadSafe
final class ConsumeCounters {
    /** The counters of one topic. */
    static final class OfTopic {
        final LongAdder received = new LongAdder();
        final LongAdder consumed = new LongAdder();
        final LongAdder failed = new LongAdder();
        final LongAdder sentBack = new LongAdder();
        final LongAdder listenerMs = new LongAdder();
    }

    private final ConcurrentMap<String, OfTopic> topics = new ConcurrentHashMap<>();

    OfTopic of(String topic) {
        OfTopic counters = topics.get(topic);
        return counters != null ? counters : topics.computeIfAbsent(topic, ignored -> new OfTopic());
    }

    /** All topics together, with the given state of the queues. */
    ConsumerMetrics snapshot(int queues, long cachedMessages, long cachedBytes) {
        long received = 0;
        long consumed = 0;
        long failed = 0;
        long sentBack = 0;
        long listenerMs = 0;
        for (OfTopic topic : topics.values()) {
            received += topic.received.sum();
            consumed += topic.consumed.sum();
            failed += topic.failed.sum();
            sentBack += topic.sentBack.sum();
            listenerMs += topic.listenerMs.sum();
        }
        return new ConsumerMetrics(
                received, consumed, failed, sentBack, listenerMs, queues, cachedMessages, cachedBytes);
    }

    /** The form administrators ask for: averages since the start. */
    Map<String, ConsumeStatus> statuses(long runningMs) {
        double seconds = Math.max(1, runningMs) / 1000.0;
        Map<String, ConsumeStatus> statuses = new TreeMap<>();
        topics.forEach((name, topic) -> {
            long runs = Math.max(1, topic.consumed.sum() + topic.failed.sum());
            statuses.put(
                    name,
                    new ConsumeStatus(
                            0,
                            topic.received.sum() / seconds,
                            (double) topic.listenerMs.sum() / runs,
                            topic.consumed.sum() / seconds,
                            topic.failed.sum() / seconds,
                            topic.failed.sum()));
        });
        return statuses;
    }
}
