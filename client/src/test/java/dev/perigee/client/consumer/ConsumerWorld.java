package dev.perigee.client.consumer;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.World;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.remoting.call.RemotingException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One broker with a topic, and consumers of it. Their listener calls wait until the test makes them; a listener may let time
 * pass then, for it is not on the client loop.
 */
final class ConsumerWorld {
    static final String GROUP = "g";
    static final String TOPIC = "T";

    final World world = new World();
    final FakeBroker broker = world.broker("a");
    final Deque<Runnable> calls = new ArrayDeque<>();

    ConsumerWorld(int queues) throws RemotingException {
        world.nameServer().route(TOPIC, queues, broker);
        world.nameServer().route("%RETRY%" + GROUP, 1, broker);
    }

    static MessageQueue queue(int queueId) {
        return new MessageQueue(TOPIC, "a", queueId);
    }

    /** A consumer whose calls wait. */
    PushConsumerBuilder builder(String name) {
        return plain(name).executor(calls::add);
    }

    /** A consumer with threads of its own. */
    PushConsumerBuilder plain(String name) {
        return world.in(PushConsumer.builder())
                .group(GROUP)
                .instanceName(name)
                .subscribe(TOPIC, "*")
                .consumeFrom(ConsumeFrom.firstOffset());
    }

    PushConsumer start(PushConsumerBuilder builder) {
        PushConsumer consumer = builder.build();
        world.add(consumer.loop());
        world.await(consumer.startAsync(), 10_000);
        world.settle();
        return consumer;
    }

    void append(int queueId, String body) {
        broker.log().append(TOPIC, queueId, body, "");
    }

    /** Makes the call that waits longest, on the test's thread. */
    void callNext() {
        calls.removeFirst().run();
        world.settle();
    }

    /** Makes all calls as they come, while time passes. */
    void run(long ms, long stepMs) {
        for (long passed = 0; passed <= ms; passed += stepMs) {
            world.settle();
            while (!calls.isEmpty()) {
                callNext();
            }
            world.run(stepMs, stepMs);
        }
    }
}
