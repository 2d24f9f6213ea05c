package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.ProducerConfig;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.selector.SelectMessageQueueByHash;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.transaction.Settlement;
import dev.perigee.client.transaction.TransactionListener;
import dev.perigee.client.transaction.TransactionProducer;
import dev.perigee.client.transaction.TransactionResult;
import dev.perigee.client.transaction.TransactionState;
import dev.perigee.protocol.header.send.RecallOutcome;
import dev.perigee.protocol.message.CompressionType;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every kind of message with Perigee's client and broker, as its consumer gets it. */
@ExtendWith(SharedUp.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OwnKindsTest {
    private static final String TOPIC = "kinds";
    private static final long DAY_MS = 86_400_000;

    /** What was consumed, by body, with the time it came. */
    private final Map<String, MessageExt> got = new ConcurrentHashMap<>();

    private final Map<String, Long> gotAtMs = new ConcurrentHashMap<>();
    private final RunningUp up;
    private final Producer producer;
    private final PushConsumer consumer;

    OwnKindsTest(RunningUp up) {
        this.up = up;
        producer = producer(ProducerConfig.Compression.DEFAULT);
        consumer = PushConsumer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .group("readers-of-kinds")
                .consumeFrom(ConsumeFrom.firstOffset())
                .subscribe(TOPIC, "*")
                .listener(messages -> {
                    for (MessageExt message : messages) {
                        gotAtMs.putIfAbsent(message.bodyText(), System.currentTimeMillis());
                        got.putIfAbsent(message.bodyText(), message);
                    }
                    return ConsumeResult.SUCCESS;
                })
                .build();
    }

    private Producer producer(ProducerConfig.Compression compression) {
        return Producer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .group("senders")
                .sendTimeoutMs(60_000)
                .compression(compression)
                .build();
    }

    @BeforeAll
    void starts() throws Exception {
        up.queues(TOPIC, 4);
        producer.start();
        consumer.start();
    }

    @AfterAll
    void stops() {
        consumer.close();
        producer.close();
    }

    private MessageExt awaitGot(String body) {
        RunningUp.await(() -> got.containsKey(body));
        return Objects.requireNonNull(got.get(body));
    }

    @Test
    void plainMessagesInEveryWayToSendThem() throws Exception {
        SendResult sent = producer.send(Message.builder(TOPIC)
                .body("plain")
                .tag("tag")
                .keys("k1", "k2")
                .property("mine", "value")
                .build());
        MessageExt plain = awaitGot("plain");
        assertThat(plain.messageId()).isEqualTo(sent.messageId());
        assertThat(plain.offsetMessageId()).isEqualTo(sent.offsetMessageId());
        assertThat(plain.queue()).isEqualTo(sent.queue());
        assertThat(plain.queueOffset()).isEqualTo(sent.queueOffset());
        assertThat(plain.tag()).isEqualTo("tag");
        assertThat(plain.properties()).containsEntry("mine", "value");

        producer.sendAsync(Message.of(TOPIC, "asynchronous")).get();
        producer.sendOneway(Message.of(TOPIC, "one-way"));
        awaitGot("asynchronous");
        awaitGot("one-way");
    }

    @Test
    void listsAndAutomaticBatches() throws Exception {
        SendResult list = producer.send(List.of(Message.of(TOPIC, "list-0"), Message.of(TOPIC, "list-1")));
        String[] ids = list.messageId().split(",", -1);
        String[] offsetIds = list.offsetMessageId().split(",", -1);
        for (int i = 0; i < 2; i++) {
            MessageExt message = awaitGot("list-" + i);
            assertThat(message.queueOffset()).isEqualTo(list.queueOffset() + i);
            assertThat(message.messageId()).isEqualTo(ids[i]);
            assertThat(message.offsetMessageId()).isEqualTo(offsetIds[i]);
        }
        List<CompletableFuture<SendResult>> sends = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            sends.add(producer.sendAsync(Message.of(TOPIC, "automatic-" + i)));
        }
        for (int i = 0; i < sends.size(); i++) {
            SendResult sent = sends.get(i).get();
            MessageExt message = awaitGot("automatic-" + i);
            assertThat(message.queue()).isEqualTo(sent.queue());
            assertThat(message.queueOffset()).isEqualTo(sent.queueOffset());
            assertThat(message.offsetMessageId()).isEqualTo(sent.offsetMessageId());
        }
    }

    @Test
    void delaysInEveryForm() throws Exception {
        long sentMs = System.currentTimeMillis();
        producer.send(Message.builder(TOPIC).body("level").delayLevel(1).build());
        producer.send(Message.builder(TOPIC).body("for").delayMs(700).build());
        producer.send(
                Message.builder(TOPIC).body("until").deliverAtMs(sentMs + 900).build());
        producer.send(
                Message.builder(TOPIC).body("past").deliverAtMs(sentMs - DAY_MS).build());
        Map<String, Long> afterMs = Map.of("level", 1_000L, "for", 700L, "until", 900L, "past", 0L);
        for (Map.Entry<String, Long> each : afterMs.entrySet()) {
            awaitGot(each.getKey());
            assertThat(gotAtMs.getOrDefault(each.getKey(), 0L) - sentMs)
                    .as(each.getKey())
                    .isGreaterThanOrEqualTo(each.getValue());
        }
    }

    @Test
    void recallsOfWhatWaitsAndOfWhatDoesNot() throws Exception {
        SendResult waits = producer.send(
                Message.builder(TOPIC).body("recalled").delayMs(60_000).build());
        String handle = waits.recallHandle().orElseThrow();
        assertThat(producer.recall(TOPIC, handle)).isEqualTo(RecallOutcome.RECALLED);
        assertThat(producer.recall(TOPIC, handle)).isEqualTo(RecallOutcome.ALREADY_RECALLED);
        assertThatThrownBy(() -> producer.recall(TOPIC, "no handle")).isInstanceOf(ClientException.class);
        SendResult due = producer.send(
                Message.builder(TOPIC).body("delivered").delayMs(2_500).build());
        awaitGot("delivered");
        assertThat(producer.recall(TOPIC, due.recallHandle().orElseThrow())).isEqualTo(RecallOutcome.TOO_LATE);
        assertThat(got).doesNotContainKey("recalled");
    }

    @Test
    void orderByKeyAndBySelector() throws Exception {
        for (int i = 0; i < 10; i++) {
            producer.sendOrdered(
                    Message.builder(TOPIC).body("keyed-" + i).orderKey("key").build());
            producer.send(Message.of(TOPIC, "selected-" + i), new SelectMessageQueueByHash<>(), "key");
        }
        for (String kind : new String[] {"keyed-", "selected-"}) {
            MessageExt first = awaitGot(kind + 0);
            long before = -1;
            for (int i = 0; i < 10; i++) {
                MessageExt message = awaitGot(kind + i);
                assertThat(message.queue()).isEqualTo(first.queue());
                assertThat(message.queueOffset()).isGreaterThan(before);
                before = message.queueOffset();
            }
        }
    }

    @Test
    void priorities() throws Exception {
        producer.send(Message.builder(TOPIC).body("priority-2").priority(2).build());
        producer.send(Message.builder(TOPIC).body("priority-9").priority(9).build());
        assertThat(awaitGot("priority-2").queue().queueId()).isEqualTo(2);
        assertThat(awaitGot("priority-9").queue().queueId()).as("the last one").isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void bodiesOfEveryCompression(CompressionType type) throws Exception {
        try (Producer compressing = producer(new ProducerConfig.Compression(type, 3, 1_024))) {
            compressing.start();
            String body = type + " " + "much ".repeat(10_000);
            compressing.send(Message.of(TOPIC, body));
            assertThat(awaitGot(body).bodyText()).isEqualTo(body);
        }
    }

    /** The argument of a send is what its local transaction comes to; a check says the commit of what is named so. */
    private static final class Told implements TransactionListener {
        @Override
        public @Nullable TransactionState execute(Message message, String transactionId, @Nullable Object argument) {
            return (TransactionState) argument;
        }

        @Override
        public TransactionState check(MessageExt half) {
            return half.bodyText().endsWith("commits") ? TransactionState.COMMIT : TransactionState.ROLLBACK;
        }
    }

    @Test
    void transactionsThatAreDecidedAndThoseThatAreAskedAbout() throws Exception {
        try (TransactionProducer transactions = TransactionProducer.builder()
                        .nameServers(up.nameServer())
                        .producer(p -> p.callTimeoutMs(60_000).sendTimeoutMs(60_000))
                        .group("transactions")
                        .topics(TOPIC)
                        .listener(new Told())
                        .build();
                AdminClient admin = AdminClient.builder()
                        .nameServers(up.nameServer())
                        .callTimeoutMs(60_000)
                        .timeoutMs(60_000)
                        .build()) {
            transactions.start();
            admin.start();
            TransactionResult committed = transactions.send(Message.of(TOPIC, "committed"), TransactionState.COMMIT);
            TransactionResult rolledBack =
                    transactions.send(Message.of(TOPIC, "rolled back"), TransactionState.ROLLBACK);
            TransactionResult delayed = transactions.send(
                    Message.builder(TOPIC).body("committed later").delayMs(500).build(), TransactionState.COMMIT);
            assertThat(List.of(committed, rolledBack, delayed))
                    .extracting(TransactionResult::settlement)
                    .containsOnly(Settlement.ACCEPTED);
            for (String body : List.of("check commits", "check rolls back")) {
                TransactionResult open = transactions.send(
                        Message.builder(TOPIC).body(body).firstCheckAfterSec(1).build(), TransactionState.UNKNOWN);
                assertThat(open.settlement()).isEqualTo(Settlement.OPEN);
            }
            assertThat(awaitGot("committed").messageId())
                    .isEqualTo(committed.sent().messageId());
            awaitGot("committed later");
            awaitGot("check commits");
            RunningUp.await(() ->
                    admin.transactions().undecided("transactions", TOPIC, 10).isEmpty());
            assertThat(got).doesNotContainKeys("rolled back", "check rolls back");
        }
    }

    @Test
    void requestsAndTheirReplies() throws Exception {
        try (Producer replier = producer(ProducerConfig.Compression.DEFAULT);
                PushConsumer answering = PushConsumer.builder()
                        .nameServers(up.nameServer())
                        .callTimeoutMs(60_000)
                        .group("answering")
                        .consumeFrom(ConsumeFrom.firstOffset())
                        .subscribe("questions", "*")
                        .listener(messages -> {
                            for (MessageExt request : messages) {
                                replier.reply(request, request.body());
                            }
                            return ConsumeResult.SUCCESS;
                        })
                        .build()) {
            replier.start();
            up.queues("questions", 2);
            answering.start();
            for (String question : List.of("short", "long ".repeat(10_000))) {
                assertThat(producer.request(Message.of("questions", question), 20_000)
                                .bodyText())
                        .isEqualTo(question);
            }
        }
    }
}
