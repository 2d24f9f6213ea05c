package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockProducer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Push consumers: who gets what, in which order, and what is remembered. */
final class PushScenarios {
    private static final int ALL = 40;

    private final Bench bench;

    PushScenarios(Bench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("a group gets every message once", this::everything),
                new Scenario("a message sent to a waiting consumer is there at once", this::promptly),
                new Scenario("two consumers of a group share the messages", this::shared),
                new Scenario("two broadcasting consumers both get everything", this::broadcast),
                new Scenario("a tag expression lets its tags through", this::byTag),
                new Scenario("a group goes on where it stopped", this::resumed),
                new Scenario("an orderly listener gets each queue in order", this::orderly),
                new Scenario(
                        "keys keep their order when a topic that is read to its end gets more queues", this::expanded),
                new Scenario(
                        "an orderly listener that fails gets the same message again before the next",
                        this::orderlyAgain));
    }

    /** Those that need delayed redelivery at the broker. */
    List<Scenario> withRedelivery() {
        return List.of(
                new Scenario("a failed message comes again, counted, under its own topic", this::again),
                new Scenario("a message failing more often than allowed becomes a dead letter", this::deadLetter));
    }

    /** Those that need the SQL filter. */
    List<Scenario> withSql() {
        return List.of(new Scenario("an SQL expression lets its messages through", this::bySql));
    }

    /** Those that need delayed delivery of what the producer asked to delay. */
    List<Scenario> withDelay() {
        return List.of(new Scenario("a delayed message comes when it is due, not before", this::delayed));
    }

    private static List<String> bodies(int count) {
        return IntStream.range(0, count).mapToObj(i -> "message " + i).toList();
    }

    private void everything() {
        String topic = bench.topic(4);
        bench.producer().send(topic, ALL);
        try (StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            consumer.await(ALL);
            assertThat(consumer.bodies()).containsExactlyInAnyOrderElementsOf(bodies(ALL));
            assertThat(consumer.received()).allSatisfy(message -> {
                assertThat(message.topic()).isEqualTo(topic);
                assertThat(message.reconsumeTimes()).isZero();
            });
        }
    }

    private void promptly() {
        String topic = bench.topic(1);
        try (StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            bench.producer().send(topic, 1);
            consumer.await(1);
            // The pull now waits at the broker.
            long sentAt = System.currentTimeMillis();
            bench.producer().send("sync", topic, "body", "second");
            Received second = consumer.await(2).get(1);
            assertThat(second.receivedAt() - sentAt)
                    .as("a pull that nobody wakes waits for 15 s and more")
                    .isLessThan(10_000);
        }
    }

    private void shared() {
        String topic = bench.topic(4);
        String group = Bench.fresh("group");
        try (StockConsumer one = bench.driver().consumer(group, topic);
                StockConsumer two = bench.driver().consumer(group, topic)) {
            List<String> bodies = new ArrayList<>();
            await("both get some").atMost(Duration.ofSeconds(60)).until(() -> {
                bench.producer().send("sync", topic, "count", 4, "body", "round " + bodies.size() + " {i}");
                bodies.add("");
                return !one.received().isEmpty() && !two.received().isEmpty();
            });
            await("everything").atMost(Bench.PATIENCE).until(() -> {
                HashSet<String> seen = new HashSet<>(one.bodies());
                seen.addAll(two.bodies());
                return seen.size() == 4 * bodies.size();
            });
        }
    }

    private void broadcast() {
        String topic = bench.topic(2);
        String group = Bench.fresh("group");
        try (StockConsumer one = broadcasting(group, topic, "one");
                StockConsumer two = broadcasting(group, topic, "two")) {
            bench.producer().send(topic, ALL);
            one.await(ALL);
            two.await(ALL);
            assertThat(one.bodies()).containsExactlyInAnyOrderElementsOf(bodies(ALL));
            assertThat(two.bodies()).containsExactlyInAnyOrderElementsOf(bodies(ALL));
        }
    }

    private StockConsumer broadcasting(String group, String topic, String instance) {
        return bench.driver()
                .consumer(
                        group,
                        topic,
                        "settings",
                        Map.of("messageModel", "BROADCASTING", "instanceName", group + instance));
    }

    private void byTag() {
        String topic = bench.topic(2);
        for (String tag : List.of("red", "green", "blue")) {
            bench.producer().send("sync", topic, "count", 5, "tags", tag, "body", tag);
        }
        try (StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic, "expr", "red || blue")) {
            consumer.await(10);
            assertThat(consumer.bodies()).containsOnly("red", "blue").hasSize(10);
        }
    }

    private void bySql() {
        String topic = bench.topic(2);
        bench.producer().send("sync", topic, "count", 10, "properties", Map.of("price", "{i}", "colour", "red"));
        bench.producer().send("sync", topic, "count", 10, "properties", Map.of("price", "{i}"));
        try (StockConsumer consumer = bench.driver()
                .consumer(
                        Bench.fresh("group"),
                        topic,
                        "type",
                        "SQL92",
                        "expr",
                        "price BETWEEN 3 AND 5 AND colour = 'red'")) {
            consumer.await(3);
            assertThat(consumer.received())
                    .hasSize(3)
                    .extracting(message -> message.properties().get("price"))
                    .containsExactlyInAnyOrder("3", "4", "5");
        }
    }

    private void resumed() {
        String topic = bench.topic(2);
        String group = Bench.fresh("group");
        bench.producer().send("sync", topic, "count", 10, "body", "before {i}");
        try (StockConsumer first = bench.driver().consumer(group, topic)) {
            first.await(10);
        }
        bench.producer().send("sync", topic, "count", 5, "body", "after {i}");
        try (StockConsumer second = bench.driver().consumer(group, topic)) {
            second.await(5);
            assertThat(second.bodies()).hasSize(5).allMatch(body -> body.startsWith("after"));
        }
    }

    private void orderly() {
        String topic = bench.topic(2);
        for (int i = 0; i < 20; i++) {
            bench.producer().send("selector", topic, "argument", "order-" + i % 2, "body", "message " + i);
        }
        try (StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic, "orderly", true)) {
            consumer.await(20);
            assertThat(consumer.received()).hasSize(20);
            assertThat(consumer.received().stream()
                            .filter(message -> message.queueId() == 0)
                            .toList())
                    .extracting(Received::queueOffset)
                    .isSorted();
            assertThat(consumer.received().stream()
                            .filter(message -> message.queueId() == 1)
                            .toList())
                    .extracting(Received::queueOffset)
                    .isSorted();
        }
    }

    private void expanded() {
        String topic = bench.topic(2);
        List<String> keys = List.of("order-1", "order-2", "order-3");
        try (StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic, "orderly", true)) {
            sendOrdered(topic, keys, "before");
            consumer.await(5 * keys.size());
            bench.topic(topic, 4);
            sendOrdered(topic, keys, "after");
            consumer.await(10 * keys.size());
            for (String key : keys) {
                List<String> wanted = Stream.of("before", "after")
                        .flatMap(when -> IntStream.range(0, 5).mapToObj(i -> key + " " + when + " " + i))
                        .toList();
                assertThat(consumer.bodies().stream().filter(body -> body.startsWith(key)))
                        .containsExactlyElementsOf(wanted);
            }
        }
    }

    /** By a producer of its own, as one is to be started again when a topic has got more queues. */
    private void sendOrdered(String topic, List<String> keys, String when) {
        try (StockProducer producer = bench.driver().producer(Bench.fresh("ordering"), "settings", Bench.PATIENT)) {
            for (String key : keys) {
                assertThat(producer.send(
                                "selector", topic, "count", 5, "argument", key, "body", key + " " + when + " {i}"))
                        .allMatch(Sent::isOk);
            }
        }
    }

    private void orderlyAgain() {
        String topic = bench.topic(1);
        bench.producer().send(topic, 3);
        try (StockConsumer consumer =
                bench.driver().consumer(Bench.fresh("group"), topic, "orderly", true, "fail", 2, "suspendMs", 50)) {
            consumer.await(5);
            assertThat(consumer.bodies())
                    .containsExactly("message 0", "message 0", "message 0", "message 1", "message 2");
            assertThat(consumer.received()).extracting(Received::reconsumeTimes).containsExactly(0, 1, 2, 0, 0);
        }
    }

    private void again() {
        String topic = bench.topic(1);
        bench.producer().send("sync", topic, "keys", "k1", "tags", "tagA");
        try (StockConsumer consumer =
                bench.driver().consumer(Bench.fresh("group"), topic, "fail", 1, "retryLevel", 1)) {
            List<Received> received = consumer.await(2);
            assertThat(received).extracting(Received::reconsumeTimes).containsExactly(0, 1);
            assertThat(received).extracting(Received::topic).containsOnly(topic);
            assertThat(received.get(1).keys()).isEqualTo("k1");
            assertThat(received.get(1).tags()).isEqualTo("tagA");
            assertThat(received.get(1).receivedAt() - received.get(0).receivedAt())
                    .isGreaterThanOrEqualTo(900);
        }
    }

    private void deadLetter() {
        String topic = bench.topic(1);
        String group = Bench.fresh("group");
        bench.producer().send(topic, 1);
        try (StockConsumer consumer = bench.driver()
                .consumer(group, topic, "fail", -1, "retryLevel", 1, "settings", Map.of("maxReconsumeTimes", 1))) {
            consumer.await(2);
            String deadLetters = "%DLQ%" + group;
            await("a dead letter")
                    .atMost(Bench.PATIENCE)
                    .ignoreExceptions()
                    .until(() -> bench.puller().all(deadLetters).size() == 1);
            Received dead = bench.puller().all(deadLetters).get(0);
            assertThat(dead.body()).isEqualTo("message 0");
            assertThat(consumer.received()).hasSize(2);
        }
    }

    private void delayed() {
        String topic = bench.topic(1);
        try (StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            bench.producer().send("sync", topic, "delayLevel", 2, "body", "late");
            bench.producer().send("sync", topic, "body", "early");
            List<Received> received = consumer.await(2);
            assertThat(received).extracting(Received::body).containsExactly("early", "late");
            Received late = received.get(1);
            assertThat(late.receivedAt() - late.shape().getLongValue("bornTimestamp"))
                    .isBetween(4_900L, 30_000L);
        }
    }
}
