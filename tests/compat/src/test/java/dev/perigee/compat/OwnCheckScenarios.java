package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.admin.DeadLetterQueue;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.consumer.PushConsumerBuilder;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.send.SendResult;
import dev.perigee.harness.scenario.Scenario;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.header.offset.BoundaryType;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.topic.TopicConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;

/**
 * The numbered black-box checks with Perigee's own client; {@code StockScenarios.checks} and {@code checksOfPerigee} are those with stock
 * ones.
 */
@SuppressWarnings("try") // consumers run while their resource is open, without being named
final class OwnCheckScenarios {
    private static final int BATCH = 50;

    private final OwnBench bench;

    OwnCheckScenarios(OwnBench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario(
                        "K01 a new group at the last offset gets all that is sent after its start", this::fromLast),
                new Scenario(
                        "K01 a new broadcasting member at the last offset gets all that is sent after its start",
                        this::broadcastingFromLast),
                new Scenario("K02 a new group at the last offset gets nothing older", this::onlyNew),
                new Scenario(
                        "K03 an orderly message that always fails is a dead letter after its retry and the queue moves on",
                        this::orderlyDeadLetter),
                new Scenario(
                        "K04 a message that always fails is a dead letter soon after its last retry",
                        this::deadLetterInTime),
                new Scenario("K05 a key whose hash collides with another topic's is not found", this::collidingKeys),
                new Scenario("K06 one store time of a whole batch is found at its boundaries", this::byTime));
    }

    private static void send(Producer producer, String topic, String prefix, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            producer.send(Message.of(topic, prefix + i));
        }
    }

    private void fromLast() throws Exception {
        String topic = bench.topic("K01", 4);
        String group = OwnBench.fresh("g");
        allOf100(topic, bench.consumer(group, topic));
        assertThat(committed(group, topic)).isEqualTo(100);
    }

    private void broadcastingFromLast() throws Exception {
        String topic = bench.topic("K01b", 4);
        String group = OwnBench.fresh("g");
        allOf100(
                topic,
                bench.consumer(group, topic)
                        .model(MessageModel.BROADCASTING)
                        .offsetFolder(bench.folder().resolve(group)));
    }

    private void allOf100(String topic, PushConsumerBuilder builder) throws Exception {
        Queue<String> got = new ConcurrentLinkedQueue<>();
        try (Producer producer = bench.producer()) {
            try (PushConsumer ignored = OwnBench.collecting(builder.consumeFrom(ConsumeFrom.lastOffset()), got)) {
                send(producer, topic, "m", 100);
                OwnBench.await(got, 100);
            }
        }
        assertThat(got).hasSize(100).doesNotHaveDuplicates();
    }

    private void onlyNew() throws Exception {
        String topic = bench.topic("K02", 4);
        String group = OwnBench.fresh("g");
        Queue<String> got = new ConcurrentLinkedQueue<>();
        try (Producer producer = bench.producer()) {
            send(producer, topic, "old", 10);
            try (PushConsumer ignored =
                    OwnBench.collecting(bench.consumer(group, topic).consumeFrom(ConsumeFrom.lastOffset()), got)) {
                send(producer, topic, "new", 5);
                OwnBench.await(got, 5);
            }
        }
        assertThat(committed(group, topic))
                .as("all queues are read to their ends")
                .isEqualTo(15);
        assertThat(got).containsExactlyInAnyOrder("new0", "new1", "new2", "new3", "new4");
    }

    /** The sum of the group's offsets at the broker. */
    private long committed(String group, String topic) throws Exception {
        try (AdminClient admin = bench.admin()) {
            return admin.groups().progress(group, topic).offsetTable().values().stream()
                    .mapToLong(queue -> queue.consumerOffset())
                    .sum();
        }
    }

    private void orderlyDeadLetter() throws Exception {
        String topic = bench.topic("K03", 1);
        String group = OwnBench.fresh("g");
        Deliveries got = new Deliveries();
        try (Producer producer = bench.producer();
                PushConsumer consumer = bench.consumer(group, topic)
                        .orderlyListener(got::takeOrFail)
                        .maxReconsumeTimes(1)
                        .suspendMs(100)
                        .build()) {
            producer.send(Message.of(topic, Deliveries.POISON));
            producer.send(Message.of(topic, "next"));
            consumer.start();
            got.await(3);
            MessageExt dead = deadLetter(group);
            assertThat(dead.bodyText()).isEqualTo(Deliveries.POISON);
            assertThat(dead.property("RETRY_TOPIC")).isEqualTo(topic);
            assertThat(dead.reconsumeTimes()).isEqualTo(1);
        }
        assertThat(got.texts()).containsExactly("poison/0", "poison/1", "next/0");
        assertThat(committed(group, topic)).as("the queue has moved on").isEqualTo(2);
    }

    private void deadLetterInTime() throws Exception {
        String topic = bench.topic("K04", 1);
        String group = OwnBench.fresh("g");
        Deliveries got = new Deliveries();
        try (Producer producer = bench.producer();
                PushConsumer consumer = bench.consumer(group, topic)
                        .listener(got::takeOrFail)
                        .maxReconsumeTimes(3)
                        .retryDelayLevel(1)
                        .build()) {
            consumer.start();
            producer.send(Message.of(topic, Deliveries.POISON));
            got.await(4);
            MessageExt dead = deadLetter(group);
            assertThat(dead.storeTimestampMs() - got.lastFailureMs()).isLessThanOrEqualTo(10_000);
            assertThat(dead.bodyText()).isEqualTo(Deliveries.POISON);
            assertThat(dead.property("RETRY_TOPIC")).isEqualTo(topic);
            assertThat(dead.reconsumeTimes())
                    .as("one more than the last delivery's")
                    .isEqualTo(4);
        }
        assertThat(got.texts()).containsExactly("poison/0", "poison/1", "poison/2", "poison/3");
    }

    /** The only dead letter of the group. */
    private MessageExt deadLetter(String group) throws Exception {
        try (AdminClient admin = bench.admin()) {
            Awaitility.await()
                    .atMost(OwnBench.PATIENCE)
                    .until(() -> admin.deadLetters().of(group).stream()
                                    .mapToLong(DeadLetterQueue::count)
                                    .sum()
                            == 1);
            DeadLetterQueue queue = admin.deadLetters().of(group).get(0);
            return admin.deadLetters()
                    .read(queue.queue(), queue.minOffset(), 32)
                    .get(0);
        }
    }

    /** {@code Aa} and {@code BB} have the same hash code, and so have all texts that differ only by them. */
    private void collidingKeys() throws Exception {
        String tail = OwnBench.fresh("K05");
        try (Producer producer = bench.producer();
                AdminClient admin = bench.admin()) {
            for (String letters : List.of("Aa", "BB")) {
                admin.topics().createOrUpdate(TopicConfig.of(letters + tail, 1));
                producer.send(
                        Message.builder(letters + tail).body("m").keys(letters).build());
            }
            Awaitility.await()
                    .atMost(OwnBench.PATIENCE)
                    .until(() -> found(admin, "Aa" + tail, "Aa") == 1 && found(admin, "BB" + tail, "BB") == 1);
            assertThat(found(admin, "Aa" + tail, "BB")).isZero();
        }
    }

    private static int found(AdminClient admin, String topic, String key) throws Exception {
        return admin.messages()
                .byKey(topic, key, 32, 0, Long.MAX_VALUE)
                .messages()
                .size();
    }

    private void byTime() throws Exception {
        String topic = bench.topic("K06", 2);
        try (Producer producer = bench.producer();
                AdminClient admin = bench.admin()) {
            List<Message> batch = new ArrayList<>();
            for (int i = 0; i < BATCH; i++) {
                batch.add(Message.of(topic, "m" + i));
            }
            SendResult sent = producer.send(batch);
            Awaitility.await()
                    .atMost(OwnBench.PATIENCE)
                    .until(() -> admin.topics().maxOffset(sent.queue()) == BATCH);
            long stored = admin.messages()
                    .byQueueOffset(sent.queue(), 0)
                    .orElseThrow()
                    .storeTimestampMs();
            assertThat(found(admin, sent.queue(), stored, BoundaryType.LOWER)).containsExactly(0L, 0L, 50L);
            assertThat(found(admin, sent.queue(), stored, BoundaryType.UPPER)).containsExactly(0L, 49L, 49L);
            MessageQueue empty = admin.topics().queues(topic).stream()
                    .filter(queue -> !queue.equals(sent.queue()))
                    .findFirst()
                    .orElseThrow();
            assertThat(found(admin, empty, stored, BoundaryType.LOWER)).containsExactly(0L, 0L, 0L);
            assertThat(found(admin, empty, stored, BoundaryType.UPPER)).containsExactly(0L, 0L, 0L);
        }
    }

    /** Before, at and after the time. */
    private static List<Long> found(AdminClient admin, MessageQueue queue, long timeMs, BoundaryType boundary)
            throws Exception {
        return List.of(
                admin.topics().searchOffset(queue, timeMs - 1, boundary),
                admin.topics().searchOffset(queue, timeMs, boundary),
                admin.topics().searchOffset(queue, timeMs + 1, boundary));
    }

    /** What a listener got that fails for poison, always. */
    private static final class Deliveries {
        static final String POISON = "poison";

        private final Queue<String> texts = new ConcurrentLinkedQueue<>();
        private volatile long lastFailureMs;

        ConsumeResult takeOrFail(List<MessageExt> messages) {
            MessageExt message = messages.get(0);
            boolean fails = message.bodyText().equals(POISON);
            if (fails) {
                lastFailureMs = System.currentTimeMillis();
            }
            texts.add(message.bodyText() + "/" + message.reconsumeTimes());
            return fails ? ConsumeResult.LATER : ConsumeResult.SUCCESS;
        }

        void await(int count) {
            Awaitility.await().atMost(OwnBench.PATIENCE).until(() -> texts.size() >= count);
        }

        List<String> texts() {
            return List.copyOf(texts);
        }

        long lastFailureMs() {
            return lastFailureMs;
        }
    }
}
