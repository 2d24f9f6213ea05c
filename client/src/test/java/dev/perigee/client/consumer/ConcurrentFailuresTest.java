package dev.perigee.client.consumer;

import static dev.perigee.client.consumer.ConsumerWorld.GROUP;
import static dev.perigee.client.consumer.ConsumerWorld.queue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.listener.ConsumeControl;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.listener.MessageListener;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ResetOffsetBody;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of messages a concurrent listener does not finish, or not in time. */
final class ConcurrentFailuresTest {
    private final List<String> got = new ArrayList<>();
    private ConsumerWorld all;
    private FakeBroker broker;

    @BeforeEach
    void oneBrokerWithOneQueue() throws Exception {
        all = new ConsumerWorld(1);
        broker = all.broker;
        broker.answerSendBack(0);
    }

    /** A listener that says this of each call, whatever it is given. */
    private static MessageListener saying(ConsumeResult result, Consumer<ConsumeControl> more) {
        return new MessageListener() {
            @Override
            public ConsumeResult consume(List<MessageExt> messages) {
                throw new AssertionError("the form with a context is called");
            }

            @Override
            public ConsumeResult consume(List<MessageExt> messages, ConsumeControl context) {
                more.accept(context);
                return result;
            }
        };
    }

    @Test
    void theBrokerIsLeftToApplyTheGroupsLimit() {
        all.append(0, "m0");
        all.start(all.builder("c").listener(messages -> ConsumeResult.LATER));
        all.run(100, 10);

        assertThat(broker.sentBack()).hasSize(1);
        assertThat(broker.sentBack().get(0).maxReconsumeTimes()).isNull();
        assertThat(broker.sentBack().get(0).reconsumeTimes()).isNull();
        assertThat(broker.sentBack().get(0).delayLevel()).isZero();
    }

    @Test
    void theConsumersOwnLimitWinsOverTheGroups() {
        all.append(0, "m0");
        all.start(all.builder("c").maxReconsumeTimes(3).listener(messages -> ConsumeResult.LATER));
        all.run(100, 10);

        assertThat(broker.sentBack())
                .extracting(SendBackHeader::maxReconsumeTimes)
                .containsExactly(3);
    }

    @Test
    void aMessageComesAgainAfterTheDelayTheConsumerOrTheListenerChose() {
        all.append(0, "m0");
        all.append(0, "m1");
        AtomicInteger calls = new AtomicInteger();
        all.start(all.builder("c").retryDelayLevel(5).listener(saying(ConsumeResult.LATER, context -> {
            if (calls.getAndIncrement() > 0) {
                context.retryDelayLevel(-1);
            }
        })));
        all.run(100, 10);

        assertThat(broker.sentBack()).extracting(SendBackHeader::delayLevel).containsExactly(5, -1);
    }

    @Test
    void aListenerMayFinishOnlyTheFirstOfItsMessages() {
        for (int i = 0; i < 4; i++) {
            all.append(0, "m" + i);
        }
        PushConsumer consumer = all.start(
                all.builder("c").batchSize(4).listener(saying(ConsumeResult.SUCCESS, context -> context.ackUntil(1))));
        all.run(100, 10);

        assertThat(broker.sentBack()).hasSize(2);
        ConsumerMetrics metrics = all.world.await(consumer.metrics(), 100);
        assertThat(metrics.consumed()).isEqualTo(2);
        assertThat(metrics.failed()).isEqualTo(2);
        assertThat(metrics.sentBack()).isEqualTo(2);
    }

    @Test
    void whatAContextIsToldMustBeInRange() {
        all.append(0, "m0");
        all.start(all.builder("c").listener(saying(ConsumeResult.SUCCESS, context -> {
            got.add(context.queue().toString());
            assertThatThrownBy(() -> context.retryDelayLevel(65)).hasMessageContaining("65");
            assertThatThrownBy(() -> context.retryDelayLevel(-2)).hasMessageContaining("-2");
            assertThatThrownBy(() -> context.ackUntil(-2)).hasMessageContaining("-2");
        })));
        all.run(100, 10);

        assertThat(got).containsExactly(queue(0).toString());
        assertThat(broker.sendBacks()).isZero();
    }

    @Test
    void aCallFromBeforeAResetNeitherCommitsNorSendsBack() {
        all.append(0, "m0");
        all.append(0, "m1");
        all.start(all.builder("c").batchSize(2).listener(messages -> {
            got.add("call of " + messages.size());
            if (got.size() > 1) {
                return ConsumeResult.SUCCESS;
            }
            byte[] body = Json.write(new ResetOffsetBody(Map.of(queue(0), 0L)));
            broker.member(GROUP)
                    .oneway(
                            Rpcs.RESET_CONSUMER_CLIENT_OFFSET,
                            new ResetOffsetHeader("T", GROUP, 0, true, -1, null),
                            body);
            all.world.settle();
            return ConsumeResult.LATER;
        }));
        all.callNext();
        assertThat(broker.sendBacks()).isZero();

        all.run(6_000, 100);
        assertThat(got).containsExactly("call of 2", "call of 2");
        assertThat(broker.sendBacks()).isZero();
    }

    private void reset(long offset) {
        byte[] body = Json.write(new ResetOffsetBody(Map.of(queue(0), offset)));
        ResetOffsetHeader header = new ResetOffsetHeader("T", GROUP, 0, true, -1, null);
        broker.member(GROUP).oneway(Rpcs.RESET_CONSUMER_CLIENT_OFFSET, header, body);
        all.world.settle();
    }

    @Test
    void aResetReachesAQueueThatIsStarting() {
        for (int i = 0; i < 4; i++) {
            all.append(0, "m" + i);
        }
        broker.staySilentAboutOffsets();
        PushConsumer consumer = all.builder("c")
                .listener(messages -> {
                    got.add(messages.get(0).bodyText());
                    return ConsumeResult.SUCCESS;
                })
                .build();
        all.world.add(consumer.loop());
        CompletableFuture<Void> started = consumer.startAsync();
        all.world.run(500, 50);
        assertThat(started).isNotDone();
        reset(2);
        all.run(6_000, 100);

        assertThat(got).containsExactly("m2", "m3");
    }

    @Test
    void anExecutorThatRefusesOnlyDelaysAMessage() {
        AtomicInteger refusals = new AtomicInteger(3);
        for (int i = 0; i < 4; i++) {
            all.append(0, "m" + i);
        }
        all.start(all.builder("c")
                .executor(task -> {
                    if (refusals.getAndDecrement() > 0) {
                        throw new RejectedExecutionException("full");
                    }
                    all.calls.add(task);
                })
                .listener(messages -> {
                    got.add(messages.get(0).bodyText() + "/" + messages.get(0).reconsumeTimes());
                    return ConsumeResult.SUCCESS;
                }));
        all.run(12_000, 100);

        assertThat(got).containsExactlyInAnyOrder("m0/0", "m1/0", "m2/0", "m3/0");
        assertThat(broker.offsets()).containsEntry("g@T@0", 4L);
    }

    @Test
    void aMessageStuckForTheConsumeTimeoutGoesBackAtLevelThreeAndTheQueueMovesOn() {
        all.append(0, "stuck");
        PushConsumer consumer =
                all.start(all.builder("c").consumeTimeoutMs(60_000).listener(messages -> {
                    all.world.run(58_000, 500);
                    assertThat(broker.sendBacks()).isZero();
                    all.world.run(12_000, 500);
                    assertThat(broker.sentBack())
                            .extracting(SendBackHeader::delayLevel)
                            .containsExactly(3);
                    assertThat(broker.offsets()).containsEntry("g@T@0", 1L);
                    return ConsumeResult.LATER;
                }));
        all.callNext();
        all.run(10_000, 500);

        assertThat(broker.sendBacks()).as("the late result is void").isEqualTo(1);
        assertThat(all.world.await(consumer.metrics(), 100).timedOut()).isEqualTo(1);
    }

    @Test
    void aListenerHasFifteenMinutesUnlessItsConsumerSaysOtherwise() {
        all.append(0, "stuck");
        all.start(all.builder("c").listener(messages -> {
            all.world.run(899_000, 1_000);
            assertThat(broker.sendBacks()).isZero();
            all.world.run(32_000, 1_000);
            assertThat(broker.sendBacks()).isEqualTo(1);
            got.add("called");
            return ConsumeResult.SUCCESS;
        }));
        all.callNext();
        assertThat(got).containsExactly("called");
    }

    @Test
    void atMostSixteenStuckMessagesOfAQueueGoBackInOneRound() {
        for (int i = 0; i < 30; i++) {
            all.append(0, "m" + i);
        }
        all.start(all.builder("c").batchSize(32).consumeTimeoutMs(15_000).listener(messages -> {
            all.world.run(15_500, 100);
            assertThat(broker.sendBacks()).isEqualTo(16);
            all.world.run(1_000, 100);
            assertThat(broker.sendBacks()).isEqualTo(30);
            return ConsumeResult.SUCCESS;
        }));
        all.callNext();
        assertThat(broker.sendBacks()).isEqualTo(30);
    }
}
