package dev.perigee.client.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.World;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.Pulled;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PullConsumerSimulationTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);

    private World world;
    private FakeBroker broker;

    @BeforeEach
    void oneBroker() throws Exception {
        world = new World();
        broker = world.broker("a");
        world.nameServer().route("T", 2, broker);
        for (int i = 0; i < 100; i++) {
            broker.log().append("T", i % 2, "m" + i, "");
        }
    }

    private PullConsumer consumer(String name) throws Exception {
        PullConsumer consumer = world.in(PullConsumer.builder())
                .group("g")
                .instanceName(name)
                .consumeFrom(ConsumeFrom.firstOffset())
                .build();
        world.add(consumer.loop());
        consumer.subscribe("T", "*");
        world.await(consumer.startAsync(), 10_000);
        return consumer;
    }

    private List<String> drain(PullConsumer consumer) throws Exception {
        List<String> bodies = new ArrayList<>();
        List<MessageExt> messages;
        do {
            world.settle();
            messages = consumer.poll(0);
            messages.forEach(m -> bodies.add(m.bodyText()));
        } while (!messages.isEmpty());
        return bodies;
    }

    @Test
    void pollsEverythingOnceAndCommitsWhatWasPolled() throws Exception {
        PullConsumer consumer = consumer("c");
        assertThat(drain(consumer)).hasSize(100).doesNotHaveDuplicates();
        world.run(6_000, 100);
        assertThat(broker.offsets()).containsEntry("g@T@0", 50L).containsEntry("g@T@1", 50L);
    }

    @Test
    void messagesOfTheLastPollAreNotCommittedBeforeTheNext() throws Exception {
        PullConsumer consumer = consumer("c");
        world.settle();
        int polled = consumer.poll(0).size();
        world.run(6_000, 100);
        assertThat(broker.offsets().values()).containsOnly(0L);

        consumer.poll(0);
        world.run(6_000, 100);
        assertThat(broker.offsets().values()).contains((long) polled);
    }

    @Test
    void directPullTouchesNoPosition() throws Exception {
        PullConsumer consumer = consumer("c");
        Pulled pulled = world.await(consumer.pullAsync(QUEUE, "*", 45, 32), 1_000);
        assertThat(pulled.messages()).hasSize(5);
        assertThat(pulled.nextOffset()).isEqualTo(50);
        assertThat(pulled.maxOffset()).isEqualTo(50);
    }

    @Test
    void membersShareTheQueues() throws Exception {
        PullConsumer first = consumer("c1");
        PullConsumer second = consumer("c2");
        world.run(1_000, 100);
        List<String> all = new ArrayList<>(drain(first));
        List<String> others = drain(second);
        all.addAll(others);
        assertThat(others).isNotEmpty();
        assertThat(all).contains("m0", "m1", "m98", "m99");
    }
}
