package dev.perigee.client.consumer;

import static dev.perigee.client.consumer.ConsumerWorld.GROUP;
import static dev.perigee.client.consumer.ConsumerWorld.queue;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.listener.MessageListener;
import dev.perigee.client.queue.FlowLimits;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A concurrent listener on threads of our own: who makes its calls, and what a long one means for the others. */
final class ConcurrentCallsTest {
    private static final int MANY = 3_000;
    /** Calls after which one that took long, for the thread was held up in it, does not count any more. */
    private static final int WARM = 200;

    private final Queue<String> got = new ConcurrentLinkedQueue<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private ConsumerWorld all;
    private final List<PushConsumer> started = new ArrayList<>();

    @BeforeEach
    void oneBrokerWithOneQueue() throws Exception {
        all = new ConsumerWorld(1);
        all.broker.answerSendBack(0);
    }

    @AfterEach
    void close() {
        mayEnd.countDown();
        started.forEach(PushConsumer::close);
    }

    private void append(String prefix, int count) {
        for (int i = 0; i < count; i++) {
            all.append(0, prefix + i);
        }
    }

    private PushConsumer consumer() {
        return started.get(0);
    }

    private void start(int threads, MessageListener listener) {
        started.add(all.start(all.plain("c")
                .threads(threads)
                .pullBatchSize(1_000)
                .limits(new FlowLimits(2 * MANY, 1L << 40, 1L << 40))
                .listener(listener)));
    }

    /** Lets this world and the threads go on until it holds; the limit is for a machine that is busy. */
    private void await(BooleanSupplier holds) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
                    all.world.run(1, 1);
                    return holds.getAsBoolean();
                });
    }

    private ConsumerMetrics metrics() {
        return all.world.await(consumer().metrics(), 100);
    }

    private long commitOffset() {
        return Objects.requireNonNull(metrics().byQueue().get(queue(0))).commitOffset();
    }

    private ConsumeResult waitForTheEnd() throws InterruptedException {
        return mayEnd.await(60, TimeUnit.SECONDS) ? ConsumeResult.SUCCESS : ConsumeResult.LATER;
    }

    @Test
    void shortCallsOfManyMessagesAreMadeByOneThreadAndHandedBackInLumps() throws Exception {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        AtomicBoolean isWarm = new AtomicBoolean();
        append("first", WARM);
        start(20, messages -> {
            got.add(messages.get(0).bodyText());
            if (isWarm.get()) {
                threads.add(Thread.currentThread());
            }
            return ConsumeResult.SUCCESS;
        });
        await(() -> commitOffset() == WARM);
        isWarm.set(true);
        append("m", MANY);
        all.world.transport().runUntilIdle(1_000_000);
        int tasks = 0;
        while (got.size() < WARM + MANY) {
            all.world.transport().runUntilIdle(1_000_000);
            tasks += consumer().loop().doWork(all.world.clock().monotonicMs());
        }
        await(() -> commitOffset() == WARM + MANY);

        assertThat(threads.size()).as("threads for calls that take no time").isLessThan(20);
        assertThat(tasks).as("tasks on the client loop").isLessThan(MANY / 2);
        assertThat(got).hasSize(WARM + MANY).doesNotHaveDuplicates();
    }

    @Test
    void slowCallsAreSpreadOverAllThreadsAlsoWhenTheyWereShortBefore() throws Exception {
        AtomicInteger running = new AtomicInteger();
        append("short", 500);
        start(4, messages -> {
            got.add(messages.get(0).bodyText());
            if (messages.get(0).bodyText().startsWith("short")) {
                return ConsumeResult.SUCCESS;
            }
            running.incrementAndGet();
            return waitForTheEnd();
        });
        await(() -> commitOffset() == 500);
        append("slow", 10);
        await(() -> running.get() == 4);

        mayEnd.countDown();
        await(() -> commitOffset() == 510);
    }

    @Test
    void messagesBehindACallThatDoesNotEndAreConsumedAndNoneIsCommittedBeyondIt() throws Exception {
        append("short", 100);
        append("stuck", 1);
        append("behind", 40);
        start(2, messages -> {
            got.add(messages.get(0).bodyText());
            return messages.get(0).bodyText().startsWith("stuck") ? waitForTheEnd() : ConsumeResult.SUCCESS;
        });
        await(() -> got.size() == 141);
        await(() -> metrics().consumed() == 140);
        await(() -> metrics().cachedMessages() == 1);
        assertThat(commitOffset()).isEqualTo(100);

        mayEnd.countDown();
        await(() -> commitOffset() == 141);
    }

    @Test
    void whatEndedBeforeACallThatDoesNotEndIsCommittedAtOnce() throws Exception {
        append("m", 10);
        append("stuck", 1);
        start(1, messages -> {
            got.add(messages.get(0).bodyText());
            return messages.get(0).bodyText().startsWith("stuck") ? waitForTheEnd() : ConsumeResult.SUCCESS;
        });
        await(() -> got.size() == 11);
        all.world.run(6_000, 500);

        assertThat(all.broker.offsets()).containsEntry("g@T@0", 10L);
    }

    @Test
    void aConsumerThatHasNothingLeftSleeps() throws Exception {
        append("m", 100);
        start(4, messages -> ConsumeResult.SUCCESS);
        await(() -> commitOffset() == 100);
        all.world.run(30_000, 1_000);
        int passes = 0;
        for (int i = 0; i < 600; i++) {
            all.world.clock().advanceMs(100);
            all.world.transport().runUntilIdle(1_000);
            passes += consumer().loop().doWork(all.world.clock().monotonicMs()) > 0 ? 1 : 0;
            all.world.settle();
        }
        assertThat(passes).isLessThanOrEqualTo(60);
    }

    @Test
    void anInterruptOfOneCallIsNotSeenByTheNext() throws Exception {
        append("m", 50);
        AtomicInteger seen = new AtomicInteger();
        start(1, messages -> {
            if (Thread.interrupted()) {
                seen.incrementAndGet();
            }
            Thread.currentThread().interrupt();
            got.add(messages.get(0).bodyText());
            return ConsumeResult.SUCCESS;
        });
        await(() -> commitOffset() == 50);

        assertThat(seen).hasValue(0);
        assertThat(got).hasSize(50);
    }

    @Test
    void aDirectConsumptionHasItsTurnWhileABacklogIsConsumed() throws Exception {
        append("m", MANY);
        all.broker.log().append("other", 0, "direct", "");
        CountDownLatch begun = new CountDownLatch(1);
        start(1, messages -> {
            begun.countDown();
            got.add(messages.get(0).bodyText());
            return waitForTheEnd();
        });
        await(() -> metrics().cachedMessages() == MANY && begun.getCount() == 0);
        ConsumeDirectlyHeader header = new ConsumeDirectlyHeader(GROUP, "c", null, "a", null, null, null);
        var answer = all.broker
                .member(GROUP)
                .call(
                        Rpcs.CONSUME_MESSAGE_DIRECTLY,
                        header,
                        all.broker.log().frame("other", 0, 0),
                        Deadline.after(all.world.clock(), 5_000));
        all.world.settle();
        mayEnd.countDown();
        await(() -> commitOffset() == MANY);

        assertThat(answer).isDone();
        assertThat(List.copyOf(got).indexOf("direct")).isBetween(1, ConcurrentCalls.CALLS_PER_TASK + 1);
    }

    @Test
    void everyMessageIsGivenOnceToAListenerWhoseCallsTakeAllKindsOfTimes() throws Exception {
        append("m", MANY);
        start(8, messages -> {
            MessageExt message = messages.get(0);
            if (message.queueOffset() % 500 == 499) {
                new CountDownLatch(1).await(3, TimeUnit.MILLISECONDS);
            }
            got.add(message.bodyText());
            return ConsumeResult.SUCCESS;
        });
        await(() -> commitOffset() == MANY);

        assertThat(got).hasSize(MANY).doesNotHaveDuplicates();
    }
}
