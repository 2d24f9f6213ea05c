package dev.perigee.client.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeCluster;
import dev.perigee.client.fake.FakeNameServer;
import dev.perigee.client.fake.FakeProducers;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.send.SendStatus;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.SystemTopic;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages sent in transactions, and the questions of brokers about them, over real sockets. */
final class TransactionProducerTest {
    /** Does what the test says, and remembers what it was asked. */
    private static final class Script implements TransactionListener {
        private final Queue<String> executed = new ConcurrentLinkedQueue<>();
        private final Queue<MessageExt> checked = new ConcurrentLinkedQueue<>();
        private volatile Local local = () -> TransactionState.COMMIT;
        private volatile Local check = () -> TransactionState.COMMIT;

        private interface Local {
            @Nullable
            TransactionState run() throws Exception;
        }

        @Override
        public @Nullable TransactionState execute(Message message, String transactionId, @Nullable Object argument)
                throws Exception {
            executed.add(message.bodyText() + " " + transactionId + " " + argument);
            return local.run();
        }

        @Override
        public @Nullable TransactionState check(MessageExt half) throws Exception {
            checked.add(half);
            return check.run();
        }
    }

    @RegisterExtension
    private final FakeCluster cluster = new FakeCluster();

    private final FakeNameServer nameServer = cluster.nameServer();
    private final Script script = new Script();
    private FakeBroker a;
    private FakeBroker b;
    private @Nullable TransactionProducer opened;

    @BeforeEach
    void open() throws Exception {
        a = cluster.broker("a");
        b = cluster.broker("b");
        nameServer.route("T", 1, a);
    }

    private TransactionProducer producer(UnaryOperator<TransactionProducerBuilder> settings) {
        TransactionProducer producer = cluster.transactions(script, settings);
        opened = producer;
        return producer;
    }

    private TransactionProducer producer() {
        return producer(settings -> settings);
    }

    private TransactionMetrics metrics() {
        return Objects.requireNonNull(opened).metrics();
    }

    private FakeBroker brokerOf(FakeBroker.Sent sent) {
        return "a".equals(sent.header().brokerName()) ? a : b;
    }

    private EndTransactionHeader onlyDecision() {
        assertThat(a.producers().decisions()).hasSize(1);
        return a.producers().decisions().get(0);
    }

    @Test
    void aCommittedTransactionIsAHalfMessageThenOneDecision() throws Exception {
        TransactionResult result = producer().send(Message.of("T", "paid"), "order-7");

        FakeBroker.Sent half = a.sends().get(0);
        PropertyText properties = Objects.requireNonNull(half.header().properties());
        assertThat(SysFlag.transaction(half.header().sysFlag())).isEqualTo(SysFlag.TRANSACTION_PREPARED);
        assertThat(properties.get(PropertyKey.TRANSACTION_PREPARED)).isEqualTo("true");
        assertThat(properties.get(PropertyKey.PRODUCER_GROUP)).isEqualTo("tx");

        String key = properties.get(PropertyKey.UNIQ_KEY);
        assertThat(script.executed).containsExactly("paid " + key + " order-7");
        FakeProducers.HalfRecord stored = a.producers().halves().get(0);
        assertThat(onlyDecision())
                .isEqualTo(new EndTransactionHeader(
                        "T",
                        "tx",
                        stored.queueOffset(),
                        stored.physicalOffset(),
                        SysFlag.TRANSACTION_COMMIT,
                        false,
                        String.valueOf(key),
                        key));
        assertThat(result.state()).isEqualTo(TransactionState.COMMIT);
        assertThat(result.settlement()).isEqualTo(Settlement.ACCEPTED);
        assertThat(result.transactionId()).isEqualTo(key);
        assertThat(result.problem()).isEmpty();
        assertThat(metrics()).isEqualTo(new TransactionMetrics(1, 1, 0, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void theTwoOffsetsOfADecisionAreNotMixedUp() throws Exception {
        TransactionProducer producer = producer();
        producer.send(Message.of("T", "first"), null);
        producer.send(Message.of("T", "second"), null);
        EndTransactionHeader second = a.producers().decisions().get(1);
        assertThat(second.tranStateTableOffset()).isEqualTo(1);
        assertThat(second.commitLogOffset())
                .isEqualTo(a.producers().halves().get(1).physicalOffset())
                .isGreaterThan(1);
    }

    @Test
    void aRollbackOfTheListenerIsTold() throws Exception {
        script.local = () -> TransactionState.ROLLBACK;
        TransactionResult result = producer().send(Message.of("T", "m"), null);
        assertThat(onlyDecision().commitOrRollback()).isEqualTo(SysFlag.TRANSACTION_ROLLBACK);
        assertThat(result.settlement()).isEqualTo(Settlement.ACCEPTED);
        assertThat(metrics().rolledBack()).isEqualTo(1);
    }

    @Test
    void aHalfThatIsNotStoredAsItShouldBeIsRolledBackWithoutTheListener() throws Exception {
        a.onSend(sent -> ResponseCode.FLUSH_DISK_TIMEOUT);
        TransactionResult result = producer().send(Message.of("T", "m"), null);
        assertThat(result.sent().status()).isEqualTo(SendStatus.FLUSH_DISK_TIMEOUT);
        assertThat(script.executed).isEmpty();
        assertThat(result.state()).isEqualTo(TransactionState.ROLLBACK);
        assertThat(onlyDecision().commitOrRollback()).isEqualTo(SysFlag.TRANSACTION_ROLLBACK);
    }

    @Test
    void nothingIsToldWhereNothingIsKnown() throws Exception {
        IOException failure = new IOException("the database is away");
        List<Script.Local> locals = List.of(() -> TransactionState.UNKNOWN, () -> null, () -> {
            throw failure;
        });
        TransactionProducer producer = producer();
        for (Script.Local local : locals) {
            script.local = local;
            TransactionResult result = producer.send(Message.of("T", "m"), null);
            assertThat(result.state()).isEqualTo(TransactionState.UNKNOWN);
            assertThat(result.settlement()).isEqualTo(Settlement.OPEN);
            assertThat(result.problem().isPresent()).isEqualTo(local == locals.get(2));
        }
        script.local = () -> TransactionState.COMMIT;
        producer.send(Message.of("T", "the last one"), null);
        assertThat(onlyDecision().commitOrRollback())
                .as("the only decision is the last one's")
                .isEqualTo(SysFlag.TRANSACTION_COMMIT);
    }

    @Test
    void aContraryDecisionIsKnown() throws Exception {
        a.producers().answerDecisions(ResponseCode.ILLEGAL_OPERATION);
        TransactionResult result = producer().send(Message.of("T", "m"), null);
        assertThat(result.state()).isEqualTo(TransactionState.COMMIT);
        assertThat(result.settlement()).isEqualTo(Settlement.REFUSED);
        assertThat(result.problem())
                .get()
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ResponseCode.ILLEGAL_OPERATION));
        assertThat(metrics().refused()).isEqualTo(1);
    }

    @Test
    void aDecisionThatIsNotAnsweredIsOpenAndMadeOnce() throws Exception {
        a.producers().answerDecisions(FakeBroker.SILENCE);
        TransactionResult result = sentWithinCallsAsShortAsTheMachineAllows();
        assertThat(result.settlement()).isEqualTo(Settlement.OPEN);
        assertThat(result.problem()).get().isInstanceOf(DeadlineExceededException.class);
        assertThat(onlyDecision().commitOrRollback()).isEqualTo(SysFlag.TRANSACTION_COMMIT);
        assertThat(metrics().open()).isEqualTo(1);
    }

    private TransactionResult sentWithinCallsAsShortAsTheMachineAllows() throws Exception {
        for (int callTimeoutMs = 200; ; callTimeoutMs *= 4) {
            int limitMs = callTimeoutMs;
            try {
                return producer(settings -> settings.producer(p -> p.callTimeoutMs(limitMs)))
                        .send(Message.of("T", "m"), null);
            } catch (ClientException e) {
                assertThat(limitMs)
                        .as("the half message was not sent in time: %s", e)
                        .isLessThan(60_000);
            }
        }
    }

    @Test
    void aRefusedHalfIsTriedAgainAndALostOneIsNot() throws Exception {
        nameServer.route("T", 1, a, b);
        AtomicInteger sends = new AtomicInteger();
        FakeBroker.SendScript refuseFirst =
                sent -> sends.getAndIncrement() == 0 ? ResponseCode.SERVICE_NOT_AVAILABLE : null;
        a.onSend(refuseFirst);
        b.onSend(refuseFirst);
        TransactionProducer producer = producer();
        assertThat(producer.send(Message.of("T", "refused once"), null).settlement())
                .isEqualTo(Settlement.ACCEPTED);
        assertThat(sends.get()).isEqualTo(2);

        sends.set(0);
        FakeBroker.SendScript breakFirst = sent -> {
            if (sends.getAndIncrement() == 0) {
                brokerOf(sent).producers().cut("tx");
                return FakeBroker.SILENCE;
            }
            return null;
        };
        a.onSend(breakFirst);
        b.onSend(breakFirst);
        FakeCluster.await(() -> a.producers().isMember("tx") && b.producers().isMember("tx"));
        assertThatThrownBy(() -> producer.send(Message.of("T", "lost"), null))
                .isInstanceOfSatisfying(
                        ClientException.class,
                        failure -> assertThat(failure.mayHaveTakenEffect()).isTrue());
        assertThat(sends.get())
                .as("a second half would have an outcome of its own")
                .isEqualTo(1);
        assertThat(script.executed).hasSize(1);
    }

    @Test
    void anOrdinaryMessageIsTriedAgainAfterALostAnswer() throws Exception {
        nameServer.route("T", 1, a, b);
        TransactionProducer producer = producer(settings -> settings.topics("T"));
        FakeCluster.await(() -> a.producers().isMember("tx") && b.producers().isMember("tx"));
        AtomicInteger sends = new AtomicInteger();
        FakeBroker.SendScript breakFirst = sent -> {
            if (sends.getAndIncrement() == 0) {
                brokerOf(sent).producers().cut("tx");
                return FakeBroker.SILENCE;
            }
            return null;
        };
        a.onSend(breakFirst);
        b.onSend(breakFirst);
        assertThat(producer.producer().send(Message.of("T", "plain")).status()).isEqualTo(SendStatus.SEND_OK);
        assertThat(sends.get()).isEqualTo(2);
    }

    private FakeProducers.HalfRecord undecidedHalf(TransactionProducer producer, Message message) throws Exception {
        script.local = () -> TransactionState.UNKNOWN;
        producer.send(message, null);
        FakeCluster.await(() -> a.producers().isMember("tx"));
        return a.producers().halves().get(0);
    }

    @Test
    void aCheckIsAnsweredWithTheNumbersItCameWith() throws Exception {
        String body = "long ".repeat(2_000);
        Message message = Message.builder("T").body(body).tag("tag").build();
        FakeProducers.HalfRecord half = undecidedHalf(producer(), message);
        script.check = () -> TransactionState.ROLLBACK;
        FakeProducers.HalfRecord moved = new FakeProducers.HalfRecord(77, 1L << 40, half.uniqueKey(), half.frame());
        a.producers().check("tx", moved);

        FakeCluster.awaitAsserted(() -> assertThat(a.producers().decisions()).hasSize(1));
        assertThat(onlyDecision())
                .isEqualTo(new EndTransactionHeader(
                        SystemTopic.HALF,
                        "tx",
                        77,
                        1L << 40,
                        SysFlag.TRANSACTION_ROLLBACK,
                        true,
                        half.uniqueKey(),
                        half.uniqueKey()));
        MessageExt asked = script.checked.remove();
        assertThat(asked.topic()).isEqualTo("T");
        assertThat(asked.bodyText()).as("it travelled compressed").isEqualTo(body);
        assertThat(asked.tag()).isEqualTo("tag");
        assertThat(asked.messageId()).isEqualTo(half.uniqueKey());
        FakeCluster.await(() -> metrics().rolledBack() == 1);
    }

    @Test
    void aCheckWithoutADecisionIsAnsweredOneWayWithNone() throws Exception {
        FakeProducers.HalfRecord half = undecidedHalf(producer(), Message.of("T", "m"));
        List<Script.Local> unknowing = List.of(() -> TransactionState.UNKNOWN, () -> null, () -> {
            throw new IOException("the database is away");
        });
        for (int i = 0; i < unknowing.size(); i++) {
            script.check = unknowing.get(i);
            a.producers().check("tx", half);
            int soFar = i + 1;
            FakeCluster.await(() -> metrics().checksUndecided() == soFar);
        }
        script.check = () -> TransactionState.COMMIT;
        a.producers().check("tx", half);
        FakeCluster.await(() -> metrics().committed() == 1);
        assertThat(a.producers().decisions())
                .extracting(EndTransactionHeader::commitOrRollback)
                .containsExactly(0, 0, 0, SysFlag.TRANSACTION_COMMIT);
        assertThat(a.producers().decisions()).allMatch(EndTransactionHeader::fromTransactionCheck);
        assertThat(a.producers().calls())
                .as("a stock broker would not answer the others")
                .isEqualTo(1);
        assertThat(metrics().checks()).isEqualTo(4);
    }

    @Test
    void checksBeyondTheQueueAreDroppedAndCounted() throws Exception {
        TransactionProducer producer =
                producer(settings -> settings.checkThreads(1).checkQueue(2));
        FakeProducers.HalfRecord half = undecidedHalf(producer, Message.of("T", "m"));
        CountDownLatch hold = new CountDownLatch(1);
        script.check = () -> {
            hold.await();
            return TransactionState.COMMIT;
        };
        a.producers().check("tx", half);
        FakeCluster.await(() -> !script.checked.isEmpty());
        for (int i = 0; i < 5; i++) {
            a.producers().check("tx", half);
        }
        FakeCluster.await(() -> producer.metrics().checksDropped() == 3);
        hold.countDown();
        FakeCluster.await(() -> producer.metrics().committed() == 3);
        assertThat(script.checked).hasSize(3);
        assertThat(producer.metrics().checks()).isEqualTo(6);
    }

    @Test
    void aCheckOfAnotherGroupIsNoBusinessOfThisOne() throws Exception {
        TransactionProducer producer = producer();
        undecidedHalf(producer, Message.of("T", "m"));
        producer.producer()
                .half(Message.of("T", "foreign").withProperty(PropertyKey.PRODUCER_GROUP, "another"))
                .result()
                .join();
        a.producers().check("tx", a.producers().halves().get(1));
        byte[] garbage = {1, 2, 3};
        a.producers().check("tx", new FakeProducers.HalfRecord(1, 2, "K", garbage));
        FakeCluster.await(() -> producer.metrics().checksForeign() == 2);
        assertThat(script.checked).isEmpty();
        assertThat(a.producers().decisions()).isEmpty();
    }

    @Test
    void aPlainProducerOfTheGroupLeavesChecksToOthers() throws Exception {
        TransactionProducer transactional = producer();
        FakeProducers.HalfRecord half = undecidedHalf(transactional, Message.of("T", "m"));
        transactional.close();
        FakeCluster.await(() -> !a.producers().isMember("tx"));
        try (Producer plain = cluster.producer(settings -> settings.group("tx"))) {
            plain.send(Message.of("T", "plain"));
            FakeCluster.await(() -> a.producers().isMember("tx"));
            a.producers().check("tx", half);
            FakeCluster.await(() -> plain.metrics().foreignChecks() == 1);
        }
        assertThat(a.producers().decisions()).isEmpty();
    }

    @Test
    void aProducerThatHasSentNothingYetIsKnownWhereItSaysItsTopicsAre() {
        nameServer.route(SystemTopic.AUTO_CREATE, 1, b);
        producer(settings -> settings.topics("T"));
        FakeCluster.await(() -> a.producers().isMember("tx") && b.producers().isMember("tx"));
    }

    @Test
    void theUsersExecutorAnswersAndMayRefuse() throws Exception {
        AtomicInteger tasks = new AtomicInteger();
        CompletableFuture<Runnable> first = new CompletableFuture<>();
        TransactionProducer producer = producer(settings -> settings.checkExecutor(task -> {
            if (tasks.getAndIncrement() > 0) {
                throw new IllegalStateException("enough");
            }
            first.complete(task);
        }));
        FakeProducers.HalfRecord half = undecidedHalf(producer, Message.of("T", "m"));
        a.producers().check("tx", half);
        first.get().run();
        FakeCluster.await(() -> producer.metrics().committed() == 1);
        a.producers().check("tx", half);
        FakeCluster.await(() -> producer.metrics().checksDropped() == 1);
    }

    @Test
    void whatIsMissingIsNamed() {
        assertThatThrownBy(() -> TransactionProducer.builder().group("tx").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group=tx needs a listener");
        assertThatThrownBy(() -> TransactionProducer.builder().listener(script).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group");
        assertThatThrownBy(() -> TransactionProducer.builder()
                        .group("tx")
                        .listener(script)
                        .checkQueue(0)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("checkQueue=0");
    }
}
