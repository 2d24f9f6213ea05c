package dev.perigee.client.pull;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.World;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.List;

/** One broker with a topic of two queues and 50 messages in each, and pull consumers of it. */
final class PullWorld {
    static final MessageQueue FIRST = new MessageQueue("T", "a", 0);
    static final MessageQueue SECOND = new MessageQueue("T", "a", 1);

    final World world = new World();
    final FakeBroker broker = world.broker("a");

    PullWorld() throws Exception {
        world.nameServer().route("T", 2, broker);
        for (int i = 0; i < 100; i++) {
            broker.log().append("T", i % 2, "m" + i, "");
        }
    }

    PullConsumerBuilder builder(String name) {
        return world.in(PullConsumer.builder()).group("g").instanceName(name).consumeFrom(ConsumeFrom.firstOffset());
    }

    PullConsumer start(PullConsumerBuilder builder) throws Exception {
        PullConsumer consumer = builder.build();
        world.add(consumer.loop());
        consumer.subscribe("T", "*");
        world.await(consumer.startAsync(), 10_000);
        world.settle();
        return consumer;
    }

    /** What the next poll brings, after all there is to do was done. */
    List<MessageExt> poll(PullConsumer consumer) throws Exception {
        world.settle();
        List<MessageExt> messages = consumer.poll(0);
        world.settle();
        return messages;
    }

    /** Polls until nothing comes. */
    List<String> drain(PullConsumer consumer) throws Exception {
        List<String> bodies = new ArrayList<>();
        for (List<MessageExt> some = poll(consumer); !some.isEmpty(); some = poll(consumer)) {
            some.forEach(m -> bodies.add(m.bodyText()));
        }
        return bodies;
    }

    /** The consumer dies without a word. */
    void kill(PullConsumer consumer) {
        world.remove(consumer.loop());
        consumer.close();
        world.settle();
    }

    long stored(MessageQueue queue) {
        return broker.offsets().getOrDefault("g@T@" + queue.queueId(), -1L);
    }
}
