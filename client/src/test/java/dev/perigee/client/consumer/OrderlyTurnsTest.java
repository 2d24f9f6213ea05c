package dev.perigee.client.consumer;

import static dev.perigee.client.consumer.ConsumerWorld.GROUP;
import static dev.perigee.client.consumer.ConsumerWorld.TOPIC;
import static dev.perigee.client.consumer.ConsumerWorld.queue;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.listener.ConsumeControl;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.listener.OrderlyMessageListener;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.message.MessageExt;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an orderly queue goes through: tries in place, dead letters, and being lost while a call for it runs. */
final class OrderlyTurnsTest {
    private final List<String> got = new ArrayList<>();
    private ConsumerWorld all;
    private FakeBroker broker;

    @BeforeEach
    void oneBrokerWithTwoQueues() throws Exception {
        all = new ConsumerWorld(2);
        broker = all.broker;
    }

    private ConsumeResult failBad(List<MessageExt> messages) {
        String body = messages.get(0).bodyText();
        got.add(body + "/" + messages.get(0).reconsumeTimes());
        return body.startsWith("bad") ? ConsumeResult.LATER : ConsumeResult.SUCCESS;
    }

    private PushConsumer startFailing(PushConsumerBuilder builder) {
        return all.start(builder.orderlyListener(this::failBad));
    }

    @Test
    void theLastFailureSetsAMessageAsideWithTheNumberOfItsRetries() {
        broker.answerSendBack(0);
        all.append(0, "bad");
        all.append(0, "good");
        startFailing(all.builder("c").maxReconsumeTimes(1));
        all.run(5_000, 100);

        assertThat(got).containsExactly("bad/0", "bad/1", "good/0");
        assertThat(broker.sentBack()).hasSize(1);
        SendBackHeader aside = broker.sentBack().get(0);
        assertThat(aside.delayLevel()).isEqualTo(-1);
        assertThat(aside.reconsumeTimes()).isEqualTo(1);
        assertThat(aside.maxReconsumeTimes()).isEqualTo(1);
        assertThat(broker.offsets()).containsEntry("g@T@0", 2L);
    }

    @Test
    void theQueueWaitsWhileItsMessageIsOnItsWayToTheDeadLetters() {
        broker.answerSendBack(FakeBroker.SILENCE);
        all.append(0, "bad");
        all.append(0, "good");
        startFailing(all.builder("c").maxReconsumeTimes(0));
        all.run(4_000, 100);
        assertThat(got).containsExactly("bad/0");
        assertThat(broker.sendBacks()).isEqualTo(1);

        broker.answerHeldSendBacks(0);
        all.run(100, 10);
        assertThat(got).containsExactly("bad/0", "good/0");
    }

    @Test
    void aMessageTheDeadLettersDoNotTakeIsTriedOnAndNotCountedFurther() {
        broker.answerSendBack(1);
        all.append(0, "bad");
        startFailing(all.builder("c").maxReconsumeTimes(1));
        all.run(3_500, 100);

        assertThat(got).startsWith("bad/0", "bad/1", "bad/1", "bad/1").doesNotContain("bad/2");
        assertThat(broker.offsets().getOrDefault("g@T@0", 0L)).isZero();
    }

    @Test
    void theGroupSaysHowOftenAMessageIsTriedAgain() {
        broker.answerSendBack(0);
        broker.retryLimits(Map.of(GROUP, 2));
        all.append(0, "bad");
        startFailing(all.builder("c").suspendMs(100));
        all.run(10_000, 100);

        assertThat(got).containsExactly("bad/0", "bad/1", "bad/2");
        assertThat(broker.sentBack()).hasSize(1);
        assertThat(broker.sentBack().get(0).reconsumeTimes()).isEqualTo(2);
    }

    @Test
    void nothingIsSetAsideWhileTheGroupsLimitIsUnknownOrOff() {
        broker.answerSendBack(0);
        all.append(0, "bad");
        startFailing(all.builder("c").suspendMs(1_000));
        all.run(20_000, 500);
        assertThat(got).contains("bad/17");

        broker.retryLimits(Map.of(GROUP, -1));
        all.run(40_000, 500);
        assertThat(broker.sendBacks()).isZero();
        assertThat(broker.offsets().getOrDefault("g@T@0", 0L)).isZero();
    }

    @Test
    void aListenerSaysHowLongItsQueueIsHeldBack() {
        all.append(0, "bad");
        all.start(all.builder("c").suspendMs(1_000).orderlyListener(new OrderlyMessageListener() {
            @Override
            public ConsumeResult consume(List<MessageExt> messages) {
                throw new AssertionError("the form with a context is called");
            }

            @Override
            public ConsumeResult consume(List<MessageExt> messages, ConsumeControl context) {
                context.suspendMs(10_000);
                return failBad(messages);
            }
        }));
        all.run(9_000, 100);
        assertThat(got).containsExactly("bad/0");
        all.run(2_000, 100);
        assertThat(got).containsExactly("bad/0", "bad/1");
    }

    @Test
    void aQueueThatFailsForEverDoesNotDelayTheOthers() {
        all.append(0, "bad");
        for (int i = 0; i < 10; i++) {
            all.append(1, "m" + i);
        }
        startFailing(all.builder("c").suspendMs(30_000));
        all.run(200, 10);
        assertThat(got).hasSize(11).contains("m9/0");
    }

    @Test
    void anExecutorThatRefusesOnlyDelaysAQueueAndCostsNoRetry() {
        AtomicInteger refusals = new AtomicInteger(2);
        all.append(0, "m0");
        startFailing(all.builder("c").executor(task -> {
            if (refusals.getAndDecrement() > 0) {
                throw new RejectedExecutionException("full");
            }
            all.calls.add(task);
        }));
        all.run(15_000, 100);
        assertThat(got).containsExactly("m0/0");
    }

    @Test
    void theNextOwnerOfAQueueWaitsForTheCallUnderWayAndForItsCommit() {
        all.append(1, "m0");
        all.append(1, "m1");
        List<String> second = new ArrayList<>();
        PushConsumer first = all.start(all.builder("c1").orderlyListener(messages -> {
            got.add(messages.get(0).bodyText());
            all.start(all.builder("c2").executor(Runnable::run).orderlyListener(more -> {
                second.add(more.get(0).bodyText());
                return ConsumeResult.SUCCESS;
            }));
            all.world.run(150_000, 500); // longer than two lives of a lock
            assertThat(broker.locks().holder(GROUP, queue(1))).endsWith("@c1");
            assertThat(second).isEmpty();
            return ConsumeResult.SUCCESS;
        }));
        assertThat(first.clientId()).endsWith("@c1");
        all.callNext();
        all.run(2_000, 50);

        assertThat(got).containsExactly("m0");
        assertThat(second).containsExactly("m1");
        int commit = broker.events().indexOf("commit T 1 1");
        assertThat(broker.events().subList(commit, broker.events().size())).contains("unlock");
        assertThat(broker.events().subList(0, commit)).doesNotContain("unlock");
    }

    @Test
    void aQueueThatComesBackWaitsForItsOldCallToEnd() {
        all.append(1, "m0");
        all.append(1, "m1");
        PushConsumer[] other = new PushConsumer[1];
        all.start(all.builder("c1").orderlyListener(messages -> {
            got.add(messages.get(0).bodyText());
            if (other[0] == null) {
                other[0] = all.start(all.builder("c2").orderlyListener(more -> ConsumeResult.LATER));
                all.world.run(2_000, 100);
                all.world.await(other[0].closeAsync(), 5_000);
                other[0].close();
                all.world.run(30_000, 500);
                assertThat(all.calls).as("a second call for the queue").isEmpty();
                assertThat(broker.locks().holder(GROUP, queue(1))).endsWith("@c1");
            }
            return ConsumeResult.SUCCESS;
        }));
        all.callNext();
        all.run(3_000, 50);

        assertThat(got).containsExactly("m0", "m1");
        assertThat(broker.locks().holder(GROUP, queue(1))).endsWith("@c1");
    }

    @Test
    void whatWasConsumedAfterTheLockWasLostIsNotCommitted() {
        all.append(0, "m0");
        all.start(all.builder("c1").orderlyListener(messages -> {
            broker.locks().give(GROUP, queue(0), "somebody else");
            all.world.run(25_000, 500);
            return ConsumeResult.SUCCESS;
        }));
        all.callNext();
        all.world.run(20_000, 500);

        assertThat(broker.events()).noneMatch(event -> event.equals("commit T 0 1"));
        assertThat(broker.locks().holder(GROUP, queue(0))).isEqualTo("somebody else");
    }

    @Test
    void aLockIsGivenBackWhenItsQueueGoesWhileStarting() {
        broker.staySilentAboutOffsets();
        PushConsumer consumer = all.builder("c1").orderlyListener(this::failBad).build();
        all.world.add(consumer.loop());
        var started = consumer.startAsync();
        all.world.run(500, 50);
        assertThat(started).isNotDone();
        assertThat(broker.locks().holder(GROUP, queue(0))).isNotNull();

        consumer.unsubscribe(TOPIC);
        all.world.run(5_000, 100);
        assertThat(broker.locks().holder(GROUP, queue(0))).isNull();
        assertThat(broker.locks().holder(GROUP, queue(1))).isNull();
    }

    @Test
    void orderlyBroadcastersDoNotExcludeEachOther(@TempDir Path folder) {
        List<String> second = new ArrayList<>();
        startFailing(all.builder("c1").model(MessageModel.BROADCASTING).offsetFolder(folder));
        all.start(all.builder("c2")
                .model(MessageModel.BROADCASTING)
                .offsetFolder(folder)
                .orderlyListener(messages -> {
                    second.add(messages.get(0).bodyText());
                    return ConsumeResult.SUCCESS;
                }));
        for (int i = 0; i < 4; i++) {
            all.append(i % 2, "m" + i);
        }
        all.run(3_000, 50);

        assertThat(got).containsExactlyInAnyOrder("m0/0", "m1/0", "m2/0", "m3/0");
        assertThat(second).containsExactlyInAnyOrder("m0", "m1", "m2", "m3");
        assertThat(broker.locks().count()).isZero();
    }
}
