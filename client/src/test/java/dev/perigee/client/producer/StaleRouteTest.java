package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.client.error.BufferFullException;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeNameServer;
import dev.perigee.client.selector.MessageQueueSelector;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.remoting.netty.EventLoops;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sends by a route that says more queues than the topic has: it was just made, or it shrank. Over real sockets. */
final class StaleRouteTest {
    private static final MessageQueueSelector<String> LAST =
            (queues, message, argument) -> queues.get(queues.size() - 1);

    private final EventLoops loops = EventLoops.start("stale-route", 1);
    private final AtomicInteger queues = new AtomicInteger(4);
    private FakeNameServer nameServer;
    private FakeBroker broker;
    private Producer producer;

    @BeforeEach
    void open() throws Exception {
        nameServer = new FakeNameServer(loops, Clock.system());
        broker = new FakeBroker("a", loops, Clock.system());
        nameServer.route(SystemTopic.AUTO_CREATE, 8, broker);
        broker.onSend(sent -> sent.header().queueId() < queues.get() ? null : ResponseCode.INVALID_PARAMETER);
        use(settings -> settings);
    }

    private void use(UnaryOperator<ProducerBuilder> settings) {
        if (producer != null) {
            producer.close();
        }
        producer = settings.apply(Producer.builder()
                        .nameServers(nameServer.address())
                        .transport(loops)
                        .clientIp("127.0.0.1")
                        .group("p")
                        .callTimeoutMs(60_000)
                        .sendTimeoutMs(60_000)
                        .random(new Random(1)))
                .build();
        producer.start();
    }

    @AfterEach
    void close() {
        producer.close();
        broker.close();
        nameServer.close();
        loops.close();
    }

    private void sendsInEveryWay() throws Exception {
        for (int i = 0; i < 12; i++) {
            assertThat(producer.send(Message.of("T", "alone")).status()).isEqualTo(SendStatus.SEND_OK);
            assertThat(producer.send(List.of(Message.of("T", "one"), Message.of("T", "two")))
                            .status())
                    .isEqualTo(SendStatus.SEND_OK);
            List<CompletableFuture<SendResult>> gathered = new ArrayList<>();
            for (int k = 0; k < 5; k++) {
                gathered.add(producer.sendAsync(Message.of("T", "gathered")));
            }
            for (CompletableFuture<SendResult> each : gathered) {
                assertThat(each.get().queue().queueId()).isLessThan(queues.get());
            }
        }
        assertThat(producer.metrics().failed()).isZero();
    }

    @Test
    void aTopicWithFewerQueuesThanTheTemplateTakesEverySendBeforeItsRouteIsKnown() throws Exception {
        queues.set(1);
        sendsInEveryWay();
        assertThat(producer.metrics().retries()).as("queues that are not there").isPositive();
    }

    @Test
    void aTopicThatShrinksUnderARunningProducerLosesNoSend() throws Exception {
        nameServer.route("T", 4, broker);
        sendsInEveryWay();
        queues.set(1);
        nameServer.route("T", 1, broker);
        sendsInEveryWay();
        assertThat(producer.metrics().retries())
                .as("one refusal tells of all queues that are gone")
                .isEqualTo(1);
    }

    @Test
    void aTopicThatShrinksBeforeTheNameServerHearsOfItLosesNoSend() throws Exception {
        nameServer.route("T", 8, broker);
        sendsInEveryWay();
        queues.set(1);
        sendsInEveryWay();
    }

    @Test
    void aTopicThatHasNoQueueAtAllFailsWithinTheLimitOfTries() {
        nameServer.route("T", 4, broker);
        queues.set(0);
        assertThatThrownBy(() -> producer.send(Message.of("T", "m"))).isInstanceOf(RefusedException.class);
        assertThat(broker.sends()).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void aQueueTheCallerNamedIsNotExchanged() {
        nameServer.route("T", 4, broker);
        queues.set(1);
        MessageQueue gone = new MessageQueue("T", "a", 3);
        assertThatThrownBy(() -> producer.send(Message.of("T", "m"), gone))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ResponseCode.INVALID_PARAMETER));
        assertThat(broker.sends()).hasSize(1);
    }

    @Test
    void aSelectorChoosesAgainFromTheNewerRoute() throws Exception {
        nameServer.route("T", 4, broker);
        assertThat(producer.send(Message.of("T", "m"), LAST, "k").queue().queueId())
                .isEqualTo(3);
        queues.set(2);
        nameServer.route("T", 2, broker);
        assertThat(producer.send(Message.of("T", "m"), LAST, "k").queue().queueId())
                .isEqualTo(1);
        assertThat(broker.sends()).hasSize(3);
    }

    @Test
    void aSelectorWaitsForTheRouteThatSaysHowManyQueuesThereAre() throws Exception {
        queues.set(2);
        nameServer.route("T", 4, broker);
        assertThat(producer.queues("T")).hasSize(4);
        int askedBefore = nameServer.timesAsked();
        CompletableFuture<SendResult> sent = CompletableFuture.supplyAsync(() -> {
            try {
                return producer.send(Message.of("T", "m"), LAST, "k");
            } catch (ClientException e) {
                throw new CompletionException(e);
            }
        });
        Awaitility.await().atMost(ONE_MINUTE).until(() -> nameServer.timesAsked() >= askedBefore + 2);
        assertThat(sent).isNotDone();
        nameServer.route("T", 2, broker);
        assertThat(sent.get().queue().queueId()).isEqualTo(1);
        assertThat(broker.sends()).hasSize(2);
    }

    @Test
    void aRuleThatInsistsOnAQueueThatIsGoneFailsWithTheRefusal() {
        nameServer.route("T", 4, broker);
        queues.set(1);
        MessageQueueSelector<String> stubborn = (all, message, argument) -> new MessageQueue("T", "a", 3);
        nameServer.route("T", 1, broker);
        assertThatThrownBy(() -> producer.send(Message.of("T", "m"), stubborn, "k"))
                .isInstanceOf(RefusedException.class);
        assertThat(broker.sends()).hasSize(1);
    }

    /** Chooses the last queue first, and from a newer route what the test says. */
    private MessageQueueSelector<String> second(Function<List<MessageQueue>, MessageQueue> choice) {
        AtomicInteger times = new AtomicInteger();
        return (all, message, argument) -> times.incrementAndGet() == 1 ? all.get(all.size() - 1) : choice.apply(all);
    }

    private RefusedException refusalOf(MessageQueueSelector<String> selector) throws Exception {
        nameServer.route("T", 4, broker);
        assertThat(producer.queues("T")).hasSize(4);
        queues.set(1);
        nameServer.route("T", 1, broker);
        Throwable failure = catchThrowable(() -> producer.send(Message.of("T", "m"), selector, "k"));
        assertThat(failure).isInstanceOf(RefusedException.class);
        assertThat(broker.sends()).hasSize(1);
        return (RefusedException) failure;
    }

    @Test
    void aSelectorThatChoosesNothingTheSecondTimeIsNamedWithTheRefusal() throws Exception {
        assertThat(refusalOf(second(all -> null)).getSuppressed())
                .singleElement(as(THROWABLE))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("the selector chose no queue");
    }

    @Test
    void aQueueOfAnotherTopicIsRefusedAlsoTheSecondTime() throws Exception {
        assertThat(refusalOf(second(all -> new MessageQueue("U", "a", 0))).getSuppressed())
                .singleElement(as(THROWABLE))
                .isInstanceOf(InvalidMessageException.class)
                .hasMessageContaining("a queue of the message's topic");
    }

    @Test
    void aSelectorThatIsAskedAgainIsACallbackAndIsNotMadeToWaitForMemory() throws Exception {
        use(settings -> settings.bufferMessages(1));
        nameServer.route("T", 4, broker);
        assertThat(producer.queues("T")).hasSize(4);
        queues.set(1);
        nameServer.route("T", 1, broker);
        Queue<CompletableFuture<SendResult>> inside = new ConcurrentLinkedQueue<>();
        assertThat(producer.send(
                                Message.of("T", "m"),
                                second(all -> {
                                    inside.add(producer.sendAsync(Message.of("T", "inside")));
                                    return all.get(0);
                                }),
                                "k")
                        .status())
                .isEqualTo(SendStatus.SEND_OK);
        assertThat(inside).singleElement().satisfies(sent -> {
            assertThat(sent).isCompletedExceptionally();
            assertThat(Failures.unwrap(catchThrowable(sent::join))).isInstanceOf(BufferFullException.class);
        });
    }

    @Test
    void aTryThatWentToAQueueThatIsGoneDoesNotCount() throws Exception {
        use(settings -> settings.maxTries(1));
        nameServer.route("T", 4, broker);
        assertThat(producer.queues("T")).hasSize(4);
        queues.set(1);
        nameServer.route("T", 1, broker);
        for (int i = 0; i < 4; i++) {
            assertThat(producer.send(Message.of("T", "m")).status()).isEqualTo(SendStatus.SEND_OK);
        }
        assertThat(producer.send(Message.builder("T").body("m").orderKey("k").build())
                        .status())
                .isEqualTo(SendStatus.SEND_OK);
        broker.onSend(sent -> ResponseCode.SERVICE_NOT_AVAILABLE);
        int before = broker.sends().size();
        assertThatThrownBy(() -> producer.send(Message.of("T", "m"))).isInstanceOf(RefusedException.class);
        assertThat(broker.sends()).as("the others do").hasSize(before + 1);
    }

    @Test
    void aTopicThatCannotBeMadeFailsAtOnceAlsoInOrder() {
        queues.set(0);
        broker.refuseSaying(
                "topic[T] is not created: its defaultTopic[TBW102] has 0 write queues, at least 1 is needed");
        Message message = Message.builder("T").body("m").orderKey("k").build();
        int asked = broker.sends().size();
        assertThatThrownBy(() -> producer.sendOrdered(message))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("is not created");
        assertThatThrownBy(() -> producer.send(message, LAST, "k")).isInstanceOf(RefusedException.class);
        assertThatThrownBy(() -> producer.send(message)).isInstanceOf(RefusedException.class);
        assertThat(broker.sends()).hasSize(asked + 3);
    }

    @Test
    void anAsynchronousSendBySelectorFailsAndTheNextOneKnowsBetter() throws Exception {
        nameServer.route("T", 4, broker);
        assertThat(producer.queues("T")).hasSize(4);
        queues.set(2);
        nameServer.route("T", 2, broker);
        CompletableFuture<SendResult> first = producer.sendAsync(Message.of("T", "m"), LAST, "k");
        assertThatThrownBy(first::get)
                .satisfies(failure -> assertThat(Failures.unwrap(failure)).isInstanceOf(RefusedException.class));
        Awaitility.await().atMost(ONE_MINUTE).until(() -> producer.queues("T").size() == 2);
        assertThat(producer.sendAsync(Message.of("T", "m"), LAST, "k")
                        .get()
                        .queue()
                        .queueId())
                .isEqualTo(1);
    }
}
