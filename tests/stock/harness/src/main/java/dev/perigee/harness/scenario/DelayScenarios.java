package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.harness.DriverException;
import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockConsumer;
import java.util.List;
import java.util.Map;

/** Check K08 and its neighbours: delayed messages of stock producers, as Perigee's limits and answers are. */
final class DelayScenarios {
    private static final long LIMIT_SEC = 2_592_000;
    private static final int ILLEGAL = 13;
    private static final int TOO_LATE = 604;

    private final Bench bench;

    DelayScenarios(Bench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("each form of delay comes when it is due, not before", this::eachForm),
                new Scenario("of a level and a time the level counts", this::levelWins),
                new Scenario("K08: relative delays beyond the limit are refused with it", this::beyondTheLimit),
                new Scenario("K08: exactly the limit waits, and a past time comes at once", this::edges));
    }

    /** For clients that can take messages back. */
    List<Scenario> withRecall() {
        return List.of(
                new Scenario("a message that is recalled does not come, and the answers tell why", this::recalled));
    }

    private Sent send(String topic, String property, long value, String body) {
        return bench.producer()
                .send("sync", topic, "systemProperties", Map.of(property, Long.toString(value)), "body", body)
                .get(0);
    }

    private void eachForm() {
        String topic = bench.topic(1);
        try (StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            long dueMs = System.currentTimeMillis() + 3_000;
            assertThat(send(topic, "TIMER_DELIVER_MS", dueMs, "at").isOk()).isTrue();
            assertThat(send(topic, "TIMER_DELAY_MS", 3_000, "ms").isOk()).isTrue();
            assertThat(send(topic, "TIMER_DELAY_SEC", 3, "sec").isOk()).isTrue();
            List<Received> received = consumer.await(3);
            assertThat(received).extracting(Received::body).containsExactlyInAnyOrder("at", "ms", "sec");
            assertThat(received)
                    .allSatisfy(each -> assertThat(each.receivedAt()).isBetween(dueMs, dueMs + 30_000));
        }
    }

    private void levelWins() {
        String topic = bench.topic(1);
        try (StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            long sentMs = System.currentTimeMillis();
            Sent both = bench.producer()
                    .send("sync", topic, "delayLevel", 1, "systemProperties", Map.of("TIMER_DELAY_SEC", "3600"))
                    .get(0);
            assertThat(both.isOk()).as(both.toString()).isTrue();
            assertThat(consumer.await(1).get(0).receivedAt()).isGreaterThanOrEqualTo(sentMs + 1_000);
        }
    }

    private void beyondTheLimit() {
        String topic = bench.topic(1);
        Map<String, List<Long>> refused = Map.of(
                "TIMER_DELAY_MS",
                List.of(Long.MAX_VALUE, -1L, 1_000 * LIMIT_SEC + 1),
                "TIMER_DELAY_SEC",
                List.of(Long.MAX_VALUE, -1L, LIMIT_SEC + 1),
                "TIMER_DELIVER_MS",
                List.of(Long.MAX_VALUE));
        refused.forEach((property, values) -> values.forEach(value -> {
            Sent sent = send(topic, property, value, "refused");
            assertThat(sent.code())
                    .as("%s=%s: %s", property, value, sent.error())
                    .isEqualTo(ILLEGAL);
            assertThat(sent.error()).contains(property + "=" + value, "timerMaxDelaySec=" + LIMIT_SEC);
        }));
        assertThat(bench.puller().all(topic)).isEmpty();
    }

    private void edges() {
        String topic = bench.topic(1);
        assertThat(send(topic, "TIMER_DELAY_SEC", LIMIT_SEC, "the limit").isOk())
                .isTrue();
        assertThat(send(topic, "TIMER_DELAY_MS", 1_000 * LIMIT_SEC, "the limit").isOk())
                .isTrue();
        assertThat(send(topic, "TIMER_DELIVER_MS", 1, "past").isOk()).isTrue();
        try (StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            consumer.await(1);
        }
        assertThat(bench.puller().all(topic)).extracting(Received::body).containsExactly("past");
    }

    private void recalled() {
        String topic = bench.topic(1);
        Sent gone = send(topic, "TIMER_DELAY_MS", 4_000, "gone");
        Sent kept = send(topic, "TIMER_DELAY_MS", 2_000, "kept");
        assertThat(bench.producer().recall(topic, gone.recallHandle())).isEqualTo(gone.msgId());
        assertThat(bench.producer().recall(topic, gone.recallHandle())).isEqualTo(gone.msgId());
        try (StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic)) {
            consumer.await(1);
            assertThatThrownBy(() -> bench.producer().recall(topic, kept.recallHandle()))
                    .isInstanceOf(DriverException.class)
                    .hasMessageContaining(Integer.toString(TOO_LATE))
                    .hasMessageContaining("too late");
            Sent last = send(topic, "TIMER_DELAY_MS", 4_000, "last");
            assertThat(last.isOk()).isTrue();
            assertThat(consumer.await(2)).extracting(Received::body).containsExactly("kept", "last");
        }
    }
}
