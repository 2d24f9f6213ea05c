package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockProducer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;

/** Bodies and properties at their limits. */
final class BodyScenarios {
    private static final int MEBIBYTE = 1 << 20;
    /** A busy machine takes longer for mebibytes than clients wait by default. */
    private static final int LARGE_MS = 60_000;

    private static final int MESSAGE_ILLEGAL = 13;
    private static final int SYSTEM_ERROR = 1;
    private static final int PROPERTY_BYTES = 32_767;
    private static final int PRIORITY_QUEUES = 4;

    private final Bench bench;

    BodyScenarios(Bench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("properties keep every character", this::oddCharacters),
                new Scenario("properties of almost the limit are kept, and beyond it refused", this::manyProperties),
                new Scenario("a batch beyond the limit is refused whole", this::largeBatch));
    }

    /** For clients of 5.x, which compress in three ways. */
    List<Scenario> ofFive() {
        return List.of(new Scenario("bodies compressed by every codec arrive whole", this::codecs));
    }

    /** For clients of 5.x, with the queues Perigee gives to priorities. */
    List<Scenario> priorities() {
        return List.of(new Scenario("a priority chooses the queue of that number, at most the last", this::priority));
    }

    /** Names and values that are awkward somewhere: in JSON, in XML, in property files, beyond the first plane of Unicode. */
    static Map<String, String> odd() {
        return new TreeMap<>(Map.of(
                "grün", "größe 中文 😀",
                "a b", "  blanks  ",
                "quotes\"'", "{\"json\": [1, \\n]}",
                "line", "one\ntwo\r\tthree",
                "equals=and,comma;", "a=b&c;d,e:f|g",
                "number", "-0.5e10",
                "zero", "a\u0000b",
                "xml", "<a href='b'>&amp;</a>"));
    }

    private void oddCharacters() {
        String topic = bench.topic(1);
        Sent sent = bench.producer()
                .send("sync", topic, "properties", odd(), "tags", "täg", "keys", "schlüssel 钥匙")
                .get(0);
        assertThat(sent.isOk()).as(sent.toString()).isTrue();
        Received read = bench.puller().all(topic).get(0);
        assertThat(read.properties()).containsAllEntriesOf(odd());
        assertThat(List.of(read.tags(), read.keys())).containsExactly("täg", "schlüssel 钥匙");
    }

    private void manyProperties() {
        String topic = bench.topic(1);
        // The broker adds its cluster, region and trace switch to what the client says.
        String almost = "x".repeat(PROPERTY_BYTES - 500);
        assertThat(bench.producer()
                        .send("sync", topic, "properties", Map.of("long", almost))
                        .get(0)
                        .isOk())
                .isTrue();
        assertThat(bench.puller().all(topic).get(0).properties()).containsEntry("long", almost);
        Sent beyond = bench.producer()
                .send("sync", topic, "properties", Map.of("long", "x".repeat(PROPERTY_BYTES + 1)))
                .get(0);
        assertThat(beyond.code()).as(beyond.toString()).isEqualTo(MESSAGE_ILLEGAL);
        assertThat(bench.puller().total(topic)).isEqualTo(1);
    }

    private void largeBatch() {
        String topic = bench.topic(1);
        Object[] batch = {"count", 5, "bodySize", MEBIBYTE, "random", true, "timeoutMs", LARGE_MS};
        Sent byClient = bench.producer().send("batch", topic, batch).get(0);
        assertThat(byClient.code()).as(byClient.toString()).isEqualTo(MESSAGE_ILLEGAL);
        try (StockProducer generous =
                bench.driver().producer(Bench.fresh("generous"), "settings", Map.of("maxMessageSize", 16 * MEBIBYTE))) {
            Sent byBroker = generous.send("batch", topic, batch).get(0);
            assertThat(byBroker.isOk()).as(byBroker.toString()).isFalse();
            // A stock broker has no code for that.
            assertThat(byBroker.code()).as(byBroker.toString()).isIn(MESSAGE_ILLEGAL, SYSTEM_ERROR);
        }
        assertThat(bench.puller().total(topic)).isZero();
    }

    private void codecs() {
        String topic = bench.topic(1);
        for (String codec : List.of("ZLIB", "LZ4", "ZSTD")) {
            try (StockProducer producer = bench.driver()
                    .producer(
                            Bench.fresh("compressing"),
                            "settings",
                            Map.of("compressType", codec, "sendMsgTimeout", LARGE_MS))) {
                assertThat(producer.send("sync", topic, "bodySize", 100_000)).allMatch(Sent::isOk);
            }
        }
        CRC32 crc = new CRC32();
        crc.update("0123456789abcdef".repeat(100_000 / 16).getBytes(StandardCharsets.US_ASCII));
        assertThat(bench.puller().all(topic)).hasSize(3).allSatisfy(read -> {
            assertThat(read.bodyLength()).isEqualTo(100_000);
            assertThat(read.bodyCrc32()).isEqualTo(crc.getValue());
            assertThat(read.shape().getIntValue("storeSize")).isLessThan(10_000);
        });
    }

    private void priority() {
        String topic = bench.topic(PRIORITY_QUEUES);
        for (int priority = 0; priority < PRIORITY_QUEUES + 2; priority++) {
            Sent sent = bench.producer()
                    .send(
                            "sync",
                            topic,
                            "body",
                            "of priority " + priority,
                            "systemProperties",
                            Map.of("_SYS_MSG_PRIORITY_", Integer.toString(priority)))
                    .get(0);
            assertThat(sent.isOk()).as(sent.toString()).isTrue();
            assertThat(sent.queueId()).isEqualTo(Math.min(priority, PRIORITY_QUEUES - 1));
        }
        assertThat(bench.puller().all(topic))
                .hasSize(PRIORITY_QUEUES + 2)
                .allSatisfy(read ->
                        assertThat(read.body()).endsWith(read.properties().get("_SYS_MSG_PRIORITY_")));
    }
}
