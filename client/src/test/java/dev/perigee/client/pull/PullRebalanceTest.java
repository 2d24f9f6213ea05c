package dev.perigee.client.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.TopicFilter;
import dev.perigee.protocol.allocate.AllocateMessageQueueStrategy;
import dev.perigee.protocol.allocate.AllocateStrategies;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PullRebalanceTest {
    private PullWorld pulls;

    @BeforeEach
    void oneBroker() throws Exception {
        pulls = new PullWorld();
    }

    @Test
    void theListenerHearsEveryChangeOnceAndInOrder() throws Exception {
        List<String> heard = new ArrayList<>();
        PullConsumer consumer = pulls.builder("c").build();
        pulls.world.add(consumer.loop());
        consumer.onQueuesChanged((topic, all, mine) -> {
            heard.add(topic + " " + mine.size() + "/" + all.size());
            throw new IllegalStateException("expected by the test");
        });
        consumer.subscribe("T", "*");
        pulls.world.await(consumer.startAsync(), 10_000);
        pulls.world.run(50_000, 1_000);
        PullConsumer other = pulls.start(pulls.builder("d"));
        pulls.world.run(1_000, 100);
        pulls.world.nameServer().route("T", 4, pulls.broker);
        pulls.world.run(40_000, 1_000);
        pulls.kill(other);
        pulls.world.run(1_000, 100);
        consumer.unsubscribe("T");
        pulls.world.settle();
        assertThat(heard.get(0)).isEqualTo("T 2/2");
        assertThat(heard).containsExactly("T 2/2", "T 1/2", "T 2/4", "T 4/4", "T 0/0");
    }

    @Test
    void aQueueThatIsNewIsReadFromItsBeginningAsSoonAsTheRouteIsKnown() throws Exception {
        PullConsumer consumer = pulls.start(pulls.builder("c").consumeFrom(ConsumeFrom.lastOffset()));
        assertThat(pulls.drain(consumer)).isEmpty();
        pulls.world.nameServer().route("T", 3, pulls.broker);
        pulls.broker.log().append("T", 2, "young", "");
        pulls.world.run(31_000, 1_000);
        assertThat(pulls.drain(consumer)).containsExactly("young");
    }

    /** An allocation by a user that does whatever the test wants. */
    private record Scripted(AtomicBoolean isBroken, List<MessageQueue> extra) implements AllocateMessageQueueStrategy {
        @Override
        public String name() {
            return "SCRIPTED";
        }

        @Override
        public List<MessageQueue> allocate(String group, String self, List<MessageQueue> queues, List<String> members) {
            if (isBroken.get()) {
                throw new IllegalStateException("expected by the test");
            }
            List<MessageQueue> mine = new ArrayList<>(extra);
            mine.addAll(AllocateStrategies.AVERAGELY.allocate(group, self, queues, members));
            return mine;
        }
    }

    @Test
    void aStrategyThatFailsChangesNothingAboutWhatIsRead() throws Exception {
        AtomicBoolean isBroken = new AtomicBoolean();
        PullConsumer consumer = pulls.start(pulls.builder("c").strategy(new Scripted(isBroken, List.of())));
        pulls.drain(consumer);
        isBroken.set(true);
        PullConsumer other = pulls.start(pulls.builder("d").strategy(new Scripted(isBroken, List.of())));
        pulls.world.run(2_000, 100);
        pulls.broker.log().append("T", 0, "x0", "");
        pulls.broker.log().append("T", 1, "x1", "");
        assertThat(pulls.drain(consumer)).containsExactlyInAnyOrder("x0", "x1");
        isBroken.set(false);
        pulls.world.run(21_000, 500);
        pulls.broker.log().append("T", 1, "y1", "");
        assertThat(pulls.drain(other)).containsExactly("y1");
    }

    @Test
    void queuesThatTheTopicDoesNotHaveAreNotRead() throws Exception {
        MessageQueue foreign = new MessageQueue("other", "a", 0);
        MessageQueue missing = new MessageQueue("T", "a", 9);
        PullConsumer consumer =
                pulls.start(pulls.builder("c").strategy(new Scripted(new AtomicBoolean(), List.of(foreign, missing))));
        var owned = pulls.world.await(consumer.commitAsync(Map.of(foreign, 1L, missing, 1L)), 1_000);
        assertThat(owned).as("not ours").containsExactlyInAnyOrder(foreign, missing);
        assertThat(pulls.drain(consumer)).hasSize(100);
    }

    @Test
    void aSubscriptionEndsWhatWasAssignedByHand() throws Exception {
        FakeBroker broker = pulls.broker;
        pulls.world.nameServer().route("U", 1, broker);
        broker.log().append("U", 0, "u0", "");
        PullConsumer consumer = pulls.builder("c").build();
        pulls.world.add(consumer.loop());
        consumer.assign(List.of(PullWorld.FIRST));
        pulls.world.await(consumer.startAsync(), 10_000);
        pulls.drain(consumer);
        pulls.world.await(consumer.subscribeAsync("U", TopicFilter.ALL), 10_000);
        broker.log().append("T", 0, "t0", "");
        broker.log().append("T", 1, "t1", "");
        assertThat(pulls.drain(consumer)).containsExactly("u0");
    }

    @Test
    void systemTopicsAndIllegalOnesAreRefusedByName() throws Exception {
        PullConsumer consumer = pulls.builder("c").build();
        assertThatThrownBy(() -> consumer.subscribe("SCHEDULE_TOPIC_XXXX", "*"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SCHEDULE_TOPIC_XXXX");
        assertThatThrownBy(() -> consumer.subscribe("a b", "*"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a b");
        assertThatThrownBy(() -> consumer.subscribe(" ", "*"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("blank");
    }
}
