package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.QueueAt;
import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockProducer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;

/** The ways of sending, each read back. */
final class SendScenarios {
    /** With an IPv4 address in it, or an IPv6 one: clients without a public IPv4 take what they find. */
    private static final String ID = "[0-9A-F]{32}|[0-9A-F]{56}";

    private static final int MEBIBYTE = 1 << 20;
    private static final int TOO_LARGE = 5 * MEBIBYTE;
    /** A busy machine takes longer for mebibytes than clients wait by default. */
    private static final int LARGE_MS = 60_000;

    private static final int MESSAGE_ILLEGAL = 13;

    private final Bench bench;

    SendScenarios(Bench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario(
                        "a synchronous send is stored once, in the queue and place it was told", this::synchronous),
                new Scenario("asynchronous sends are all answered and stored", this::asynchronous),
                new Scenario("one-way sends arrive", this::oneway),
                new Scenario("a batch lies in one queue in its order", this::batch),
                new Scenario("a selector keeps one argument in one queue", this::selector),
                new Scenario("a message sent to a named queue lies there", this::namedQueue),
                new Scenario("tag, keys, flag and properties survive", this::attributes),
                new Scenario("a compressible body travels compressed and arrives whole", this::compressed),
                new Scenario("a body of one mebibyte arrives whole", this::large),
                new Scenario("a body above the broker's limit is refused as illegal", this::tooLarge),
                new Scenario("the first send to an unknown topic creates it", this::autoCreated),
                new Scenario("a traced send leaves a record in the trace topic", this::traced));
    }

    private void synchronous() {
        String topic = bench.topic(4);
        List<Sent> sent = bench.producer().send(topic, 20);
        assertThat(sent).allMatch(Sent::isOk);
        assertThat(sent).allSatisfy(one -> {
            assertThat(one.msgId()).matches(ID);
            assertThat(one.offsetMsgId()).matches(ID);
        });
        assertThat(new HashSet<>(sent.stream().map(Sent::msgId).toList())).hasSize(20);
        assertThat(places(bench.puller().all(topic), Received::body)).isEqualTo(placesSent(sent));
    }

    private static Map<String, String> placesSent(List<Sent> sent) {
        Map<String, String> places = new TreeMap<>();
        for (int i = 0; i < sent.size(); i++) {
            places.put(sent.get(i).queueId() + "@" + sent.get(i).queueOffset(), "message " + i);
        }
        return places;
    }

    private static Map<String, String> places(
            List<Received> received, java.util.function.Function<Received, String> value) {
        Map<String, String> places = new TreeMap<>();
        received.forEach(one -> places.put(one.queueId() + "@" + one.queueOffset(), value.apply(one)));
        return places;
    }

    private void asynchronous() {
        String topic = bench.topic(4);
        List<Sent> sent = bench.producer().send("async", topic, "count", 200);
        assertThat(sent).hasSize(200).allMatch(Sent::isOk);
        assertThat(places(bench.puller().all(topic), Received::body)).isEqualTo(placesSent(sent));
    }

    private void oneway() {
        String topic = bench.topic(2);
        bench.producer().send("oneway", topic, "count", 20);
        await("20 messages in " + topic)
                .atMost(Bench.PATIENCE)
                .until(() -> bench.puller().total(topic) == 20);
        assertThat(bench.puller().all(topic).stream().map(Received::body)).doesNotHaveDuplicates();
    }

    private void batch() {
        String topic = bench.topic(4);
        List<Sent> sent = bench.producer().send("batch", topic, "count", 10, "keys", "key{i}");
        assertThat(sent).hasSize(1).allMatch(Sent::isOk);
        assertThat(sent.get(0).offsetMsgId().split(",")).hasSize(10).allMatch(id -> id.matches(ID));
        List<Received> read = bench.puller().all(topic);
        assertThat(read).extracting(Received::queueOffset).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(read).extracting(Received::queueId).containsOnly(sent.get(0).queueId());
        assertThat(read.get(9).body()).isEqualTo("message 9");
        assertThat(read.get(9).keys()).isEqualTo("key9");
        assertThat(read).extracting(Received::msgId).doesNotHaveDuplicates();
    }

    private void selector() {
        String topic = bench.topic(4);
        for (String argument : List.of("order-1", "order-2", "order-3")) {
            List<Sent> sent = bench.producer().send("selector", topic, "count", 5, "argument", argument);
            assertThat(sent)
                    .allMatch(Sent::isOk)
                    .extracting(Sent::queueId)
                    .containsOnly(Math.abs(argument.hashCode() % 4));
        }
    }

    private void namedQueue() {
        String topic = bench.topic(4);
        QueueAt third = bench.producer().queues(topic).get(2);
        List<Sent> sent =
                bench.producer().send("queue", topic, "count", 3, "broker", third.broker(), "queueId", third.queueId());
        assertThat(sent).allMatch(Sent::isOk).extracting(Sent::queueId).containsOnly(third.queueId());
        assertThat(bench.puller().max(third)).isEqualTo(3);
    }

    private void attributes() {
        String topic = bench.topic(1);
        long before = System.currentTimeMillis();
        Sent sent = bench.producer()
                .send("sync", topic, "tags", "tagA", "keys", "k1 k2", "flag", 7, "properties", Map.of("colour", "grün"))
                .get(0);
        Received read = bench.puller().all(topic).get(0);
        assertThat(read.msgId()).isEqualTo(sent.msgId());
        assertThat(read.tags()).isEqualTo("tagA");
        assertThat(read.keys()).isEqualTo("k1 k2");
        assertThat(read.shape().getIntValue("flag")).isEqualTo(7);
        assertThat(read.properties()).containsEntry("colour", "grün").containsEntry("UNIQ_KEY", sent.msgId());
        assertThat(read.reconsumeTimes()).isZero();
        assertThat(read.shape().getString("bornHost")).isEqualTo("127.0.0.1");
        assertThat(read.shape().getLongValue("storeTimestamp")).isBetween(before - 1, System.currentTimeMillis() + 1);
        assertThat(read.shape().getIntValue("bodyCrc")).isNotZero();
    }

    private void compressed() {
        String topic = bench.topic(1);
        assertThat(bench.producer().send("sync", topic, "bodySize", 100_000)).allMatch(Sent::isOk);
        Received read = bench.puller().all(topic).get(0);
        assertThat(read.bodyLength()).isEqualTo(100_000);
        assertThat(read.shape().getIntValue("storeSize")).isLessThan(10_000);
        byte[] expected = "0123456789abcdef".repeat(100_000 / 16).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        CRC32 crc = new CRC32();
        crc.update(expected);
        assertThat(read.bodyCrc32()).isEqualTo(crc.getValue());
    }

    private void large() {
        String topic = bench.topic(1);
        assertThat(bench.producer()
                        .send("sync", topic, "bodySize", MEBIBYTE, "random", true, "seed", 42, "timeoutMs", LARGE_MS))
                .allMatch(Sent::isOk);
        await("the message can be read")
                .atMost(Bench.PATIENCE)
                .until(() -> bench.puller().total(topic) == 1);
        byte[] expected = new byte[MEBIBYTE];
        new java.util.Random(42).nextBytes(expected);
        CRC32 crc = new CRC32();
        crc.update(expected);
        Received read = bench.puller().all(topic).get(0);
        assertThat(read.bodyLength()).isEqualTo(MEBIBYTE);
        assertThat(read.bodyCrc32()).isEqualTo(crc.getValue());
    }

    private void tooLarge() {
        String topic = bench.topic(1);
        try (StockProducer generous =
                bench.driver().producer(Bench.fresh("generous"), "settings", Map.of("maxMessageSize", 2 * TOO_LARGE))) {
            Sent sent = generous.send("sync", topic, "bodySize", TOO_LARGE, "random", true, "timeoutMs", LARGE_MS)
                    .get(0);
            assertThat(sent.code()).as(sent.toString()).isEqualTo(MESSAGE_ILLEGAL);
        }
        assertThat(bench.puller().total(topic)).isZero();
    }

    private void autoCreated() {
        String topic = Bench.fresh("unknown");
        List<Sent> sent = bench.producer().send(topic, 8);
        assertThat(sent).allMatch(Sent::isOk);
        await("route of " + topic)
                .atMost(Bench.PATIENCE)
                .ignoreExceptions()
                .until(() -> bench.puller().queues(topic).size() == 4);
        assertThat(bench.puller().all(topic)).hasSize(8);
    }

    private void traced() {
        String topic = bench.topic(1);
        String traces = bench.topic(1);
        try (StockProducer traced = bench.driver()
                .producer(Bench.fresh("traced"), "trace", true, "traceTopic", traces, "settings", Bench.PATIENT)) {
            Sent sent = traced.send(topic, 1).get(0);
            assertThat(sent.isOk()).isTrue();
            await("a trace").atMost(Bench.PATIENCE).until(() -> bench.puller().total(traces) > 0);
            assertThat(bench.puller().all(traces).get(0).body()).contains(sent.msgId());
        }
    }
}
