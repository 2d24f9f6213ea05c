package dev.perigee.client.consumer;

import static dev.perigee.client.consumer.ConsumerWorld.GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.protocol.allocate.AllocateMessageQueueStrategy;
import dev.perigee.protocol.client.ConsumeDirectlyResult;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An error in code of the user leaves no request unanswered, no queue stuck and no loop dead. */
final class ErrorsOfUserCodeTest {
    private final List<String> got = new ArrayList<>();
    private final AtomicBoolean fails = new AtomicBoolean(true);
    private ConsumerWorld all;
    private FakeBroker broker;

    @BeforeEach
    void oneBrokerWithOneQueue() throws Exception {
        all = new ConsumerWorld(1);
        broker = all.broker;
        broker.answerSendBack(0);
    }

    private static Error error() {
        return new NoClassDefFoundError("expected by the test");
    }

    /** Threads of a user who looks at what his tasks throw. */
    private final Executor lenient = task -> all.calls.add(() -> {
        try {
            task.run();
        } catch (Error e) {
            got.add("error");
        }
    });

    /** Threads of a user of which the first cannot be started. */
    private final Executor exhaustedOnce = task -> {
        if (fails.getAndSet(false)) {
            throw new OutOfMemoryError("unable to create native thread, says the test");
        }
        all.calls.add(task);
    };

    private ConsumeResult failOnce(List<MessageExt> messages) {
        if (fails.getAndSet(false)) {
            throw error();
        }
        got.add(messages.get(0).bodyText());
        return ConsumeResult.SUCCESS;
    }

    private Answer<?> consumeDirectly() {
        broker.log().append("other", 0, "direct", "");
        ConsumeDirectlyHeader header = new ConsumeDirectlyHeader(GROUP, "c", null, "a", null, null, null);
        return all.world.await(
                broker.member(GROUP)
                        .call(
                                Rpcs.CONSUME_MESSAGE_DIRECTLY,
                                header,
                                broker.log().frame("other", 0, 0),
                                Deadline.after(all.world.clock(), 5_000)),
                1_000);
    }

    @Test
    void aDirectConsumptionIsAnsweredWithTheErrorOfTheListener() throws Exception {
        all.start(all.builder("c").executor(Runnable::run).listener(this::failOnce));
        ConsumeDirectlyResult result = Json.read(consumeDirectly().body(), ConsumeDirectlyResult.class);

        assertThat(result.consumeResult()).isEqualTo("CR_THROW_EXCEPTION");
        assertThat(result.remark()).contains("NoClassDefFoundError").contains("expected by the test");
    }

    @Test
    void aDirectConsumptionIsAnsweredWhenTheUsersThreadsTakeNoCall() {
        all.start(all.builder("c")
                .executor(task -> {
                    throw error();
                })
                .listener(this::failOnce));
        Answer<?> answer = consumeDirectly();

        assertThat(answer.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(answer.remarkText()).contains("expected by the test");
    }

    @Test
    void aMessageWhoseListenerCallEndsWithAnErrorGoesBackAndTheOthersAreConsumed() {
        for (int i = 0; i < 3; i++) {
            all.append(0, "m" + i);
        }
        all.start(all.builder("c").executor(lenient).listener(this::failOnce));
        all.run(6_000, 100);

        assertThat(got).containsExactly("error", "m1", "m2");
        assertThat(broker.sendBacks()).isEqualTo(1);
        assertThat(broker.offsets()).containsEntry("g@T@0", 3L);
    }

    @Test
    void threadsOfOurOwnGoOnAfterAnErrorOfTheListener() throws Exception {
        for (int i = 0; i < 40; i++) {
            all.append(0, "m" + i);
        }
        CountDownLatch done = new CountDownLatch(40);
        PushConsumer consumer = all.start(all.plain("c").threads(2).listener(messages -> {
            done.countDown();
            if (messages.get(0).queueOffset() % 2 == 0) {
                throw error();
            }
            return ConsumeResult.SUCCESS;
        }));
        for (int i = 0; i < 60_000 && !done.await(1, TimeUnit.MILLISECONDS); i++) {
            all.world.settle();
        }
        assertThat(done.getCount()).isZero();
        consumer.close();
    }

    @Test
    void anOrderlyQueueGoesOnAfterAnErrorOfTheListener() {
        all.append(0, "m0");
        all.append(0, "m1");
        all.start(all.builder("c").executor(lenient).suspendMs(1_000).orderlyListener(this::failOnce));
        all.run(8_000, 100);

        assertThat(got).containsExactly("error", "m0", "m1");
        assertThat(broker.offsets()).containsEntry("g@T@0", 2L);
    }

    @Test
    void usersThreadsThatCannotBeStartedDelayAMessage() {
        all.append(0, "m0");
        all.start(all.builder("c").executor(exhaustedOnce).listener(this::failOnce));
        all.run(12_000, 100);

        assertThat(got).containsExactly("m0");
        assertThat(broker.offsets()).containsEntry("g@T@0", 1L);
    }

    @Test
    void anOrderlyQueueWhoseThreadCannotBeStartedIsTriedAgain() {
        all.append(0, "m0");
        all.start(all.builder("c").executor(exhaustedOnce).orderlyListener(this::failOnce));
        all.run(12_000, 100);

        assertThat(got).containsExactly("m0");
    }

    @Test
    void aStrategyThatFailsWithAnErrorIsAskedAgainAtTheNextRound() {
        fails.set(false);
        AtomicBoolean strategyFails = new AtomicBoolean(true);
        all.append(0, "m0");
        all.start(all.builder("c")
                .strategy(new AllocateMessageQueueStrategy() {
                    @Override
                    public String name() {
                        return "AVG";
                    }

                    @Override
                    public List<MessageQueue> allocate(
                            String group, String self, List<MessageQueue> queues, List<String> members) {
                        if (strategyFails.get()) {
                            throw error();
                        }
                        return queues;
                    }
                })
                .listener(this::failOnce));
        all.run(1_000, 100);
        assertThat(got).isEmpty();
        strategyFails.set(false);
        all.run(25_000, 500);

        assertThat(got).containsExactly("m0");
    }
}
