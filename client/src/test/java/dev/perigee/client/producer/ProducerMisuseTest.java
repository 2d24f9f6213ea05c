package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.client.error.BufferFullException;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.ProducerWorld;
import dev.perigee.client.fake.World;
import dev.perigee.client.selector.MessageQueueSelector;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What users, brokers and name servers may do wrong, and what comes of it. */
@SuppressWarnings({"NullAway", "FutureReturnValueIgnored"}) // nulls users may bring; outcome() looks at the futures
final class ProducerMisuseTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);
    private static final MessageQueueSelector<String> FIRST = (queues, message, argument) -> queues.get(0);

    /** One way to send, giving the failure it ends with. */
    private interface Way {
        Object send(Producer producer, Message message, MessageQueue queue) throws Exception;
    }

    private ProducerWorld all;
    private World world;
    private FakeBroker broker;

    @BeforeEach
    void oneBroker() throws Exception {
        all = new ProducerWorld(2);
        world = all.world();
        broker = all.broker();
    }

    private Producer producer(WhenFull whenFull, int bufferMessages) {
        return all.start(
                all.builder().whenFull(whenFull).bufferMessages(bufferMessages).sendTimeoutMs(60_000));
    }

    private Producer producer() {
        return producer(WhenFull.FAIL, 1_000);
    }

    private static Throwable failure(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        return Failures.unwrap(catchThrowable(future::join));
    }

    static Stream<Arguments> ways() {
        Map<String, Way> ways = new LinkedHashMap<>();
        ways.put("synchronous", (p, m, q) -> p.send(m));
        ways.put("synchronous to a queue", (p, m, q) -> p.send(m, q));
        ways.put("synchronous by selector", (p, m, q) -> p.send(m, (queues, message, k) -> q, "k"));
        ways.put("explicit batch", (p, m, q) -> p.send(Arrays.asList(m)));
        ways.put("explicit batch to a queue", (p, m, q) -> p.send(Arrays.asList(m), q));
        ways.put("asynchronous", (p, m, q) -> p.sendAsync(m));
        ways.put("asynchronous to a queue", (p, m, q) -> p.sendAsync(m, q));
        ways.put("asynchronous by selector", (p, m, q) -> p.sendAsync(m, (queues, message, k) -> q, "k"));
        ways.put("asynchronous explicit batch", (p, m, q) -> p.sendAsync(Arrays.asList(m)));
        ways.put("one-way", (p, m, q) -> {
            p.sendOneway(m);
            return p;
        });
        ways.put("one-way to a queue", (p, m, q) -> {
            p.sendOneway(m, q);
            return p;
        });
        return ways.entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue()));
    }

    private static Throwable outcome(Way way, Producer producer, Message message, MessageQueue queue) {
        try {
            Object result = way.send(producer, message, queue);
            return result instanceof CompletableFuture<?> future ? failure(future) : new AssertionError(result);
        } catch (Exception e) {
            return e;
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ways")
    void everyWayRefusesAfterTheClose(String name, Way way) {
        Producer producer = producer();
        producer.close();
        producer.close();
        assertThat(outcome(way, producer, Message.of("T", "m"), QUEUE))
                .as(name)
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("closed")
                .hasMessageContaining("topic=T attempt=0 remainingMs=60000");
        assertThat(producer.metrics().bufferedMessages()).isZero();
        assertThatThrownBy(producer::start).hasMessageContaining("CLOSED");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ways")
    void everyWayRefusesBeforeTheStart(String name, Way way) {
        Producer producer = world.in(Producer.builder()).build();
        assertThat(outcome(way, producer, Message.of("T", "m"), QUEUE))
                .as(name)
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("not started");
        producer.close();
        producer.close();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ways")
    void everyWayRefusesNull(String name, Way way) {
        Producer producer = producer();
        assertThat(outcome(way, producer, null, QUEUE)).as(name).isInstanceOf(NullPointerException.class);
        assertThat(producer.metrics().bufferedMessages()).isZero();
        assertThat(producer.metrics().messages()).isZero();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ways")
    void noWayTakesAQueueOfAnotherTopic(String name, Way way) {
        if (!name.contains("queue") && !name.contains("selector")) {
            return;
        }
        Producer producer = producer();
        CompletableFuture<SendResult> opener = producer.sendAsync(Message.of("T", "brings the route"));
        world.settle();
        assertThat(opener).isCompleted();
        int sends = broker.sends().size();
        for (MessageQueue wrong : List.of(new MessageQueue("U", "a", 0), new MessageQueue("T", "a", -1))) {
            assertThat(outcome(way, producer, Message.of("T", "m"), wrong))
                    .as(name)
                    .isInstanceOf(InvalidMessageException.class)
                    .hasMessageContaining("queue=")
                    .hasMessageContaining("topic=T");
        }
        world.settle();
        assertThat(broker.sends()).hasSize(sends);
        assertThat(producer.metrics().bufferedMessages()).isZero();
    }

    @Test
    void noQueueIsNoChoice() {
        Producer producer = producer();
        Message message = Message.of("T", "m");
        MessageQueue none = null;
        assertThatThrownBy(() -> producer.send(message, none)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> producer.sendAsync(message, none)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> producer.sendOneway(message, none)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> producer.send(List.of(message), none)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> producer.send(List.of())).isInstanceOf(InvalidMessageException.class);
        assertThat(broker.sends()).isEmpty();
    }

    @Test
    void whatCannotShareABatchIsNamedAndNothingIsSent() {
        Producer producer = producer();
        Message plain = Message.of("T", "m");
        Map<String, Message> odd = new LinkedHashMap<>();
        odd.put("batch.topic=U", Message.of("U", "m"));
        odd.put(
                "batch.WAIT=false",
                Message.builder("T").body("m").waitForStore(false).build());
        odd.put("DELAY=3", Message.builder("T").body("m").delayLevel(3).build());
        odd.put("TIMER_DELAY_SEC=4", plain.withProperty(PropertyKey.TIMER_DELAY_SEC, "4"));
        odd.put("TIMER_DELAY_MS=5", Message.builder("T").body("m").delayMs(5).build());
        odd.put(
                "TIMER_DELIVER_MS=6",
                Message.builder("T").body("m").deliverAtMs(6).build());
        odd.put(
                "_SYS_MSG_PRIORITY_=1",
                Message.builder("T").body("m").priority(1).build());
        odd.put("MSG_TYPE=reply", plain.withProperty(PropertyKey.MESSAGE_TYPE, "reply"));
        odd.forEach((named, message) -> {
            assertThat(catchThrowable(() -> producer.send(List.of(plain, message))))
                    .as(named)
                    .isInstanceOf(InvalidMessageException.class)
                    .hasMessageContaining("invalid batch.")
                    .hasMessageContaining(named);
            assertThat(failure(producer.sendAsync(List.of(plain, message))))
                    .as(named)
                    .isInstanceOf(InvalidMessageException.class);
        });
        world.settle();
        assertThat(broker.sends()).isEmpty();
        assertThat(producer.metrics().bufferedMessages()).isZero();
    }

    @Test
    void noBatchIsEmptyOrGoesToARetryTopic() {
        Producer producer = producer();
        assertThatThrownBy(() -> producer.send(List.of()))
                .isInstanceOf(InvalidMessageException.class)
                .hasMessageContaining("batch.size=0 limit: at least one message");
        Message retry = Message.of("%RETRY%g", "m");
        assertThatThrownBy(() -> producer.send(List.of(retry, retry)))
                .isInstanceOf(InvalidMessageException.class)
                .hasMessageContaining("batch.topic=%RETRY%g");
        world.settle();
        assertThat(broker.sends()).isEmpty();
    }

    @Test
    void whatABatchCannotSayTravelsAlone() {
        Producer producer = producer();
        List<Message> alone = List.of(
                Message.builder("T").body("m").delayLevel(3).build(),
                Message.builder("T").body("m").delayMs(5).build(),
                Message.builder("T").body("m").deliverAtMs(6).build(),
                Message.builder("T").body("m").priority(1).build());
        List<CompletableFuture<SendResult>> sent = alone.stream()
                .map(message -> producer.sendAsync(message, QUEUE))
                .toList();
        world.settle();
        assertThat(sent).allSatisfy(result -> assertThat(result).isCompleted());
        assertThat(broker.sends())
                .hasSize(alone.size())
                .allSatisfy(request -> assertThat(request.code()).isEqualTo(RequestCode.SEND_MESSAGE_V2));
    }

    @Test
    void twoDelaysThatWereNotBuiltAreRefusedBeforeTheSend() {
        Producer producer = producer();
        Message both =
                Message.builder("T").body("m").delayLevel(3).build().withProperty(PropertyKey.TIMER_DELAY_MS, "5");
        assertThat(failure(producer.sendAsync(both)))
                .isInstanceOf(InvalidMessageException.class)
                .hasMessageContaining("DELAY=3 limit: not together with a TIMER_ property");
        assertThat(broker.sends()).isEmpty();
    }

    @Test
    void aNameServerThatAnswersGarbageFailsTheSendAndPoisonsNothing() {
        world.nameServer().garble("T");
        Producer producer = producer();
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m"), QUEUE);
        world.settle();
        assertThat(failure(result)).isInstanceOf(MalformedAnswerException.class);

        world.nameServer().garble("");
        assertThat(world.await(producer.sendAsync(Message.of("T", "m"), QUEUE), 1_000)
                        .status())
                .isEqualTo(SendStatus.SEND_OK);
    }

    @Test
    void anAnswerWithoutHeaderIsNotSentAgainBecauseItIsStored() {
        broker.onSend(sent -> FakeBroker.SILENCE);
        Producer producer = producer();
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m"));
        world.settle();
        broker.answerHeldWithoutHeader();
        world.run(1_000, 10);

        assertThat(failure(result)).isInstanceOf(MalformedAnswerException.class);
        assertThat(broker.sends()).hasSize(1);
        broker.onSend(sent -> null);
        assertThat(world.await(producer.sendAsync(Message.of("T", "m")), 1_000).status())
                .isEqualTo(SendStatus.SEND_OK);
    }

    @Test
    void callbacksThatThrowHarmNobodyElse() {
        Producer producer = producer();
        List<CompletableFuture<?>> results = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m" + i), QUEUE);
            results.add(result);
            CompletableFuture<Void> thrown = result.thenAccept(sent -> {
                throw new IllegalStateException("expected by the test");
            });
            assertThat(thrown).isNotNull();
        }
        world.settle();
        assertThat(results).allSatisfy(result -> assertThat(result).isCompleted());
        assertThat(results).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(broker.log().endOffset("T", 0)).isEqualTo(50);
        assertThat(producer.metrics().bufferedMessages()).isZero();
    }

    @Test
    void aCallbackNeverWaitsForMemory() {
        Producer producer = producer(WhenFull.BLOCK, 1);
        AtomicReference<CompletableFuture<SendResult>> second = new AtomicReference<>();
        AtomicReference<CompletableFuture<SendResult>> third = new AtomicReference<>();
        CompletableFuture<Void> first = producer.sendAsync(Message.of("T", "1"), QUEUE)
                .thenAccept(sent -> {
                    second.set(producer.sendAsync(Message.of("T", "2"), QUEUE));
                    third.set(producer.sendAsync(Message.of("T", "3"), QUEUE));
                });
        world.settle();
        assertThat(first).isCompletedWithValue(null);
        assertThat(second.get()).isCompleted();
        assertThat(failure(third.get())).isInstanceOf(BufferFullException.class);
    }

    @Test
    void aCallbackMayCloseTheProducer() {
        broker.onSend(sent -> sent.header().queueId() == 1 ? FakeBroker.SILENCE : null);
        Producer producer = producer();
        CompletableFuture<SendResult> silent = producer.sendAsync(Message.of("T", "m"), new MessageQueue("T", "a", 1));
        CompletableFuture<Void> closing =
                producer.sendAsync(Message.of("T", "m"), QUEUE).thenAccept(sent -> producer.close());
        world.settle();
        assertThat(closing).isCompletedWithValue(null);
        assertThat(failure(silent)).isInstanceOf(ClosedException.class);
        assertThat(producer.metrics().bufferedMessages()).isZero();
    }

    @Test
    void whoeverWaitsForMemoryIsSentAwayWhenTheProducerCloses() throws Exception {
        broker.onSend(sent -> FakeBroker.SILENCE);
        Producer producer = producer(WhenFull.BLOCK, 1);
        CompletableFuture<SendResult> holder = producer.sendAsync(Message.of("T", "takes it all"), QUEUE);
        world.settle();
        int sends = broker.sends().size();
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        Thread waiting = new Thread(() ->
                outcome.complete(catchThrowable(() -> producer.send(Message.of("T", "waits"), QUEUE))));
        waiting.start();
        Awaitility.await().atMost(ONE_MINUTE).until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        producer.close();
        world.settle();

        assertThat(outcome.get()).isInstanceOf(ClosedException.class).hasMessageContaining("topic=T attempt=0");
        assertThat(failure(holder)).isInstanceOf(ClosedException.class);
        assertThat(broker.sends()).hasSize(sends);
        assertThat(producer.metrics().bufferedMessages()).isZero();
    }

    @Test
    void anInterruptedSendStillGoesOn() {
        Producer producer = producer();
        Thread.currentThread().interrupt();
        assertThat(catchThrowable(() -> producer.send(Message.of("T", "m"), QUEUE)))
                .isInstanceOfSatisfying(
                        ClientException.class,
                        failure -> assertThat(failure.mayHaveTakenEffect()).isTrue());
        assertThat(Thread.interrupted()).isTrue();
        world.settle();
        assertThat(broker.log().endOffset("T", 0)).isEqualTo(1);
        assertThat(producer.metrics().bufferedMessages()).isZero();
    }

    @Test
    void aTopicThatLosesItsQueuesIsUsedAgainAsSoonAsItHasSome() {
        Producer producer = producer();
        assertThat(world.await(producer.sendAsync(Message.of("T", "m")), 1_000).status())
                .isEqualTo(SendStatus.SEND_OK);
        world.nameServer().route("T", 0, broker);
        world.run(31_000, 1_000);
        CompletableFuture<SendResult> lost = producer.sendAsync(Message.of("T", "m"));
        world.settle();
        assertThat(failure(lost)).isInstanceOf(NoRouteException.class).hasMessageContaining("no writable queue");
        assertThat(((ClientException) failure(lost)).isRetryable()).isTrue();

        world.nameServer().route("T", 2, broker);
        CompletableFuture<SendResult> asks = producer.sendAsync(Message.of("T", "has the route looked up"));
        world.settle();
        assertThat(asks).isCompletedExceptionally();
        assertThat(world.await(producer.sendAsync(Message.of("T", "m")), 1_000).status())
                .isEqualTo(SendStatus.SEND_OK);
    }

    @Test
    void theOnlyBrokerIsTriedAgainAfterAPause() {
        int[] refusals = {2};
        broker.onSend(sent -> refusals[0]-- > 0 ? ResponseCode.SERVICE_NOT_AVAILABLE : null);
        Producer producer = producer();
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m"));
        world.settle();
        assertThat(broker.sends()).hasSize(1);
        world.run(49, 1);
        assertThat(broker.sends()).hasSize(1);
        world.run(1, 1);
        assertThat(broker.sends()).hasSize(2);
        world.run(100, 1);
        assertThat(result).isCompleted();
        assertThat(result).isNotCompletedExceptionally();
    }

    @Test
    void theSelectorIsAskedOnceAndWithTheWholeList() {
        List<Integer> sizes = new ArrayList<>();
        Producer producer = producer();
        CompletableFuture<SendResult> result = producer.sendAsync(
                Message.of("T", "m"),
                (queues, message, argument) -> {
                    sizes.add(queues.size());
                    return FIRST.select(queues, message, "k");
                },
                "k");
        world.settle();
        assertThat(result).isCompleted();
        assertThat(sizes).containsExactly(2);
    }
}
