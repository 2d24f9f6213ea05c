package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.ProducerConfig;
import dev.perigee.client.transaction.TransactionProducer;
import dev.perigee.client.transaction.TransactionState;
import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.scenario.Scenario;
import dev.perigee.protocol.message.CompressionType;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/** Perigee's own client on one side and a stock one on the other, at any broker that asks about transactions within a second. */
@SuppressWarnings("try") // consumers run while their resource is open, without being named
final class MixedKindScenarios {
    /** A busy machine may take longer for a send than stock clients wait by default. */
    private static final Map<String, Object> PATIENT = Map.of("sendMsgTimeout", OwnBench.TIMEOUT_MS);

    private final OwnBench bench;
    private final StockDriver driver;

    MixedKindScenarios(OwnBench bench, StockDriver driver) {
        this.bench = bench;
        this.driver = driver;
    }

    List<Scenario> all() {
        String version = driver.peer().versionOf("rocketmq-client").orElse("?");
        return Stream.of(
                        new Scenario("a stock requester gets the reply of our consumer", this::stockAsks),
                        new Scenario("our requester gets the reply of a stock consumer", this::stockReplies),
                        new Scenario("what our transaction commits, a stock consumer knows as such", this::ourCommit),
                        new Scenario("what a stock transaction commits, our consumer reads", this::stockCommit),
                        new Scenario(
                                "a check goes to a producer of another make when the first is gone", this::takeOver),
                        new Scenario("compressed bodies pass in both directions", this::compressed),
                        new Scenario("properties with odd characters pass in both directions", this::oddProperties),
                        new Scenario("one order key is one queue for both", this::orderKey))
                .map(scenario -> new Scenario("client " + version + ": " + scenario.name(), scenario.check()))
                .toList();
    }

    private PushConsumer keeping(String topic, Queue<MessageExt> into) throws Exception {
        PushConsumer consumer = bench.consumer(OwnBench.fresh("g"), topic)
                .listener(messages -> {
                    into.addAll(messages);
                    return ConsumeResult.SUCCESS;
                })
                .build();
        consumer.start();
        return consumer;
    }

    private static MessageExt only(Queue<MessageExt> got) {
        await("a message").atMost(OwnBench.PATIENCE).until(() -> !got.isEmpty());
        assertThat(got).hasSize(1);
        return got.element();
    }

    private void stockAsks() throws Exception {
        String topic = bench.topic("stockasks", 2);
        try (Producer replies = bench.producer();
                PushConsumer replier = bench.consumer(OwnBench.fresh("g"), topic)
                        .listener(messages -> {
                            for (MessageExt request : messages) {
                                String text = "reply to " + request.bodyText();
                                replies.reply(request, text.getBytes(StandardCharsets.UTF_8));
                            }
                            return ConsumeResult.SUCCESS;
                        })
                        .build();
                StockProducer requester = driver.producer(OwnBench.fresh("requester"))) {
            replier.start();
            for (String mode : List.of("sync", "async")) {
                Received reply = requester.request(mode, topic, "body", mode, "timeoutMs", OwnBench.TIMEOUT_MS);
                assertThat(reply.body()).isEqualTo("reply to " + mode);
            }
        }
    }

    private void stockReplies() throws Exception {
        String topic = bench.topic("stockreplies", 2);
        try (Producer requester = bench.producer();
                StockProducer replies = driver.producer(OwnBench.fresh("replies"), "settings", PATIENT);
                StockConsumer replier = driver.consumer(
                        OwnBench.fresh("g"), topic, "replier", replies.name(), "reply", "reply to {body}")) {
            assertThat(requester
                            .request(Message.of(topic, "größe"), OwnBench.TIMEOUT_MS)
                            .bodyText())
                    .isEqualTo("reply to größe");
            byte[] large = "0123456789abcdef".repeat(20_000).getBytes(StandardCharsets.UTF_8);
            Message reply = requester.request(Message.of(topic, large), OwnBench.TIMEOUT_MS);
            assertThat(reply.body()).as("compressed on both ways").hasSize(large.length + "reply to ".length());
            await("replies are told as sent")
                    .atMost(OwnBench.PATIENCE)
                    .until(() -> replier.replies().size() == 2);
            assertThat(replier.replies()).allMatch(Sent::isOk);
        }
    }

    private void ourCommit() throws Exception {
        String topic = bench.topic("ourcommit", 1);
        String group = OwnBench.fresh("tx");
        try (TransactionProducer producer = bench.transactions(group, new OwnTransactionScenarios.Book());
                StockConsumer consumer = driver.consumer(OwnBench.fresh("g"), topic)) {
            String id = producer.send(
                            Message.builder(topic)
                                    .body("paid")
                                    .tag("t")
                                    .keys("k")
                                    .build(),
                            TransactionState.COMMIT)
                    .transactionId();
            Received read = consumer.await(1).get(0);
            assertThat(List.of(read.body(), read.msgId(), read.tags(), read.keys()))
                    .containsExactly("paid", id, "t", "k");
            assertThat(read.shape().getString("transactionId")).isEqualTo(id);
            assertThat(read.properties()).containsEntry("PGROUP", group);
        }
    }

    private void stockCommit() throws Exception {
        String topic = bench.topic("stockcommit", 1);
        Queue<MessageExt> got = new ConcurrentLinkedQueue<>();
        try (StockProducer producer = driver.producer(OwnBench.fresh("tx"), "check", "UNKNOW", "settings", PATIENT);
                PushConsumer ignored = keeping(topic, got)) {
            producer.inTransaction("ROLLBACK_MESSAGE", topic, "body", "gone");
            Sent sent = producer.inTransaction("COMMIT_MESSAGE", topic, "body", "paid", "tags", "t", "keys", "k1 k2")
                    .get(0);
            MessageExt read = only(got);
            assertThat(List.of(read.bodyText(), read.messageId(), String.valueOf(read.tag())))
                    .containsExactly("paid", sent.transactionId(), "t");
            assertThat(read.keys()).containsExactly("k1", "k2");
            assertThat(read.preparedTransactionOffset()).isPositive();
        }
    }

    /** Halves of a stock producer that says goodbye are decided by ours, and the other way round. */
    private void takeOver() throws Exception {
        String topic = bench.topic("takeover", 1);
        String group = OwnBench.fresh("tx");
        OwnTransactionScenarios.Book book = new OwnTransactionScenarios.Book();
        book.decide("of stock", TransactionState.COMMIT);
        Queue<MessageExt> got = new ConcurrentLinkedQueue<>();
        try (PushConsumer ignored = keeping(topic, got)) {
            try (TransactionProducer ours = bench.transactions(group, book)) {
                try (StockProducer stock = driver.producer(group, "check", "UNKNOW", "settings", PATIENT)) {
                    stock.inTransaction("UNKNOW", topic, "body", "of stock");
                }
                ours.send(Message.of(topic, "of ours"), TransactionState.UNKNOWN);
                await("ours answers")
                        .atMost(OwnBench.PATIENCE)
                        .until(() -> bodies(got).size() == 1);
            }
            try (StockProducer stock = driver.producer(group, "check", "COMMIT_MESSAGE", "settings", PATIENT)) {
                // A stock producer is known to brokers it has sent to.
                stock.inTransaction("ROLLBACK_MESSAGE", topic, "body", "hello");
                await("stock answers")
                        .atMost(OwnBench.PATIENCE)
                        .until(() -> bodies(got).size() == 2);
                assertThat(stock.checks("of ours")).isNotEmpty();
            }
        }
        assertThat(bodies(got)).containsExactly("of stock", "of ours");
    }

    /** A stock broker that is answered late has asked again by then and commits once more: there each body counts once. */
    private List<String> bodies(Queue<MessageExt> got) {
        Stream<String> all = got.stream().map(MessageExt::bodyText);
        return bench.isStock() ? all.distinct().toList() : all.toList();
    }

    private void compressed() throws Exception {
        String topic = bench.topic("codecs", 1);
        String body = "0123456789abcdef".repeat(6_250);
        Queue<MessageExt> got = new ConcurrentLinkedQueue<>();
        boolean five = driver.peer() == StockPeer.CLIENT5;
        try (PushConsumer ignored = keeping(topic, got);
                StockConsumer consumer = driver.consumer(OwnBench.fresh("g"), topic)) {
            for (CompressionType type :
                    five ? CompressionType.values() : new CompressionType[] {CompressionType.ZLIB}) {
                try (Producer ours = Producer.builder()
                        .nameServers(bench.target().namesrv())
                        .sendTimeoutMs(OwnBench.TIMEOUT_MS)
                        .compression(new ProducerConfig.Compression(type, 5, 1_000))
                        .build()) {
                    ours.start();
                    ours.send(Message.of(topic, body));
                }
                Map<String, Object> settings = new HashMap<>(PATIENT);
                if (five) {
                    settings.put("compressType", type.name());
                }
                try (StockProducer stock = driver.producer(OwnBench.fresh("codec"), "settings", settings)) {
                    assertThat(stock.send("sync", topic, "bodySize", body.length()))
                            .allMatch(Sent::isOk);
                }
            }
            int count = five ? 6 : 2;
            await("all of them").atMost(OwnBench.PATIENCE).until(() -> got.size() == count);
            assertThat(got).allSatisfy(read -> assertThat(read.bodyText()).isEqualTo(body));
            assertThat(consumer.await(count)).hasSize(count).allSatisfy(read -> {
                assertThat(read.bodyLength()).isEqualTo(body.length());
                assertThat(read.shape().getIntValue("storeSize")).isLessThan(10_000);
            });
        }
    }

    private void oddProperties() throws Exception {
        String topic = bench.topic("odd", 1);
        Map<String, String> odd = Map.of(
                "grün", "größe 中文 😀",
                "a b", "  blanks  ",
                "quotes\"'", "{\"json\": [1, \\n]}",
                "lines", "one\ntwo\r\tthree",
                "signs", "a=b&c;d,e:f|g",
                "zero", "a\u0000b");
        Queue<MessageExt> got = new ConcurrentLinkedQueue<>();
        try (PushConsumer ignored = keeping(topic, got);
                Producer ours = bench.producer();
                StockProducer stock = driver.producer(OwnBench.fresh("odd"), "settings", PATIENT);
                StockConsumer consumer = driver.consumer(OwnBench.fresh("g"), topic)) {
            Message.Builder message = Message.builder(topic).body("ours");
            odd.forEach(message::property);
            ours.send(message.build());
            assertThat(stock.send("sync", topic, "body", "stock", "properties", odd))
                    .allMatch(Sent::isOk);
            await("both").atMost(OwnBench.PATIENCE).until(() -> got.size() == 2);
            assertThat(got).allSatisfy(read -> assertThat(read.properties()).containsAllEntriesOf(odd));
            assertThat(consumer.await(2))
                    .allSatisfy(read -> assertThat(read.properties()).containsAllEntriesOf(odd));
        }
    }

    private void orderKey() throws Exception {
        String topic = bench.topic("orderkey", 8);
        try (Producer ours = bench.producer();
                StockProducer stock = driver.producer(OwnBench.fresh("order"), "settings", PATIENT)) {
            for (int i = 0; i < 20; i++) {
                String key = "order-" + i;
                int queueId = ours.sendOrdered(Message.builder(topic)
                                .body("ours")
                                .orderKey(key)
                                .build())
                        .queue()
                        .queueId();
                assertThat(stock.send("selector", topic, "argument", key).get(0).queueId())
                        .as(key)
                        .isEqualTo(queueId);
            }
        }
    }
}
