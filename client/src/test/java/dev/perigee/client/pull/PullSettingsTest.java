package dev.perigee.client.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.member.QueueMetrics;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.FlowGate;
import dev.perigee.client.queue.FlowLimits;
import dev.perigee.client.queue.TopicLimits;
import dev.perigee.protocol.allocate.AllocateMessageQueueByConfig;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each setting of a pull consumer makes a difference that can be seen; {@code autoCommitMs} also in {@link PullCommitTest}. */
final class PullSettingsTest {
    private static final long NO_LIMIT = 1L << 40;

    private PullWorld pulls;

    @BeforeEach
    void oneBrokerWithTwoQueuesOfFiftyMessages() throws Exception {
        pulls = new PullWorld();
    }

    private PullConsumer oneByOne(FlowLimits limits, TopicLimits topicLimits) throws Exception {
        PullConsumer consumer =
                pulls.start(pulls.builder("c").pullBatchSize(1).limits(limits).topicLimits(topicLimits));
        pulls.world.run(100, 10);
        return consumer;
    }

    private PullMetrics metrics(PullConsumer consumer) {
        return pulls.world.await(consumer.metrics(), 100);
    }

    private QueueMetrics metrics(PullConsumer consumer, MessageQueue queue) {
        return Objects.requireNonNull(metrics(consumer).byQueue().get(queue));
    }

    @Test
    void pullBatchSize() throws Exception {
        PullConsumer consumer = pulls.start(pulls.builder("c").pullBatchSize(7));
        assertThat(pulls.poll(consumer)).hasSize(7);
    }

    @Test
    void limitOfMessages() throws Exception {
        PullConsumer consumer = oneByOne(new FlowLimits(3, NO_LIMIT, NO_LIMIT), TopicLimits.OFF);
        QueueMetrics first = metrics(consumer, PullWorld.FIRST);

        assertThat(first.cachedMessages()).isEqualTo(4);
        assertThat(first.held()).isEqualTo(new FlowGate.FlowCounts(1, 0, 0, 0));
        assertThat(metrics(consumer).cachedMessages()).isEqualTo(8);
        assertThat(pulls.drain(consumer)).hasSize(100);
    }

    @Test
    void limitOfBytes() throws Exception {
        PullConsumer consumer = oneByOne(new FlowLimits(1_000, 1, NO_LIMIT), TopicLimits.OFF);

        assertThat(metrics(consumer, PullWorld.FIRST).cachedMessages()).isEqualTo(1);
        assertThat(metrics(consumer, PullWorld.FIRST).held()).isEqualTo(new FlowGate.FlowCounts(0, 1, 0, 0));
    }

    @Test
    void limitOfTheSpan() throws Exception {
        PullConsumer consumer = oneByOne(new FlowLimits(1_000, NO_LIMIT, 4), TopicLimits.OFF);

        assertThat(metrics(consumer, PullWorld.FIRST).span()).isEqualTo(5);
        assertThat(metrics(consumer, PullWorld.FIRST).held()).isEqualTo(new FlowGate.FlowCounts(0, 0, 1, 0));
    }

    @Test
    void topicLimitOfMessages() throws Exception {
        PullConsumer consumer = oneByOne(FlowLimits.DEFAULT, new TopicLimits(4, -1));

        assertThat(metrics(consumer, PullWorld.FIRST).cachedMessages()).isEqualTo(3);
        assertThat(metrics(consumer, PullWorld.SECOND).held()).isEqualTo(new FlowGate.FlowCounts(0, 0, 0, 1));
        assertThat(pulls.drain(consumer)).as("what was consumed makes room").hasSize(100);
    }

    @Test
    void topicLimitOfBytes() throws Exception {
        PullConsumer consumer = oneByOne(FlowLimits.DEFAULT, new TopicLimits(-1, 1));

        assertThat(metrics(consumer, PullWorld.FIRST).cachedMessages()).isEqualTo(1);
        assertThat(metrics(consumer, PullWorld.FIRST).held().byTopic()).isEqualTo(1);
        assertThat(pulls.drain(consumer)).hasSize(100);
    }

    @Test
    void topicLimitOfTheSpan() throws Exception {
        PullConsumer consumer = oneByOne(FlowLimits.DEFAULT, new TopicLimits(-1, -1, 8));

        assertThat(metrics(consumer, PullWorld.FIRST).span()).isEqualTo(5);
        assertThat(metrics(consumer, PullWorld.SECOND).held()).isEqualTo(new FlowGate.FlowCounts(0, 0, 0, 1));
        assertThat(pulls.drain(consumer)).as("what was consumed makes room").hasSize(100);
    }

    @Test
    void consumeFrom() throws Exception {
        PullConsumer consumer = pulls.start(pulls.builder("c").consumeFrom(ConsumeFrom.lastOffset()));
        pulls.broker.log().append("T", 0, "new", "");
        assertThat(pulls.drain(consumer)).containsExactly("new");
    }

    @Test
    void strategy() throws Exception {
        PullConsumer consumer =
                pulls.start(pulls.builder("c").strategy(new AllocateMessageQueueByConfig(List.of(PullWorld.SECOND))));
        assertThat(metrics(consumer).byQueue()).containsOnlyKeys(PullWorld.SECOND);
        assertThat(metrics(consumer).queues()).isEqualTo(1);
    }

    @Test
    void autoCommitMs() throws Exception {
        PullConsumer consumer = pulls.start(pulls.builder("c").autoCommitMs(20_000));
        pulls.drain(consumer);
        pulls.world.run(19_000, 500);
        assertThat(pulls.stored(PullWorld.FIRST)).isZero();
        pulls.world.run(2_000, 500);
        assertThat(pulls.stored(PullWorld.FIRST)).isEqualTo(50);
    }

    @Test
    void aSettingOutOfItsRangeIsNamed() {
        refused("pullBatchSize", pulls.builder("c").pullBatchSize(0));
        refused("autoCommitMs", pulls.builder("c").autoCommitMs(-1));
        refused("no good", pulls.builder("c").group("no good"));
        assertThatThrownBy(() -> new TopicLimits(0, -1)).hasMessageContaining("maxCount=0");
        assertThatThrownBy(() -> new FlowLimits(0, 1, 1)).hasMessageContaining("maxCount=0");
    }

    private static void refused(String name, PullConsumerBuilder builder) {
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
    }
}
