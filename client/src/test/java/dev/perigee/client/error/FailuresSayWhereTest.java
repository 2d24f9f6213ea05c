package dev.perigee.client.error;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.ProducerWorld;
import dev.perigee.client.fake.World;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.WhenFull;
import dev.perigee.client.selector.MessageQueueSelector;
import dev.perigee.client.send.SendResult;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every failure of a send names address, topic, attempt and the time left of its deadline, on a clock set by hand. */
final class FailuresSayWhereTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);
    private static final long TIMEOUT_MS = 4_321;
    private static final long PASSED_MS = 137;
    private static final long LEFT_MS = TIMEOUT_MS - PASSED_MS;

    private ProducerWorld all;
    private World world;
    private FakeBroker broker;
    private Producer producer;

    @BeforeEach
    void oneBroker() throws Exception {
        all = new ProducerWorld(1);
        world = all.world();
        broker = all.broker();
        producer = producer(1_000);
    }

    private Producer producer(int bufferMessages) {
        return all.start(all.builder()
                .whenFull(WhenFull.FAIL)
                .sendTimeoutMs(TIMEOUT_MS)
                .callTimeoutMs(60_000)
                .bufferMessages(bufferMessages));
    }

    /** A send the broker was given and has not answered for a while. */
    private CompletableFuture<SendResult> unanswered() {
        broker.onSend(sent -> FakeBroker.SILENCE);
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m"), QUEUE);
        world.settle();
        world.clock().advanceMs(PASSED_MS);
        return result;
    }

    private <E extends ClientException> E failure(CompletableFuture<?> future, Class<E> type) {
        world.settle();
        assertThat(future).isCompletedExceptionally();
        return checked(Failures.unwrap(catchThrowable(future::join)), type);
    }

    private static <E extends ClientException> E checked(Throwable thrown, Class<E> type) {
        assertThat(thrown).isInstanceOf(type);
        E failure = type.cast(thrown);
        assertThat(failure).hasMessageContaining("[" + failure.site() + "]");
        return failure;
    }

    private FailureSite atBroker(int attempt, long remainingMs) {
        return new FailureSite(broker.address(), "T", attempt, remainingMs);
    }

    @Test
    void aRefusal() {
        CompletableFuture<SendResult> result = unanswered();
        broker.answerHeld(ResponseCode.MESSAGE_ILLEGAL, "scripted");
        assertThat(failure(result, RefusedException.class).site()).isEqualTo(atBroker(1, LEFT_MS));
    }

    @Test
    void aRefusalOfALaterTry() {
        broker.onSend(sent -> ResponseCode.SERVICE_NOT_AVAILABLE);
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m"));
        world.settle();
        world.run(PASSED_MS, 1);
        world.run(1_000, 1);
        // the pauses before the second and third try on the only broker are 50 and 100 ms
        assertThat(failure(result, RefusedException.class).site()).isEqualTo(atBroker(3, TIMEOUT_MS - 150));
    }

    @Test
    void aDeadlineThatPassed() {
        CompletableFuture<SendResult> result = unanswered();
        world.run(LEFT_MS + 200, 10);
        DeadlineExceededException late = failure(result, DeadlineExceededException.class);
        assertThat(late.site()).isEqualTo(atBroker(1, 0));
        assertThat(late.mayHaveTakenEffect()).isTrue();
    }

    @Test
    void aConnectionThatBreaks() {
        CompletableFuture<SendResult> result = unanswered();
        broker.close();
        UnreachableException broken = failure(result, UnreachableException.class);
        assertThat(broken.site()).isEqualTo(atBroker(1, LEFT_MS));
        assertThat(broken.mayHaveTakenEffect()).isTrue();
    }

    @Test
    void aConnectionThatCannotBeMade() {
        broker.close();
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m"), QUEUE);
        UnreachableException unreachable = failure(result, UnreachableException.class);
        assertThat(unreachable.site()).isEqualTo(atBroker(1, TIMEOUT_MS));
        assertThat(unreachable.mayHaveTakenEffect()).isFalse();
    }

    @Test
    void anAnswerThatCannotBeRead() {
        CompletableFuture<SendResult> result = unanswered();
        broker.answerHeldWithoutHeader();
        MalformedAnswerException malformed = failure(result, MalformedAnswerException.class);
        assertThat(malformed.site()).isEqualTo(atBroker(1, LEFT_MS));
        assertThat(malformed.mayHaveTakenEffect()).isTrue();
    }

    @Test
    void aProducerThatCloses() {
        CompletableFuture<SendResult> result = unanswered();
        producer.close();
        assertThat(failure(result, ClosedException.class).site()).isEqualTo(atBroker(1, LEFT_MS));
    }

    @Test
    void aProducerThatIsClosed() {
        producer.close();
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m"), QUEUE);
        assertThat(failure(result, ClosedException.class).site()).isEqualTo(FailureSite.untried("T", TIMEOUT_MS));
        assertThat(checked(catchThrowable(() -> producer.send(Message.of("T", "m"))), ClosedException.class)
                        .site())
                .isEqualTo(FailureSite.untried("T", TIMEOUT_MS));
        assertThat(checked(catchThrowable(() -> producer.queues("T")), ClosedException.class)
                        .site())
                .isEqualTo(FailureSite.untried("T", TIMEOUT_MS));
    }

    /** A send whose route the NameServer has not told for a while. */
    private CompletableFuture<SendResult> unrouted(String topic) {
        world.nameServer().hold(1);
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of(topic, "m"));
        world.settle();
        world.clock().advanceMs(PASSED_MS);
        return result;
    }

    @Test
    void aMissingRoute() {
        CompletableFuture<SendResult> result = unrouted("nowhere");
        world.nameServer().answerHeld();
        assertThat(failure(result, NoRouteException.class).site())
                .isEqualTo(new FailureSite(world.nameServer().address(), "nowhere", 1, LEFT_MS));
    }

    @Test
    void aRouteWithoutQueues() {
        world.nameServer().route("empty", 0, broker);
        CompletableFuture<SendResult> result = unrouted("empty");
        world.nameServer().answerHeld();
        assertThat(failure(result, NoRouteException.class).site()).isEqualTo(FailureSite.untried("empty", LEFT_MS));
    }

    @Test
    void aRouteThatCannotBeRead() {
        world.nameServer().garble("garbled");
        CompletableFuture<SendResult> result = unrouted("garbled");
        world.nameServer().answerHeld();
        assertThat(failure(result, MalformedAnswerException.class).site())
                .isEqualTo(new FailureSite(world.nameServer().address(), "garbled", 1, LEFT_MS));
    }

    @Test
    void aNameServerThatIsGone() {
        CompletableFuture<SendResult> result = unrouted("T");
        world.nameServer().close();
        assertThat(failure(result, NoNameServerException.class).site())
                .isEqualTo(new FailureSite(world.nameServer().address(), "T", 1, LEFT_MS));
    }

    @Test
    void aFullMemory() {
        Producer small = producer(1);
        broker.onSend(sent -> FakeBroker.SILENCE);
        CompletableFuture<SendResult> held = small.sendAsync(Message.of("T", "m"), QUEUE);
        MessageQueueSelector<String> slow = (queues, message, argument) -> {
            world.clock().advanceMs(PASSED_MS);
            return queues.get(0);
        };
        world.settle();
        assertThat(checked(catchThrowable(() -> small.send(Message.of("T", "m"), slow, "k")), BufferFullException.class)
                        .site())
                .isEqualTo(FailureSite.untried("T", LEFT_MS));
        assertThat(held).isNotDone();
    }

    @Test
    void aMessageBeyondALimit() {
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", new byte[0]));
        assertThat(failure(result, InvalidMessageException.class).site())
                .isEqualTo(FailureSite.untried("T", TIMEOUT_MS));
        assertThat(failure(producer.sendAsync(List.of()), InvalidMessageException.class)
                        .site())
                .isEqualTo(FailureSite.untried("-", TIMEOUT_MS));
    }

    @Test
    void anInterruptWhileASynchronousSendWaits() {
        broker.onSend(sent -> FakeBroker.SILENCE);
        CompletableFuture<SendResult> opener = producer.sendAsync(Message.of("T", "route and connection"), QUEUE);
        world.settle();
        MessageQueueSelector<String> slow = (queues, message, argument) -> {
            world.clock().advanceMs(PASSED_MS);
            return queues.get(0);
        };
        Thread.currentThread().interrupt();
        Throwable thrown = catchThrowable(() -> producer.send(Message.of("T", "m"), slow, "k"));
        assertThat(Thread.interrupted()).as("the interrupt stays set").isTrue();
        InterruptedCallException interrupted = checked(thrown, InterruptedCallException.class);
        assertThat(interrupted.site()).isEqualTo(atBroker(1, LEFT_MS));
        assertThat(interrupted.mayHaveTakenEffect()).isTrue();
        assertThat(opener).isNotDone();
    }

    @Test
    void anEarlierTryThatMayHaveBeenCarriedOutIsNotForgotten() throws Exception {
        FakeBroker other = world.broker("b");
        world.nameServer().route("T", 1, broker, other);
        broker.onSend(sent -> FakeBroker.SILENCE);
        other.onSend(sent -> ResponseCode.MESSAGE_ILLEGAL);
        CompletableFuture<SendResult> result;
        do { // until one takes the way over the silent broker
            result = producer.sendAsync(Message.of("T", "m"));
            world.settle();
        } while (result.isDone());
        broker.close();

        RefusedException refused = failure(result, RefusedException.class);
        assertThat(refused.site().address()).isEqualTo(other.address());
        assertThat(refused.site().attempt()).isEqualTo(2);
        assertThat(refused.mayHaveTakenEffect()).isTrue();
        assertThat(refused.getSuppressed())
                .singleElement()
                .isInstanceOfSatisfying(
                        UnreachableException.class,
                        earlier -> assertThat(earlier.site().address()).isEqualTo(broker.address()));
    }

    @Test
    void aFailureKeepsItsPlaceWhenItIsSentAsBytes() throws Exception {
        FailureSite site = new FailureSite("10.0.0.1:10911", "T", 2, 77);
        var bytes = new java.io.ByteArrayOutputStream();
        try (var out = new java.io.ObjectOutputStream(bytes)) {
            out.writeObject(new NoRouteException("w", site));
        }
        try (var in = new java.io.ObjectInputStream(new java.io.ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat(in.readObject())
                    .isInstanceOfSatisfying(
                            NoRouteException.class,
                            read -> assertThat(read.site()).isEqualTo(site));
        }
    }

    @Test
    void theSentenceForAPersonNamesPeerAndTopicOnceAndNoNumbersOfTheTry() {
        FailureSite site = new FailureSite("10.0.0.1:10911", "T9", 2, 77);
        assertThat(new RefusedException(16, "NO_PERMISSION", "r", true, site).sentence())
                .isEqualTo("refused code=16 NO_PERMISSION remark=\"r\" (topic T9, at 10.0.0.1:10911)");
        assertThat(new UnreachableException("10.0.0.1:10911 is gone with T9", site, null).sentence())
                .isEqualTo("10.0.0.1:10911 is gone with T9");
        assertThat(new NoRouteException("no route", FailureSite.untried(FailureSite.NONE, 77)).sentence())
                .isEqualTo("no route");
    }

    @Test
    void aFailureOfALongerOperationKeepsKindPlaceAndCause() {
        FailureSite site = new FailureSite("10.0.0.1:10911", "T", 2, 77);
        Throwable cause = new IllegalStateException("the cause");
        for (ClientException failure : List.of(
                new BufferFullException("w", site, cause),
                new ClosedException("w", site, cause),
                new CodecAbsentException("w", site, cause),
                new DeadlineExceededException("w", site, cause),
                new IncompleteSearchException("w", site),
                new InterruptedCallException("w", site, cause),
                new InvalidMessageException("f", "v", "l", site),
                new MalformedAnswerException("w", site, cause),
                new NoNameServerException("w", site, cause),
                new NoRouteException("w", site, cause),
                new RefusedException(16, "NO_PERMISSION", "r", true, site),
                new UnreachableException("w", site, cause))) {
            ClientException moved = failure.withRemainingMs(5);
            assertThat(moved).hasSameClassAs(failure);
            assertThat(moved)
                    .hasMessage(String.valueOf(failure.getMessage()).replace("remainingMs=77", "remainingMs=5"));
            assertThat(moved.site()).isEqualTo(site.withRemainingMs(5));
            assertThat(moved.getCause()).isSameAs(failure.getCause());
            assertThat(moved.isRetryable()).isEqualTo(failure.isRetryable());
            assertThat(moved.mayHaveTakenEffect()).isEqualTo(failure.mayHaveTakenEffect());
            assertThat(failure.withRemainingMs(77)).isSameAs(failure);
        }
    }
}
