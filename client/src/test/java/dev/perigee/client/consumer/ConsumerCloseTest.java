package dev.perigee.client.consumer;

import static dev.perigee.client.consumer.ConsumerWorld.GROUP;
import static dev.perigee.client.consumer.ConsumerWorld.queue;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.listener.ConsumeResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leaving in good order: what runs may end, then positions, locks and membership are given up. */
final class ConsumerCloseTest {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();
    private ConsumerWorld all;
    private FakeBroker broker;

    @BeforeEach
    void oneBrokerWithOneQueue() throws Exception {
        all = new ConsumerWorld(1);
        broker = all.broker;
        broker.answerSendBack(0);
    }

    @AfterEach
    void endThreads() throws Exception {
        mayEnd.countDown();
        for (Thread thread : threads) {
            thread.join(60_000);
        }
    }

    private void onThread(Runnable task) {
        Thread thread = new Thread(task, "user-thread");
        threads.add(thread);
        thread.start();
    }

    private ConsumeResult waitThen(ConsumeResult result) throws InterruptedException {
        begun.countDown();
        assertThat(mayEnd.await(60, TimeUnit.SECONDS)).isTrue();
        return result;
    }

    /** Ends the call that waits, with its result handed on. */
    private void endCall() throws InterruptedException {
        mayEnd.countDown();
        for (Thread thread : threads) {
            thread.join(60_000);
        }
    }

    @Test
    void closingWaitsForCallsOnTheUsersThreads() throws Exception {
        all.append(0, "m0");
        PushConsumer consumer = all.start(
                all.builder("c").executor(this::onThread).listener(messages -> waitThen(ConsumeResult.SUCCESS)));
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();

        CompletableFuture<Void> left = consumer.closeAsync();
        all.world.run(2_000, 100);
        assertThat(left).isNotDone();
        assertThat(broker.memberCount(GROUP)).isEqualTo(1);

        endCall();
        all.world.await(left, 1_000);
        assertThat(broker.offsets()).containsEntry("g@T@0", 1L);
        assertThat(broker.memberCount(GROUP)).isZero();

        all.world.run(60_000, 1_000);
        assertThat(broker.memberCount(GROUP)).as("heartbeats do not join again").isZero();
    }

    @Test
    void aMessageThatFailsDuringTheCloseStillGoesBack() throws Exception {
        all.append(0, "m0");
        PushConsumer consumer = all.start(
                all.builder("c").executor(this::onThread).listener(messages -> waitThen(ConsumeResult.LATER)));
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> left = consumer.closeAsync();
        all.world.settle();
        endCall();
        all.world.await(left, 1_000);

        assertThat(broker.sendBacks()).isEqualTo(1);
        assertThat(broker.offsets()).containsEntry("g@T@0", 1L);
    }

    @Test
    void closingCommitsThenUnlocksThenSaysGoodbye() {
        all.append(0, "m0");
        PushConsumer consumer = all.start(all.builder("c").orderlyListener(messages -> ConsumeResult.SUCCESS));
        all.callNext();
        all.world.await(consumer.closeAsync(), 1_000);

        assertThat(broker.events()).endsWith("commit T 0 1", "unlock", "goodbye");
        assertThat(broker.locks().count()).isZero();
    }

    @Test
    void theLockOfAQueueWhoseCallWaitsForAThreadIsGivenBackAtOnceAndTheCallNotMade() {
        List<String> got = new ArrayList<>();
        all.append(0, "m0");
        PushConsumer consumer = all.start(all.builder("c").orderlyListener(messages -> {
            got.add(messages.get(0).bodyText());
            return ConsumeResult.SUCCESS;
        }));
        assertThat(all.calls).hasSize(1);
        all.world.await(consumer.closeAsync(), 1_000);

        assertThat(broker.locks().count()).isZero();
        all.callNext();
        assertThat(got).isEmpty();
    }

    @Test
    void aCallThatDoesNotEndInTimeIsLeftToItselfAndKeepsItsLock() throws Exception {
        all.append(0, "m0");
        PushConsumer consumer = all.start(all.builder("c")
                .closeTimeoutMs(3_000)
                .executor(this::onThread)
                .orderlyListener(messages -> waitThen(ConsumeResult.SUCCESS)));
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> left = consumer.closeAsync();
        all.world.run(2_500, 100);
        assertThat(left).isNotDone();
        all.world.await(left, 1_000);

        assertThat(broker.memberCount(GROUP)).isZero();
        assertThat(broker.locks().holder(GROUP, queue(0))).isEqualTo(consumer.clientId());
    }

    @Test
    void aListenerMayCloseItsOwnConsumer() {
        all.append(0, "m0");
        PushConsumer[] consumer = new PushConsumer[1];
        consumer[0] = all.start(all.builder("c").listener(messages -> {
            all.world.await(consumer[0].closeAsync(), 1_000);
            return ConsumeResult.SUCCESS;
        }));
        all.callNext();

        assertThat(broker.memberCount(GROUP)).isZero();
        assertThat(consumer[0].closeAsync()).isDone();
    }

    @Test
    void callsThatHaveNotBegunAreNotMade() {
        List<String> got = new ArrayList<>();
        all.append(0, "m0");
        PushConsumer consumer = all.start(all.builder("c").listener(messages -> {
            got.add(messages.get(0).bodyText());
            return ConsumeResult.SUCCESS;
        }));
        all.world.await(consumer.closeAsync(), 1_000);
        all.callNext();

        assertThat(got).isEmpty();
        assertThat(broker.offsets().getOrDefault("g@T@0", 0L)).isZero();
    }
}
