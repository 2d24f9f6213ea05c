package dev.perigee.client.send;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Chooses the queue of a send: round robin, away from brokers that were slow or failed lately. The first rule that finds
 * a queue wins: available and not the broker that just failed; reachable and not that broker; simply the next.
 */
@ThreadSafe
final class SendPolicy {
    private final LatencyTable latencies;
    private final AtomicInteger counter;

    /** @param start where the round robin begins; random, so that many producers do not march in step */
    SendPolicy(LatencyTable latencies, int start) {
        this.latencies = latencies;
        this.counter = new AtomicInteger(start);
    }

    /**
     * @param queues the publish list; not empty
     * @param failedBroker the broker of the last failed try of this send; empty on the first try
     */
    MessageQueue choose(List<MessageQueue> queues, String failedBroker) {
        int from = counter.getAndIncrement();
        int available = find(queues, from, q -> isOther(q, failedBroker) && latencies.isAvailable(q.brokerName()));
        if (available >= 0) {
            return queues.get(available);
        }
        int reachable = find(queues, from, q -> isOther(q, failedBroker) && latencies.isReachable(q.brokerName()));
        return queues.get(reachable >= 0 ? reachable : Math.floorMod(from, queues.size()));
    }

    private static boolean isOther(MessageQueue queue, String failedBroker) {
        return !queue.brokerName().equals(failedBroker);
    }

    private static int find(List<MessageQueue> queues, int from, Predicate<MessageQueue> wanted) {
        for (int i = 0; i < queues.size(); i++) {
            int at = Math.floorMod(from + i, queues.size());
            if (wanted.test(queues.get(at))) {
                return at;
            }
        }
        return -1;
    }
}
