package dev.perigee.client.fake;

import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.ProducerBuilder;
import dev.perigee.remoting.call.RemotingException;
import java.util.Random;

/** A world of one broker, {@code a}, with one topic, {@code T}, and producers that send to it. */
public final class ProducerWorld {
    private final World world = new World();
    private final FakeBroker broker = world.broker("a");

    /** @param queues of the topic */
    public ProducerWorld(int queues) throws RemotingException {
        world.nameServer().route("T", queues, broker);
    }

    public World world() {
        return world;
    }

    public FakeBroker broker() {
        return broker;
    }

    /** A producer of group {@code p}, instance {@code i}, that chooses the same in every run. */
    public ProducerBuilder builder() {
        return world.in(Producer.builder()).group("p").instanceName("i").random(new Random(1));
    }

    /** Builds and starts it. */
    public Producer start(ProducerBuilder builder) {
        Producer producer = builder.build();
        world.add(producer.loop());
        producer.start();
        return producer;
    }
}
