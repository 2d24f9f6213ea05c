package dev.perigee.client.consumer;

import static dev.perigee.client.consumer.ConsumerWorld.queue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.member.QueueMetrics;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.FlowGate;
import dev.perigee.client.queue.FlowLimits;
import dev.perigee.client.queue.TopicLimits;
import dev.perigee.protocol.allocate.AllocateMessageQueueByConfig;
import dev.perigee.protocol.group.MessageModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each setting of a push consumer makes a difference that can be seen. Those that speak of failures are in {@link
 * ConcurrentFailuresTest} and {@link OrderlyTurnsTest}, those of the close in {@link ConsumerCloseTest}.
 */
final class EverySettingCountsTest {
    private static final long NO_LIMIT = 1L << 40;

    private final List<String> got = new ArrayList<>();
    private ConsumerWorld all;

    @BeforeEach
    void oneBrokerWithTwoQueues() throws Exception {
        all = new ConsumerWorld(2);
    }

    private void append(int queueId, int count) {
        for (int i = 0; i < count; i++) {
            all.append(queueId, queueId + "-" + i);
        }
    }

    /** A consumer whose calls note how many messages they were given. */
    private PushConsumer start(PushConsumerBuilder builder) {
        return all.start(builder.listener(messages -> {
            got.add(messages.size() + " from " + messages.get(0).bodyText());
            return ConsumeResult.SUCCESS;
        }));
    }

    private PushConsumerBuilder oneByOne() {
        return all.builder("c").pullBatchSize(1);
    }

    private ConsumerMetrics metrics(PushConsumer consumer) {
        return all.world.await(consumer.metrics(), 100);
    }

    private QueueMetrics metrics(PushConsumer consumer, int queueId) {
        return Objects.requireNonNull(metrics(consumer).byQueue().get(queue(queueId)));
    }

    @Test
    void threads() throws Exception {
        append(0, 8);
        CountDownLatch begun = new CountDownLatch(3);
        CountDownLatch mayEnd = new CountDownLatch(1);
        PushConsumer consumer = all.start(all.plain("c").threads(3).listener(messages -> {
            begun.countDown();
            return mayEnd.await(60, TimeUnit.SECONDS) ? ConsumeResult.SUCCESS : ConsumeResult.LATER;
        }));
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(metrics(consumer).runningCalls()).isEqualTo(3);
        mayEnd.countDown();
        consumer.close();
    }

    @Test
    void batchSize() {
        append(0, 5);
        start(all.builder("c").batchSize(2));
        all.run(100, 10);
        assertThat(got).containsExactly("2 from 0-0", "2 from 0-2", "1 from 0-4");
    }

    @Test
    void pullBatchSize() {
        append(0, 40);
        start(all.builder("c").pullBatchSize(7).limits(new FlowLimits(1, NO_LIMIT, NO_LIMIT)));
        all.world.run(100, 10);
        assertThat(all.calls).hasSize(7);
    }

    @Test
    void aPullBringsThirtyTwoMessagesUnlessSaidOtherwise() {
        append(0, 40);
        start(all.builder("c").limits(new FlowLimits(1, NO_LIMIT, NO_LIMIT)));
        all.world.run(100, 10);
        assertThat(all.calls).hasSize(32);
    }

    @Test
    void suspendedConsumersPullNothingAndResumedOnesGoOn() {
        append(0, 2);
        PushConsumer consumer = start(all.builder("c").pullBatchSize(1).limits(new FlowLimits(1, NO_LIMIT, NO_LIMIT)));
        all.world.settle();
        consumer.suspend();
        append(1, 2);
        all.run(20_000, 500);
        int before = got.size();
        append(0, 5);
        all.run(20_000, 500);
        assertThat(got).as("nothing is pulled while suspended").hasSize(before);

        consumer.resume();
        all.run(100, 10);
        assertThat(got).hasSize(9);
    }

    @Test
    void limitOfMessages() {
        append(0, 40);
        PushConsumer consumer = start(oneByOne().limits(new FlowLimits(3, NO_LIMIT, NO_LIMIT)));
        all.world.run(100, 10);
        assertThat(all.calls).hasSize(4);
        assertThat(metrics(consumer, 0).held()).isEqualTo(new FlowGate.FlowCounts(1, 0, 0, 0));
    }

    @Test
    void limitOfBytes() {
        append(0, 40);
        PushConsumer consumer = start(oneByOne().limits(new FlowLimits(1_000, 1, NO_LIMIT)));
        all.world.run(100, 10);
        assertThat(all.calls).hasSize(1);
        assertThat(metrics(consumer, 0).held()).isEqualTo(new FlowGate.FlowCounts(0, 1, 0, 0));
    }

    @Test
    void limitOfTheSpan() {
        append(0, 40);
        PushConsumer consumer = start(oneByOne().limits(new FlowLimits(1_000, NO_LIMIT, 4)));
        all.world.run(100, 10);
        assertThat(all.calls).hasSize(6);
        QueueMetrics held = metrics(consumer, 0);
        assertThat(held.held()).isEqualTo(new FlowGate.FlowCounts(0, 0, 1, 0));
        assertThat(held.cachedMessages()).isEqualTo(6);
        assertThat(held.span()).isEqualTo(5);
        assertThat(held.commitOffset()).isZero();
    }

    @Test
    void topicLimitOfMessages() {
        append(0, 40);
        append(1, 40);
        PushConsumer consumer = start(oneByOne().topicLimits(new TopicLimits(4, -1)));
        all.world.run(100, 10);
        assertThat(all.calls).hasSize(6);
        assertThat(metrics(consumer, 1).held().byTopic()).isEqualTo(1);

        all.callNext();
        all.callNext();
        all.world.run(100, 10);
        assertThat(all.calls).as("what was finished makes room").hasSize(6);
    }

    @Test
    void topicLimitOfBytes() {
        append(0, 40);
        start(oneByOne().topicLimits(new TopicLimits(-1, 1)));
        all.world.run(100, 10);
        assertThat(all.calls).hasSize(1);
    }

    @Test
    void topicLimitOfTheSpan() {
        append(0, 40);
        append(1, 40);
        PushConsumer consumer = start(oneByOne().topicLimits(new TopicLimits(-1, -1, 8)));
        all.world.run(100, 10);
        assertThat(metrics(consumer, 0).span()).isEqualTo(5);
        assertThat(metrics(consumer, 1).held()).isEqualTo(new FlowGate.FlowCounts(0, 0, 0, 1));
        int calls = all.calls.size();

        all.callNext();
        all.callNext();
        all.world.run(100, 10);
        assertThat(all.calls).as("what was finished makes room").hasSize(calls);
    }

    @Test
    void consumeFromTheFirstOffset() {
        append(0, 3);
        start(all.builder("c").consumeFrom(ConsumeFrom.firstOffset()));
        all.run(100, 10);
        assertThat(got).hasSize(3);
    }

    @Test
    void consumeFromTheLastOffset() {
        append(0, 3);
        start(all.builder("c").consumeFrom(ConsumeFrom.lastOffset()));
        all.append(0, "new");
        all.run(100, 10);
        assertThat(got).containsExactly("1 from new");
    }

    @Test
    void consumeFromATime() {
        append(0, 3);
        all.world.clock().advanceMs(1_000);
        long timeMs = all.world.clock().wallMs();
        all.append(0, "then");
        all.world.clock().advanceMs(1_000);
        all.append(0, "later");
        start(all.builder("c").consumeFrom(ConsumeFrom.timestamp(timeMs)));
        all.run(100, 10);
        assertThat(got).containsExactly("1 from then", "1 from later");
    }

    @Test
    void strategy() {
        PushConsumer consumer = start(all.builder("c").strategy(new AllocateMessageQueueByConfig(List.of(queue(1)))));
        assertThat(metrics(consumer).byQueue()).containsOnlyKeys(queue(1));
    }

    @Test
    void modelAndOffsetFolder(@TempDir Path folder) throws Exception {
        append(0, 2);
        start(all.builder("c").model(MessageModel.BROADCASTING).offsetFolder(folder));
        all.run(6_000, 100);
        assertThat(got).hasSize(2);
        assertThat(all.broker.offsets()).isEmpty();
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.map(file -> file.getFileName().toString())).contains("offsets.json");
        }
    }

    @Test
    void suspendMs() {
        append(0, 1);
        all.start(all.builder("c").suspendMs(3_000).orderlyListener(messages -> {
            got.add(messages.get(0).bodyText());
            return ConsumeResult.LATER;
        }));
        all.run(2_900, 100);
        assertThat(got).hasSize(1);
        all.run(200, 100);
        assertThat(got).hasSize(2);
    }

    @Test
    void theMetricsOfAnOrderlyQueueTellTheAgeOfItsLock() {
        PushConsumer consumer = all.start(all.builder("c").orderlyListener(messages -> ConsumeResult.SUCCESS));
        all.world.run(5_000, 500);
        assertThat(metrics(consumer, 0).lockedForMs()).isBetween(4_900L, 5_500L);
    }

    @Test
    void anIdleConsumerSleeps() {
        PushConsumer consumer = start(all.builder("c"));
        all.world.run(30_000, 1_000);
        int passes = 0;
        for (long passed = 0; passed < 60_000; passed += 100) {
            all.world.clock().advanceMs(100);
            all.world.transport().runUntilIdle(1_000);
            passes += consumer.loop().doWork(all.world.clock().monotonicMs()) > 0 ? 1 : 0;
            all.world.settle();
        }
        assertThat(passes).isLessThanOrEqualTo(60);
    }

    @Test
    void aSettingOutOfItsRangeIsNamed() {
        refused("threads", all.builder("c").threads(0));
        refused("batchSize", all.builder("c").batchSize(0));
        refused("pullBatchSize", all.builder("c").pullBatchSize(-1));
        refused("closeTimeoutMs", all.builder("c").closeTimeoutMs(0));
        refused("maxReconsumeTimes", all.builder("c").maxReconsumeTimes(-2));
        refused("retryDelayLevel", all.builder("c").retryDelayLevel(65));
        refused("consumeTimeoutMs", all.builder("c").consumeTimeoutMs(999));
        refused("SCHEDULE_TOPIC_XXXX", all.builder("c").subscribe("SCHEDULE_TOPIC_XXXX", "*"));
        refused("no good", all.builder("c").group("no good"));
    }

    private static void refused(String name, PushConsumerBuilder builder) {
        assertThatThrownBy(builder.listener(messages -> ConsumeResult.SUCCESS)::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
    }
}
