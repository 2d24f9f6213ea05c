package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.transaction.Settlement;
import dev.perigee.client.transaction.TransactionListener;
import dev.perigee.client.transaction.TransactionProducer;
import dev.perigee.client.transaction.TransactionResult;
import dev.perigee.client.transaction.TransactionState;
import dev.perigee.protocol.header.send.RecallOutcome;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** The code of docs/messages.md that sends, against a broker. */
@ExtendWith(SharedUp.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MessagesPageTest {
    private static final Path PAGE = Path.of("..", "docs", "messages.md");
    /** From here on the page is about finding and watching messages. */
    private static final String END_OF_SENDING = "## Found again";

    private static final Path THIS = Path.of("src", "test", "java", "dev", "perigee", "dist", "MessagesPageTest.java");

    private final Queue<MessageExt> got = new ConcurrentLinkedQueue<>();
    private final Set<String> booked = ConcurrentHashMap.newKeySet();
    private final RunningUp up;
    private final String nameServers;
    private final Producer producer;
    private final PushConsumer consumer;

    MessagesPageTest(RunningUp up) {
        this.up = up;
        nameServers = up.nameServer();
        producer = Producer.builder()
                .nameServers(nameServers)
                .callTimeoutMs(60_000)
                .group("senders")
                .sendTimeoutMs(60_000)
                .build();
        consumer = PushConsumer.builder()
                .nameServers(nameServers)
                .callTimeoutMs(60_000)
                .group("readers-of-orders")
                .consumeFrom(ConsumeFrom.firstOffset())
                .subscribe("orders", "*")
                .orderlyListener(messages -> {
                    got.addAll(messages);
                    return ConsumeResult.SUCCESS;
                })
                .build();
    }

    @BeforeAll
    void createsTheTopics() throws Exception {
        up.queues("orders", 4);
        up.queues("prices", 4);
        producer.start();
        consumer.start();
    }

    @AfterAll
    void stops() {
        consumer.close();
        producer.close();
    }

    private MessageExt awaitGot(String body) {
        RunningUp.await(() -> bodies().contains(body));
        return got.stream()
                .filter(message -> message.bodyText().equals(body))
                .findFirst()
                .orElseThrow();
    }

    private List<String> bodies() {
        return got.stream().map(MessageExt::bodyText).toList();
    }

    @Test
    void later() throws Exception {
        long nineOClockMs = System.currentTimeMillis() + 1_000;
        SendResult reminded = producer.send(
                Message.builder("orders").body("remind").delayMs(60_000).build());
        String handle = reminded.recallHandle().orElseThrow();
        producer.send(Message.builder("orders")
                .body("at nine")
                .deliverAtMs(nineOClockMs)
                .build());
        producer.send(
                Message.builder("orders").body("in ten seconds").delayLevel(3).build());
        RecallOutcome outcome = producer.recall("orders", handle);

        assertThat(outcome).isEqualTo(RecallOutcome.RECALLED);
        assertThat(producer.recall("orders", handle)).isEqualTo(RecallOutcome.ALREADY_RECALLED);
        awaitGot("at nine");
        assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(nineOClockMs);
        awaitGot("in ten seconds");
        assertThat(bodies()).doesNotContain("remind");
    }

    private boolean book(String transactionId, Object order) {
        return "order-7".equals(order) && booked.add(transactionId);
    }

    private boolean isBooked(String transactionId) {
        return booked.contains(transactionId);
    }

    private void undo(String transactionId) {
        booked.remove(transactionId);
    }

    @Test
    @SuppressWarnings("NullAway") // the page is for readers who do not use it
    void inATransaction() throws Exception {
        TransactionProducer transactions = TransactionProducer.builder()
                .nameServers(nameServers)
                .producer(p -> p.callTimeoutMs(60_000).sendTimeoutMs(60_000))
                .group("shop")
                .topics("orders")
                .listener(new TransactionListener() {
                    @Override
                    public TransactionState execute(Message message, String transactionId, Object order) {
                        return book(transactionId, order) ? TransactionState.COMMIT : TransactionState.ROLLBACK;
                    }

                    @Override
                    public TransactionState check(MessageExt half) {
                        return isBooked(half.messageId()) ? TransactionState.COMMIT : TransactionState.UNKNOWN;
                    }
                })
                .build();
        transactions.start();
        TransactionResult result = transactions.send(Message.of("orders", "paid"), "order-7");
        if (result.settlement() == Settlement.REFUSED) {
            undo(result.transactionId());
        }
        TransactionResult foreign = transactions.send(Message.of("orders", "not ours"), "order-8");
        transactions.close();

        assertThat(result.settlement()).isEqualTo(Settlement.ACCEPTED);
        assertThat(isBooked(result.transactionId())).isTrue();
        assertThat(foreign.state()).isEqualTo(TransactionState.ROLLBACK);
        assertThat(foreign.settlement()).isEqualTo(Settlement.ACCEPTED);
        assertThat(awaitGot("paid").messageId()).isEqualTo(result.sent().messageId());
        assertThat(bodies()).doesNotContain("not ours");
    }

    private static String priceOf(String order) {
        return order + " costs 7";
    }

    @Test
    void withAReply() throws Exception {
        try (Producer replier = Producer.builder()
                        .nameServers(nameServers)
                        .callTimeoutMs(60_000)
                        .sendTimeoutMs(60_000)
                        .group("repliers")
                        .build();
                PushConsumer requests = PushConsumer.builder()
                        .nameServers(nameServers)
                        .callTimeoutMs(60_000)
                        .group("pricing")
                        .consumeFrom(ConsumeFrom.firstOffset())
                        .subscribe("prices", "*")
                        .listener(messages -> {
                            for (MessageExt request : messages) {
                                replier.reply(
                                        request, priceOf(request.bodyText()).getBytes(StandardCharsets.UTF_8));
                            }
                            return ConsumeResult.SUCCESS;
                        })
                        .build()) {
            replier.start();
            requests.start();
            producer.request(Message.of("prices", "who asks first waits longest"), 60_000);
            Message price = producer.request(Message.of("prices", "order-7"), 5_000);
            assertThat(price.bodyText()).isEqualTo("order-7 costs 7");
            assertThat(producer.metrics().lateReplies()).isZero();
        }
    }

    @Test
    void inOrder() throws Exception {
        producer.sendOrdered(
                Message.builder("orders").body("created").orderKey("order-7").build());
        producer.sendOrdered(
                Message.builder("orders").body("shipped").orderKey("order-7").build());
        MessageExt second = awaitGot("shipped");
        MessageExt first = awaitGot("created");
        assertThat(second.queue()).isEqualTo(first.queue());
        assertThat(bodies()).containsSubsequence("created", "shipped");
    }

    @Test
    void together() throws Exception {
        producer.send(List.of(Message.of("orders", "all"), Message.of("orders", "or none")));
        MessageExt all = awaitGot("all");
        MessageExt none = awaitGot("or none");
        assertThat(none.queue()).isEqualTo(all.queue());
        assertThat(none.queueOffset()).isEqualTo(all.queueOffset() + 1);
    }

    @Test
    void withAPriority() throws Exception {
        producer.send(Message.builder("orders").body("urgent").priority(3).build());
        assertThat(awaitGot("urgent").queue().queueId()).isEqualTo(3);
    }

    private static Stream<String> codeLines() throws IOException {
        List<String> lines = new ArrayList<>();
        boolean isCode = false;
        List<String> page = Files.readAllLines(PAGE);
        assertThat(page).contains(END_OF_SENDING);
        for (String line : page.subList(0, page.indexOf(END_OF_SENDING))) {
            if (line.startsWith("```")) {
                isCode = line.equals("```java");
            } else if (isCode && !line.isBlank()) {
                lines.add(line.strip());
            }
        }
        assertThat(lines).hasSizeGreaterThan(30);
        return lines.stream();
    }

    @Test
    void thePageShowsThisCode() throws IOException {
        String code = Files.readString(THIS).replaceAll("\\s+", "");
        assertThat(codeLines()).allSatisfy(line -> assertThat(code).contains(line.replaceAll("\\s+", "")));
    }
}
