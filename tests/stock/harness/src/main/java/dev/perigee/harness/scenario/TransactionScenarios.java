package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Transactions of stock producers, at a broker that asks about them within a second. Every scenario has a group of its own, so that nobody
 * else is asked about its halves.
 */
final class TransactionScenarios {
    private static final String COMMIT = "COMMIT_MESSAGE";
    private static final String ROLLBACK = "ROLLBACK_MESSAGE";
    private static final String UNKNOWN = "UNKNOW";
    private static final String IMMUNITY = "CHECK_IMMUNITY_TIME_IN_SECONDS";
    private static final int TRANSACTION_BITS = 0xC;
    private static final int COMMITTED = 0x8;

    private final Bench bench;

    TransactionScenarios(Bench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("a committed transaction is delivered once, as it was sent", this::committed),
                new Scenario("what is rolled back is never seen and leaves no gap in the queue", this::noGap),
                new Scenario("what nobody has decided is invisible, until a check is answered", this::checked),
                new Scenario("a check may roll back", this::rolledBackByCheck),
                new Scenario("a local transaction that throws is asked about", this::thrown),
                new Scenario("a half with an immunity of its own is asked about only after it", this::immunity),
                new Scenario("a check goes to a living producer of the group", this::otherProducer));
    }

    /** What only Perigee promises. */
    List<Scenario> ofPerigee() {
        List<Scenario> all = new ArrayList<>(List.of(
                new Scenario(
                        "K11 a half that is never decided is asked about after its immunity, so often, and set aside",
                        this::setAside),
                new Scenario("who has decided is not asked again", this::askedNoMore)));
        if (bench.driver().peer() == StockPeer.CLIENT4) { // producers of 5.x refuse to send it
            all.add(new Scenario("a half that has a delay is delivered that long after its commit", this::delayed));
        }
        return all;
    }

    private StockProducer producer(String check) {
        return producer(Bench.fresh("transactions"), check);
    }

    private StockProducer producer(String group, String check) {
        return bench.driver().producer(group, "check", check, "settings", Bench.PATIENT);
    }

    private static Sent one(List<Sent> sent) {
        assertThat(sent).singleElement().matches(Sent::isOk);
        return sent.get(0);
    }

    private static void awaitChecks(StockProducer producer, String body, int count) {
        await(count + " checks of " + body)
                .atMost(Bench.PATIENCE)
                .until(() -> producer.checks(body).size() >= count);
    }

    /**
     * The bodies of messages that checks committed, when there are so many, in their order. A stock broker whose answer comes late has asked
     * again by then and commits once more; there each body counts once. Perigee commits once.
     */
    private List<String> awaitChecked(StockConsumer consumer, int count) {
        Supplier<List<String>> bodies = () -> bench.driver().isAtStockBrokers()
                ? consumer.bodies().stream().distinct().toList()
                : consumer.bodies();
        await(count + " messages that checks committed")
                .atMost(Bench.PATIENCE)
                .until(() -> bodies.get().size() >= count);
        return bodies.get();
    }

    private void committed() {
        String topic = bench.topic(4);
        String group = Bench.fresh("transactions");
        try (StockProducer producer = producer(group, UNKNOWN);
                StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            Sent sent = one(producer.inTransaction(
                    COMMIT, topic, "tags", "tagA", "keys", "k1 k2", "flag", 7, "properties", Map.of("colour", "grün")));
            assertThat(sent.localState()).isEqualTo(COMMIT);
            assertThat(sent.transactionId()).isEqualTo(sent.msgId());
            Received read = consumer.await(1).get(0);
            assertThat(List.of(read.topic(), read.body(), read.tags(), read.keys(), read.msgId()))
                    .containsExactly(topic, "message 0", "tagA", "k1 k2", sent.msgId());
            assertThat(read.shape().getIntValue("flag")).isEqualTo(7);
            assertThat(read.properties())
                    .containsEntry("colour", "grün")
                    .containsEntry("UNIQ_KEY", sent.msgId())
                    .containsEntry("PGROUP", group)
                    .containsEntry("TRAN_MSG", "true");
            assertThat(read.shape().getString("transactionId")).isEqualTo(sent.msgId());
            assertThat(read.shape().getIntValue("sysFlag") & TRANSACTION_BITS).isEqualTo(COMMITTED);
            assertThat(read.shape().getLongValue("preparedTransactionOffset")).isPositive();
            assertThat(read.queueId()).isEqualTo(sent.queueId());
            assertThat(bench.puller().total(topic)).isEqualTo(1);
        }
    }

    private void noGap() {
        String topic = bench.topic(1);
        try (StockProducer producer = producer(UNKNOWN)) {
            for (int i = 0; i < 3; i++) {
                one(bench.producer().send("sync", topic, "body", "plain " + i));
                assertThat(one(producer.inTransaction(ROLLBACK, topic, "body", "gone " + i))
                                .localState())
                        .isEqualTo(ROLLBACK);
                one(producer.inTransaction(COMMIT, topic, "body", "committed " + i));
                int stored = 2 * i + 2;
                await("the commit")
                        .atMost(Bench.PATIENCE)
                        .until(() -> bench.puller().total(topic) == stored);
            }
        }
        List<Received> read = bench.puller().all(topic);
        assertThat(read)
                .extracting(Received::body)
                .containsExactly("plain 0", "committed 0", "plain 1", "committed 1", "plain 2", "committed 2");
        assertThat(read).extracting(Received::queueOffset).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
    }

    private void checked() {
        String topic = bench.topic(1);
        try (StockProducer producer = producer(UNKNOWN);
                StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            Sent sent = one(producer.inTransaction(
                    UNKNOWN, topic, "body", "half", "tags", "tagA", "keys", "k1", "properties", Map.of("a", "b")));
            awaitChecks(producer, "half", 2);
            assertThat(bench.puller().total(topic)).isZero();
            Received half = producer.checks("half").get(0);
            assertThat(List.of(half.topic(), half.tags(), half.keys())).containsExactly(topic, "tagA", "k1");
            assertThat(half.properties()).containsEntry("a", "b").containsEntry("UNIQ_KEY", sent.msgId());
            assertThat(half.shape().getString("transactionId")).isEqualTo(sent.transactionId());
            producer.decide("half", COMMIT);
            Received read = consumer.await(1).get(0);
            assertThat(List.of(read.body(), read.msgId(), read.tags(), read.keys()))
                    .containsExactly("half", sent.msgId(), "tagA", "k1");
            assertThat(Integer.parseInt(read.properties().getOrDefault("TRANSACTION_CHECK_TIMES", "0")))
                    .isGreaterThanOrEqualTo(2);
            assertThat(awaitChecked(consumer, 1)).hasSize(1);
            assertThat(bench.puller().total(topic))
                    .isBetween(1L, bench.driver().isAtStockBrokers() ? Long.MAX_VALUE : 1L);
        }
    }

    private void rolledBackByCheck() {
        String topic = bench.topic(1);
        try (StockProducer producer = producer(ROLLBACK)) {
            one(producer.inTransaction(UNKNOWN, topic, "body", "gone"));
            awaitChecks(producer, "gone", 1);
            one(producer.inTransaction(COMMIT, topic, "body", "kept"));
            await("the commit")
                    .atMost(Bench.PATIENCE)
                    .until(() -> bench.puller().total(topic) == 1);
            assertThat(bench.puller().all(topic)).extracting(Received::body).containsExactly("kept");
        }
    }

    private void thrown() {
        String topic = bench.topic(1);
        try (StockProducer producer = producer(COMMIT);
                StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            assertThat(one(producer.inTransaction("THROW", topic, "body", "thrown"))
                            .localState())
                    .isEqualTo(UNKNOWN);
            assertThat(awaitChecked(consumer, 1)).containsExactly("thrown");
            assertThat(producer.checks("thrown")).isNotEmpty();
        }
    }

    private void immunity() {
        String topic = bench.topic(1);
        int immuneSec = 5;
        try (StockProducer producer = producer(COMMIT);
                StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            long sentMs = System.currentTimeMillis();
            one(producer.inTransaction(
                    UNKNOWN, topic, "body", "immune", "properties", Map.of(IMMUNITY, Integer.toString(immuneSec))));
            one(producer.inTransaction(UNKNOWN, topic, "body", "not immune"));
            // On a machine that stands still for some seconds both may be due at once.
            assertThat(awaitChecked(consumer, 2)).containsExactlyInAnyOrder("not immune", "immune");
            assertThat(producer.checks("immune").get(0).receivedAt() - sentMs)
                    .isGreaterThanOrEqualTo(immuneSec * 1_000L);
        }
    }

    private void otherProducer() {
        String topic = bench.topic(1);
        String group = Bench.fresh("transactions");
        try (StockProducer first = producer(group, UNKNOWN)) {
            one(first.inTransaction(UNKNOWN, topic, "body", "left behind"));
        }
        try (StockProducer second = producer(group, COMMIT);
                StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            // A stock producer is known to brokers it has sent to.
            one(second.inTransaction(ROLLBACK, topic, "body", "hello"));
            assertThat(awaitChecked(consumer, 1)).containsExactly("left behind");
            assertThat(second.checks("left behind")).isNotEmpty();
        }
    }

    private void delayed() {
        String topic = bench.topic(1);
        try (StockProducer producer = producer(UNKNOWN);
                StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            long sentMs = System.currentTimeMillis();
            one(producer.inTransaction(
                    COMMIT, topic, "body", "later", "systemProperties", Map.of("TIMER_DELAY_MS", "3000")));
            Received read = consumer.await(1).get(0);
            assertThat(read.body()).isEqualTo("later");
            assertThat(read.receivedAt() - sentMs).isGreaterThanOrEqualTo(2_000);
        }
    }

    private void setAside() {
        String topic = bench.topic(1);
        int immuneSec = 4;
        int checks = 3;
        String aside = "TRANS_CHECK_MAX_TIME_TOPIC";
        try (StockProducer producer = producer(UNKNOWN)) {
            long sentMs = System.currentTimeMillis();
            Sent sent = one(producer.inTransaction(
                    UNKNOWN,
                    topic,
                    "body",
                    "never decided",
                    "tags",
                    "tagA",
                    "properties",
                    Map.of(
                            IMMUNITY,
                            Integer.toString(immuneSec),
                            "CHECK_INTERVAL_IN_SECONDS",
                            "1",
                            "CHECK_MAX_TIMES",
                            Integer.toString(checks))));
            await("the half is set aside")
                    .atMost(Bench.PATIENCE)
                    .ignoreExceptions()
                    .until(() -> bench.puller().all(aside).stream()
                            .anyMatch(read -> read.msgId().equals(sent.msgId())));
            assertThat(producer.checks("never decided")).hasSize(checks);
            assertThat(producer.checks("never decided").get(0).receivedAt() - sentMs)
                    .isGreaterThanOrEqualTo(immuneSec * 1_000L);
            assertThat(bench.puller().all(aside).stream()
                            .filter(read -> read.msgId().equals(sent.msgId())))
                    .singleElement()
                    .satisfies(read -> {
                        assertThat(List.of(read.body(), read.tags())).containsExactly("never decided", "tagA");
                        assertThat(read.properties())
                                .containsEntry("REAL_TOPIC", topic)
                                .containsEntry("TRANSACTION_CHECK_TIMES", Integer.toString(checks));
                        assertThat(read.properties().get("HALF_REASON")).isNotBlank();
                    });
            assertThat(bench.puller().total(topic)).isZero();
        }
    }

    private void askedNoMore() {
        String topic = bench.topic(1);
        try (StockProducer producer = producer(UNKNOWN)) {
            one(producer.inTransaction(COMMIT, topic, "body", "committed"));
            one(producer.inTransaction(ROLLBACK, topic, "body", "rolled back"));
            one(producer.inTransaction(UNKNOWN, topic, "body", "open"));
            awaitChecks(producer, "open", 2);
            assertThat(producer.checks()).extracting(Received::body).containsOnly("open");
        }
    }
}
