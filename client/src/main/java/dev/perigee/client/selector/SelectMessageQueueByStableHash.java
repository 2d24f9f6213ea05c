package dev.perigee.client.selector;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;

/**
 * The queue with the highest score for the argument, each queue being scored by itself (rendezvous hashing): when a queue is added
 * to n, about one argument in n + 1 changes its queue, and only to the new one. The same argument goes to the same queue in every
 * process, as far as its {@code hashCode} is the same there; that of a text is.
 *
 * @param <A> type of the argument; its {@code hashCode} decides
 */
@Immutable
public final class SelectMessageQueueByStableHash<A> implements MessageQueueSelector<A> {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    @Override
    public MessageQueue select(List<MessageQueue> queues, Message message, A argument) {
        MessageQueue best = queues.get(0);
        long bestScore = score(best, argument);
        for (int i = 1; i < queues.size(); i++) {
            MessageQueue queue = queues.get(i);
            long score = score(queue, argument);
            if (Long.compareUnsigned(score, bestScore) > 0) {
                best = queue;
                bestScore = score;
            }
        }
        return best;
    }

    private static long score(MessageQueue queue, Object argument) {
        long seed = mixed(argument.hashCode() * GOLDEN);
        return mixed(seed ^ mixed(queue.brokerName().hashCode() * GOLDEN + queue.queueId()));
    }

    /** Spreads a difference in any bit over all bits: shifts and products by odd numbers. */
    private static long mixed(long bits) {
        long mixed = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
