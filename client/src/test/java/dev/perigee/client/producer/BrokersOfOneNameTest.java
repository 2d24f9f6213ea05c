package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeCluster;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.client.transaction.Settlement;
import dev.perigee.client.transaction.TransactionListener;
import dev.perigee.client.transaction.TransactionProducer;
import dev.perigee.client.transaction.TransactionResult;
import dev.perigee.client.transaction.TransactionState;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sends while the master of a name goes: the others of the name are asked, and a new master is found. Over real sockets. */
final class BrokersOfOneNameTest {
    private static final String TOPIC = "T";
    private static final int QUEUES = 2;

    @RegisterExtension
    private final FakeCluster cluster = new FakeCluster();

    private FakeBroker first;
    private FakeBroker second;
    private Producer producer;

    @BeforeEach
    void start() throws Exception {
        first = cluster.broker("a");
        second = cluster.broker("a");
        first.queues(TOPIC, QUEUES);
        second.queues(TOPIC, QUEUES);
        producer = cluster.producer(settings -> settings);
    }

    private void route(Map<Long, String> addresses) {
        cluster.nameServer().routeToOneName(TOPIC, QUEUES, addresses);
    }

    @Test
    void aSendGoesToAnotherOneOfTheNameWhenTheMasterIsGone() throws Exception {
        route(Map.of(0L, first.address(), 1L, second.address()));
        assertThat(producer.send(Message.of(TOPIC, "before")).status()).isEqualTo(SendStatus.SEND_OK);

        first.close();

        assertThat(producer.send(Message.of(TOPIC, "after")).status()).isEqualTo(SendStatus.SEND_OK);
        assertThat(producer.send(Message.of(TOPIC, "in a queue"), new MessageQueue(TOPIC, "a", 1))
                        .status())
                .isEqualTo(SendStatus.SEND_OK);
        assertThat(second.sends()).hasSize(2);
    }

    @Test
    void aSendWaitsForAMasterWhileNoneIsKnown() throws Exception {
        route(Map.of(1L, second.address()));
        AtomicInteger refusals = new AtomicInteger(5);
        second.onSend(sent -> refusals.decrementAndGet() >= 0 ? ResponseCode.SYSTEM_BUSY : null);

        assertThat(producer.send(Message.of(TOPIC, "patient")).status()).isEqualTo(SendStatus.SEND_OK);
        assertThat(second.sends()).hasSize(6);
    }

    @Test
    void aSendLeavesAMasterThatStandsStillForTheOneThatTookItsPlace() {
        route(Map.of(0L, first.address(), 1L, second.address()));
        first.onSend(sent -> FakeBroker.SILENCE);
        CompletableFuture<SendResult> sent = producer.sendAsync(Message.of(TOPIC, "left"));
        FakeCluster.await(() -> first.sends().size() == 1);

        route(Map.of(0L, second.address(), 1L, first.address()));

        FakeCluster.await(() -> second.sends().size() == 1); // and not at the end of the send's minute
        assertThat(sent.join().status()).isEqualTo(SendStatus.SEND_OK);
        first.answerHeld(ResponseCode.SYSTEM_ERROR, "it is awake again"); // nobody listens
        assertThat(producer.sendAsync(Message.of(TOPIC, "next")).join().status())
                .isEqualTo(SendStatus.SEND_OK);
        assertThat(first.sends()).hasSize(1);
    }

    @Test
    void aRouteThatNamesNoMasterIsLookedAtAgainWhenASendWentThrough() throws Exception {
        route(Map.of(1L, second.address()));
        assertThat(producer.send(Message.of(TOPIC, "by chance")).status()).isEqualTo(SendStatus.SEND_OK);

        route(Map.of(0L, first.address(), 1L, second.address()));

        FakeCluster.await(() -> {
            SendResult unused = producer.send(Message.of(TOPIC, "again"));
            return !first.sends().isEmpty();
        });
    }

    /** Decides once the client has seen that the master is gone. */
    private final class MasterGoesMeanwhile implements TransactionListener {
        private @Nullable TransactionProducer transactions;

        @Override
        public TransactionState execute(Message message, String transactionId, @Nullable Object argument) {
            ClientInstance client =
                    Objects.requireNonNull(transactions).producer().instance();
            first.close();
            FakeCluster.await(
                    () -> client.remoting().connection(first.address()).isEmpty());
            return TransactionState.COMMIT;
        }

        @Override
        public TransactionState check(MessageExt half) {
            return TransactionState.UNKNOWN;
        }
    }

    @Test
    void aDecisionGoesToAnotherOneOfTheNameWhenTheMasterIsGone() throws Exception {
        route(Map.of(0L, first.address(), 1L, second.address()));
        MasterGoesMeanwhile listener = new MasterGoesMeanwhile();
        TransactionProducer transactions = cluster.transactions(listener, settings -> settings);
        listener.transactions = transactions;

        TransactionResult result = transactions.send(Message.of(TOPIC, "paid"), null);

        assertThat(result.settlement()).isEqualTo(Settlement.ACCEPTED);
        assertThat(first.producers().halves()).hasSize(1);
        assertThat(second.producers().decisions()).hasSize(1);
    }

    private static final class Commits implements TransactionListener {
        @Override
        public TransactionState execute(Message message, String transactionId, @Nullable Object argument) {
            return TransactionState.COMMIT;
        }

        @Override
        public TransactionState check(MessageExt half) {
            return TransactionState.UNKNOWN;
        }
    }

    @Test
    void aDecisionThatIsAnsweredNoMoreSaysWhatItWasAnsweredBefore() {
        route(Map.of(0L, first.address(), 1L, second.address()));
        first.producers().answerDecisions(ResponseCode.SYSTEM_BUSY);
        TransactionProducer transactions =
                cluster.transactions(new Commits(), settings -> settings.producer(calls -> calls.callTimeoutMs(4_000)));
        CompletableFuture<TransactionResult> result =
                CompletableFuture.supplyAsync(() -> sent(transactions, Message.of(TOPIC, "paid")));
        FakeCluster.await(() -> first.producers().decisions().size() > 1); // the first is answered

        first.producers().answerDecisions(FakeBroker.SILENCE);

        assertThat(result.join().problem())
                .hasValueSatisfying(problem -> assertThat(problem)
                        .isInstanceOf(DeadlineExceededException.class)
                        .hasMessageContaining("before, " + first.address() + " answered: refused code=2 "));
    }

    private static TransactionResult sent(TransactionProducer producer, Message message) {
        try {
            return producer.send(message, null);
        } catch (ClientException e) {
            throw new CompletionException(e);
        }
    }
}
