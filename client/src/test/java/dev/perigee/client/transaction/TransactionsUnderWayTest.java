package dev.perigee.client.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.InterruptedCallException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeCluster;
import dev.perigee.client.fake.FakeProducers;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.SysFlag;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Transactions that are under way when something else happens: an interrupt, a check, the closing of the producer. */
final class TransactionsUnderWayTest {
    /** Its topic is not allowed, so nothing of it is under way before the producer is closed, when it is refused for that. */
    private static final Message REFUSED = Message.of("no topic!", "late");

    /** Either part of a listener. */
    private interface Part {
        @Nullable
        TransactionState run() throws Exception;
    }

    @RegisterExtension
    private final FakeCluster cluster = new FakeCluster();

    private final AtomicInteger checked = new AtomicInteger();
    private volatile Part local = () -> TransactionState.COMMIT;
    private volatile Part check = () -> TransactionState.COMMIT;
    private FakeBroker broker;

    private final TransactionListener listener = new TransactionListener() {
        @Override
        public @Nullable TransactionState execute(Message message, String transactionId, @Nullable Object argument)
                throws Exception {
            return local.run();
        }

        @Override
        public @Nullable TransactionState check(MessageExt half) throws Exception {
            checked.incrementAndGet();
            return check.run();
        }
    };

    @BeforeEach
    void open() throws Exception {
        broker = cluster.broker("a");
        cluster.nameServer().route("T", 1, broker);
    }

    private TransactionProducer producer(UnaryOperator<TransactionProducerBuilder> settings) {
        return cluster.transactions(listener, settings);
    }

    private static CompletableFuture<TransactionResult> sending(TransactionProducer producer) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return producer.send(Message.of("T", "m"), null);
            } catch (ClientException e) {
                throw new CompletionException(e);
            }
        });
    }

    private FakeProducers.HalfRecord half() {
        FakeCluster.await(() ->
                !broker.producers().halves().isEmpty() && broker.producers().isMember("tx"));
        return broker.producers().halves().get(0);
    }

    private static Part holding(CountDownLatch until) {
        return () -> {
            until.await();
            return TransactionState.COMMIT;
        };
    }

    @Test
    void anInterruptAfterTheListenerLeavesAResultAndItsFlag() throws Exception {
        broker.producers().answerDecisions(FakeBroker.SILENCE);
        TransactionProducer producer = producer(settings -> settings);
        local = () -> {
            Thread.currentThread().interrupt();
            return TransactionState.COMMIT;
        };
        TransactionResult result = producer.send(Message.of("T", "m"), null);
        assertThat(Thread.interrupted()).as("the flag").isTrue();
        assertThat(result.state()).isEqualTo(TransactionState.COMMIT);
        assertThat(result.settlement()).isEqualTo(Settlement.OPEN);
        assertThat(result.problem()).get().isInstanceOf(InterruptedCallException.class);
    }

    @Test
    void aCheckOfATransactionThatIsStillUnderWayIsNotPutToTheListener() {
        CountDownLatch hold = new CountDownLatch(1);
        local = holding(hold);
        TransactionProducer producer = producer(settings -> settings);
        CompletableFuture<TransactionResult> sent = sending(producer);
        broker.producers().check("tx", half());
        FakeCluster.await(() -> !broker.producers().decisions().isEmpty());
        assertThat(broker.producers().decisions())
                .extracting(EndTransactionHeader::commitOrRollback)
                .containsExactly(0);
        assertThat(broker.producers().calls()).as("one-way").isZero();
        hold.countDown();
        assertThat(sent.join().settlement()).isEqualTo(Settlement.ACCEPTED);
        assertThat(checked).hasValue(0);

        broker.producers().check("tx", half());
        FakeCluster.await(() -> producer.metrics().committed() == 2);
        assertThat(checked).as("it is over now").hasValue(1);
    }

    @Test
    void closingWaitsForATransactionUnderWayAndTakesNoOther() {
        CountDownLatch hold = new CountDownLatch(1);
        local = holding(hold);
        TransactionProducer producer = producer(settings -> settings);
        CompletableFuture<TransactionResult> sent = sending(producer);
        half();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(producer::close);
        FakeCluster.awaitAsserted(
                () -> assertThatThrownBy(() -> producer.send(REFUSED, null)).isInstanceOf(ClosedException.class));
        assertThat(closed).isNotDone();
        assertThat(broker.producers().isMember("tx")).isTrue();
        hold.countDown();
        assertThat(sent.join().settlement()).isEqualTo(Settlement.ACCEPTED);
        closed.join();
        assertThat(broker.producers().decisions())
                .extracting(EndTransactionHeader::commitOrRollback)
                .containsExactly(SysFlag.TRANSACTION_COMMIT);
        assertThat(producer.metrics().checksDropped()).isZero();
    }

    @Test
    void checksAreAnsweredWhileClosingWaits() {
        CountDownLatch hold = new CountDownLatch(1);
        local = holding(hold);
        TransactionProducer producer = producer(settings -> settings);
        CompletableFuture<TransactionResult> sent = sending(producer);
        FakeProducers.HalfRecord half = half();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(producer::close);
        FakeCluster.awaitAsserted(
                () -> assertThatThrownBy(() -> producer.send(REFUSED, null)).isInstanceOf(ClosedException.class));
        broker.producers().check("tx", half);
        FakeCluster.await(() -> producer.metrics().checksUndecided() == 1);
        assertThat(producer.metrics().checksDropped()).isZero();
        hold.countDown();
        sent.join();
        closed.join();
    }

    @Test
    void aProducerThatSaidGoodbyeIsNotMadeKnownAgainByAHeartbeat() throws Exception {
        CountDownLatch hold = new CountDownLatch(1);
        local = () -> TransactionState.UNKNOWN;
        check = holding(hold);
        TransactionProducer producer = producer(settings -> settings);
        producer.send(Message.of("T", "m"), null);
        broker.producers().check("tx", half());
        FakeCluster.await(() -> checked.get() == 1);
        CompletableFuture<Void> closed = CompletableFuture.runAsync(producer::close);
        FakeCluster.await(() -> !broker.producers().isMember("tx"));

        AtomicInteger beats = new AtomicInteger();
        broker.onHeartbeat(beats::incrementAndGet);
        producer.producer().instance().heartbeats().beatAll().join();
        assertThat(beats).hasValue(0);
        assertThat(closed).as("the check has its time").isNotDone();
        hold.countDown();
        closed.join();
    }

    @Test
    @Timeout(300)
    void aListenerMayCloseTheProducerThatCallsIt() throws Exception {
        TransactionProducer producer = producer(
                settings -> settings.producer(p -> p.sendTimeoutMs(600_000).callTimeoutMs(600_000)));
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        check = () -> {
            producer.close();
            interrupted.complete(Thread.currentThread().isInterrupted());
            return TransactionState.COMMIT;
        };
        local = () -> TransactionState.UNKNOWN;
        producer.send(Message.of("T", "m"), null);
        broker.producers().check("tx", half());
        assertThat(interrupted.get()).isFalse();
    }

    @Test
    @Timeout(300)
    void aLocalTransactionMayCloseTheProducerItIsSentWith() throws Exception {
        TransactionProducer producer = producer(
                settings -> settings.producer(p -> p.sendTimeoutMs(600_000).callTimeoutMs(600_000)));
        local = () -> {
            producer.close();
            return TransactionState.COMMIT;
        };
        assertThat(producer.send(Message.of("T", "m"), null).settlement()).isEqualTo(Settlement.OPEN);
    }

    @Test
    void anErrorOfACheckIsAnsweredWithUnknownAndTheNextCheckIsHeard() throws Exception {
        for (boolean isOnCaller : new boolean[] {false, true}) {
            TransactionProducer producer =
                    producer(settings -> isOnCaller ? settings.checkExecutor(Runnable::run) : settings);
            local = () -> TransactionState.UNKNOWN;
            producer.send(Message.of("T", "m"), null);
            check = () -> {
                throw new NoClassDefFoundError("expected by the test");
            };
            broker.producers().check("tx", half());
            FakeCluster.await(() -> producer.metrics().checksUndecided() == 1);
            check = () -> TransactionState.COMMIT;
            broker.producers().check("tx", half());
            FakeCluster.await(() -> producer.metrics().committed() == 1);
            assertThat(producer.metrics().checks()).isEqualTo(2);
            assertThat(producer.metrics().checksDropped()).isZero();
            producer.close();
            FakeCluster.await(() -> !broker.producers().isMember("tx"));
        }
    }

    @Test
    void anExecutorThatFailsAfterItHasRunTheCheckDropsNothing() throws Exception {
        TransactionProducer producer = producer(settings -> settings.checkExecutor(task -> {
            task.run();
            throw new IllegalStateException("after the check");
        }));
        local = () -> TransactionState.UNKNOWN;
        producer.send(Message.of("T", "m"), null);
        broker.producers().check("tx", half());
        FakeCluster.await(() -> producer.metrics().committed() == 1);
        assertThat(producer.metrics().checks()).isEqualTo(1);
        assertThat(producer.metrics().checksDropped()).isZero();
    }

    @Test
    void aNameThatIsNoTopicIsRefusedWhereItIsGiven() {
        for (String name : new String[] {"", "a b"}) {
            assertThatThrownBy(() -> TransactionProducer.builder()
                            .group("tx")
                            .listener(listener)
                            .topics("T", name)
                            .build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("topics: ");
        }
    }
}
