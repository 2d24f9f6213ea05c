package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.send.SendResult;
import dev.perigee.harness.scenario.Scenario;
import dev.perigee.protocol.header.send.RecallOutcome;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.RecallHandle;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;

/** Delays of Perigee's own client: at any broker, and check K08 with the limits and answers of Perigee. */
@SuppressWarnings("try") // consumers run while their resource is open, without being named
final class OwnDelayScenarios {
    private static final long LIMIT_SEC = 2_592_000;
    private static final long DELAY_MS = 3_000;
    /** Stock brokers go by whole seconds. */
    private static final long COARSE_MS = 1_000;

    private final OwnBench bench;

    OwnDelayScenarios(OwnBench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(new Scenario("each form of delay comes when it is due, not before", this::eachForm));
    }

    List<Scenario> ofPerigee() {
        return List.of(
                new Scenario("K08 relative delays beyond the limit are refused with it", this::beyondTheLimit),
                new Scenario("K08 exactly the limit waits, and a past time comes at once", this::edges),
                new Scenario(
                        "a recall tells whether the message waited, and one that did does not come", this::recalled));
    }

    /** What came, and when. */
    private static final class Arrivals {
        private final Queue<MessageExt> got = new ConcurrentLinkedQueue<>();
        private final Map<String, Long> atMs = new HashMap<>();

        synchronized ConsumeResult take(List<MessageExt> messages) {
            messages.forEach(message -> atMs.putIfAbsent(message.bodyText(), System.currentTimeMillis()));
            got.addAll(messages);
            return ConsumeResult.SUCCESS;
        }

        synchronized long atMs(String body) {
            return atMs.getOrDefault(body, 0L);
        }

        List<String> await(int count) {
            Awaitility.await().atMost(OwnBench.PATIENCE).until(() -> got.size() >= count);
            return got.stream().map(MessageExt::bodyText).toList();
        }
    }

    private PushConsumer consumer(String topic, Arrivals arrivals) throws Exception {
        PushConsumer consumer = bench.consumer(OwnBench.fresh("g"), topic)
                .listener(arrivals::take)
                .build();
        consumer.start();
        return consumer;
    }

    private void eachForm() throws Exception {
        String topic = bench.topic("delay", 1);
        Arrivals arrivals = new Arrivals();
        try (Producer producer = bench.producer();
                PushConsumer ignored = consumer(topic, arrivals)) {
            long dueMs = System.currentTimeMillis() + DELAY_MS;
            producer.send(Message.builder(topic).body("level").delayLevel(2).build()); // 5 s
            producer.send(
                    Message.builder(topic).body("relative").delayMs(DELAY_MS).build());
            producer.send(Message.builder(topic).body("at").deliverAtMs(dueMs).build());
            assertThat(arrivals.await(3)).containsExactlyInAnyOrder("level", "relative", "at");
            for (String body : List.of("relative", "at")) {
                assertThat(arrivals.atMs(body)).as(body).isGreaterThanOrEqualTo(dueMs - COARSE_MS);
            }
            assertThat(arrivals.atMs("level")).isGreaterThanOrEqualTo(dueMs - DELAY_MS + 5_000);
        }
    }

    private void beyondTheLimit() throws Exception {
        String topic = bench.topic("K08", 1);
        Map<String, List<Long>> refused = Map.of(
                "TIMER_DELAY_MS", List.of(Long.MAX_VALUE, -1L, 1_000 * LIMIT_SEC + 1),
                "TIMER_DELAY_SEC", List.of(Long.MAX_VALUE, -1L, LIMIT_SEC + 1),
                "TIMER_DELIVER_MS", List.of(Long.MAX_VALUE));
        try (Producer producer = bench.producer();
                AdminClient admin = bench.admin()) {
            refused.forEach((property, values) -> values.forEach(value -> assertThatThrownBy(() ->
                            producer.send(Message.of(topic, "refused").withProperty(property, Long.toString(value))))
                    .as("%s=%s", property, value)
                    .isInstanceOfSatisfying(
                            RefusedException.class,
                            failure -> assertThat(failure.code()).isEqualTo(ResponseCode.MESSAGE_ILLEGAL))
                    .hasMessageContainingAll(property + "=" + value, "timerMaxDelaySec=" + LIMIT_SEC)));
            assertThat(admin.topics().maxOffset(producer.queues(topic).get(0))).isZero();
        }
    }

    private void edges() throws Exception {
        String topic = bench.topic("K08edge", 1);
        Arrivals arrivals = new Arrivals();
        try (Producer producer = bench.producer();
                AdminClient admin = bench.admin();
                PushConsumer ignored = consumer(topic, arrivals)) {
            producer.send(Message.of(topic, "the limit").withProperty("TIMER_DELAY_SEC", Long.toString(LIMIT_SEC)));
            producer.send(Message.builder(topic)
                    .body("the limit")
                    .delayMs(1_000 * LIMIT_SEC)
                    .build());
            producer.send(Message.builder(topic).body("past").deliverAtMs(1).build());
            assertThat(arrivals.await(1)).containsExactly("past");
            assertThat(admin.topics().maxOffset(producer.queues(topic).get(0))).isEqualTo(1);
        }
    }

    private void recalled() throws Exception {
        String topic = bench.topic("recall", 1);
        Arrivals arrivals = new Arrivals();
        try (Producer producer = bench.producer();
                PushConsumer ignored = consumer(topic, arrivals)) {
            String gone = handle(producer.send(
                    Message.builder(topic).body("gone").delayMs(4_000).build()));
            String kept = handle(producer.send(
                    Message.builder(topic).body("kept").delayMs(2_000).build()));
            assertThat(producer.recall(topic, gone)).isEqualTo(RecallOutcome.RECALLED);
            assertThat(producer.recall(topic, gone)).isEqualTo(RecallOutcome.ALREADY_RECALLED);
            arrivals.await(1);
            assertThat(producer.recall(topic, kept)).isEqualTo(RecallOutcome.TOO_LATE);
            String unknown = new RecallHandle(
                            topic, bench.target().brokerName(), System.currentTimeMillis() + 60_000, "never-sent")
                    .text();
            assertThat(producer.recall(topic, unknown)).isEqualTo(RecallOutcome.UNKNOWN);
            producer.send(Message.builder(topic).body("last").delayMs(4_000).build());
            assertThat(arrivals.await(2)).containsExactly("kept", "last");
        }
    }

    private static String handle(SendResult sent) {
        return sent.recallHandle().orElseThrow();
    }
}
