package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.harness.DriverException;
import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockPeer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** What stock producers can ask for and must not get: Perigee refuses it with a text that says why, and stores nothing. */
final class RefusalScenarios {
    private static final int ILLEGAL = 13;
    private static final long DELAY_MS = 3_000;

    private final Bench bench;

    RefusalScenarios(Bench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("a batch of messages with delays is refused whole", this::delayedBatch),
                new Scenario("a reply without what tells its request is refused", this::replyToNothing));
    }

    /** For clients that can take messages back. */
    List<Scenario> withRecall() {
        return List.of(
                new Scenario("a handle that is malformed or another topic's takes nothing back", this::badHandles));
    }

    private void delayedBatch() {
        String topic = bench.topic(1);
        Sent byTime = bench.producer()
                .send("batch", topic, "count", 3, "systemProperties", Map.of("TIMER_DELAY_MS", "1000"))
                .get(0);
        assertThat(byTime.isOk()).as(byTime.toString()).isFalse();
        if (bench.driver().peer() == StockPeer.CLIENT4) { // that of 5.x refuses it by itself, as both refuse levels
            assertThat(byTime.code()).as(byTime.toString()).isEqualTo(ILLEGAL);
            assertThat(byTime.error()).contains("TIMER_DELAY_MS");
        }
        Sent byLevel = bench.producer()
                .send("batch", topic, "count", 3, "delayLevel", 1)
                .get(0);
        assertThat(byLevel.isOk()).as(byLevel.toString()).isFalse();
        assertThat(bench.puller().total(topic)).isZero();
    }

    /** A stock producer sends as a reply what says of itself that it is one. */
    private void replyToNothing() {
        String topic = bench.topic(1);
        bench.producer().send(topic, 1);
        Received plain = bench.puller().all(topic).get(0);
        String replies = plain.properties().get("CLUSTER") + "_REPLY_TOPIC";
        long before = bench.puller().total(replies);
        Sent reply = bench.producer()
                .send("sync", replies, "systemProperties", Map.of("MSG_TYPE", "reply", "REPLY_TO_CLIENT", "nobody"))
                .get(0);
        assertThat(reply.code()).as(reply.toString()).isEqualTo(ILLEGAL);
        assertThat(reply.error()).contains("CORRELATION_ID");
        assertThat(bench.puller().total(replies)).isEqualTo(before);
    }

    private void badHandles() {
        String topic = bench.topic(1);
        String other = bench.topic(1);
        Sent waiting = bench.producer()
                .send("sync", topic, "body", "waits", "systemProperties", Map.of("TIMER_DELAY_MS", "" + DELAY_MS))
                .get(0);
        String handle = waiting.recallHandle();
        String[] parts = new String(Base64.getUrlDecoder().decode(handle), StandardCharsets.UTF_8).split(" ");
        assertThat(parts).hasSize(5);
        for (String bad : List.of(
                "no handle",
                handle.substring(0, handle.length() / 2),
                encoded("v9", parts[1], parts[2], parts[3], parts[4]),
                encoded("v1", other, parts[2], parts[3], parts[4]),
                encoded("v1", parts[1], parts[2], "soon", parts[4]),
                encoded("v1", parts[1], parts[2], "1", parts[4]))) {
            assertThatThrownBy(() -> bench.producer().recall(topic, bad))
                    .as(bad)
                    .isInstanceOf(DriverException.class);
        }
        assertThatThrownBy(() -> bench.producer().recall(other, handle)).isInstanceOf(DriverException.class);
        String unknown = encoded("v1", parts[1], parts[2], parts[3], "0123456789");
        assertThatThrownBy(() -> bench.producer().recall(topic, unknown))
                .isInstanceOf(DriverException.class)
                .hasMessageContaining("no message [0123456789] of topic[" + topic + "] waits");
        try (StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            assertThat(consumer.await(1)).extracting(Received::body).containsExactly("waits");
        }
    }

    private static String encoded(String... parts) {
        byte[] text = String.join(" ", parts).getBytes(StandardCharsets.UTF_8);
        return Base64.getUrlEncoder().encodeToString(text);
    }
}
