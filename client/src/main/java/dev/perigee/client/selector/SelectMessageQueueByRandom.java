package dev.perigee.client.selector;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Any queue, each with the same chance.
 *
 * @param <A> type of the argument; not looked at
 */
@ThreadSafe
public final class SelectMessageQueueByRandom<A> implements MessageQueueSelector<A> {
    private final RandomGenerator random;

    /** @param random the source of chance; guarded here, so any generator will do */
    public SelectMessageQueueByRandom(RandomGenerator random) {
        this.random = random;
    }

    @Override
    public MessageQueue select(List<MessageQueue> queues, Message message, A argument) {
        synchronized (random) { // guards the generator, which need not be thread-safe; held for one draw
            return queues.get(random.nextInt(queues.size()));
        }
    }
}
