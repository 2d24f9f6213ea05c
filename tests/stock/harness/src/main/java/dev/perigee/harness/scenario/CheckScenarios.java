package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.DriverException;
import dev.perigee.harness.QueueAt;
import dev.perigee.harness.Received;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockPuller;
import java.util.List;
import java.util.Map;

/**
 * Black-box checks by number. A stock broker fails the first two, because a young queue starts at 0 there; the others hold on both, with
 * the same numbers. Broadcasting in K01 is for Perigee's own client: stock ones look for the end of a queue only after their start, so what
 * was sent in between is lost to them on any broker. Clients of 4.9.x cannot ask for the upper boundary of K06.
 */
final class CheckScenarios {
    private static final String LAST = "CONSUME_FROM_LAST_OFFSET";
    private static final int BATCH = 50;

    private final Bench bench;

    CheckScenarios(Bench bench) {
        this.bench = bench;
    }

    /** Those that ask for what only Perigee promises. */
    List<Scenario> ofPerigee() {
        return List.of(
                new Scenario(
                        "K01 a new group at the last offset gets all that is sent after its start", this::fromLast),
                new Scenario("K02 a new group at the last offset gets nothing older", this::onlyNew));
    }

    /** Those that a stock broker passes, too. */
    List<Scenario> ofEveryBroker() {
        return List.of(
                new Scenario(
                        "K03 an orderly message that always fails is a dead letter after its retry and the queue moves on",
                        this::orderlyDeadLetter),
                new Scenario(
                        "K04 a message that always fails is a dead letter soon after its last retry",
                        this::deadLetterInTime),
                new Scenario("K05 a key whose hash collides with another topic's is not found", this::collidingKeys),
                new Scenario("K06 one store time of a whole batch is found at its boundaries", this::byTime));
    }

    private void fromLast() {
        String topic = bench.topic(4);
        String group = Bench.fresh("group");
        try (StockConsumer consumer = bench.driver().consumer(group, topic, "from", LAST)) {
            bench.producer().send(topic, 100);
            consumer.await(100);
            assertThat(consumer.bodies()).hasSize(100).doesNotHaveDuplicates();
        }
        assertThat(committed(group, topic)).isEqualTo(100);
    }

    private void onlyNew() {
        String topic = bench.topic(4);
        String group = Bench.fresh("group");
        bench.producer().send("sync", topic, "count", 10, "body", "old {i}");
        StockConsumer consumer = bench.driver().consumer(group, topic, "from", LAST);
        try (consumer) {
            bench.producer().send("sync", topic, "count", 5, "body", "new {i}");
            consumer.await(5);
        }
        assertThat(committed(group, topic))
                .as("all queues are read to their ends")
                .isEqualTo(15);
        assertThat(consumer.bodies()).containsExactlyInAnyOrder("new 0", "new 1", "new 2", "new 3", "new 4");
    }

    /** The sum of the group's offsets at the broker. */
    private long committed(String group, String topic) {
        try (StockPuller offsets = bench.driver().puller(group)) {
            return offsets.queues(topic).stream().mapToLong(offsets::committed).sum();
        }
    }

    private void orderlyDeadLetter() {
        String topic = bench.topic(1);
        String group = Bench.fresh("group");
        bench.producer().send("sync", topic, "body", "poison");
        bench.producer().send("sync", topic, "body", "next");
        StockConsumer consumer = bench.driver()
                .consumer(
                        group,
                        topic,
                        "orderly",
                        true,
                        "fail",
                        -1,
                        "failBody",
                        "poison",
                        "suspendMs",
                        100,
                        "settings",
                        Map.of("maxReconsumeTimes", 1));
        try (consumer) {
            consumer.await(3);
            Received dead = deadLetter(group);
            assertThat(dead.body()).isEqualTo("poison");
            assertThat(dead.properties()).containsEntry("RETRY_TOPIC", topic);
            // A client of 5.x counts the last failure, too.
            assertThat(dead.reconsumeTimes()).isEqualTo(bench.driver().peer() == StockPeer.CLIENT5 ? 2 : 1);
        }
        assertThat(consumer.bodies()).containsExactly("poison", "poison", "next");
        assertThat(consumer.received()).extracting(Received::reconsumeTimes).containsExactly(0, 1, 0);
        assertThat(committed(group, topic)).as("the queue has moved on").isEqualTo(2);
    }

    private Received deadLetter(String group) {
        String topic = "%DLQ%" + group;
        await("a dead letter")
                .atMost(Bench.PATIENCE)
                .ignoreExceptions()
                .until(() -> bench.puller().total(topic) == 1);
        return bench.puller().all(topic).get(0);
    }

    private void deadLetterInTime() {
        String topic = bench.topic(1);
        String group = Bench.fresh("group");
        bench.producer().send("sync", topic, "body", "poison");
        StockConsumer consumer = bench.driver()
                .consumer(group, topic, "fail", -1, "retryLevel", 1, "settings", Map.of("maxReconsumeTimes", 3));
        try (consumer) {
            Received last = consumer.await(4).get(3);
            Received dead = deadLetter(group);
            assertThat(dead.shape().getLongValue("storeTimestamp") - last.receivedAt())
                    .isLessThanOrEqualTo(10_000);
            assertThat(dead.body()).isEqualTo("poison");
            assertThat(dead.properties()).containsEntry("RETRY_TOPIC", topic);
            assertThat(dead.reconsumeTimes())
                    .as("one more than the last delivery's")
                    .isEqualTo(4);
        }
        assertThat(consumer.received()).extracting(Received::reconsumeTimes).containsExactly(0, 1, 2, 3);
    }

    /** {@code Aa} and {@code BB} have the same hash code, and so have all texts that differ only by them. */
    private void collidingKeys() {
        String tail = Bench.fresh("Topic");
        for (String letters : List.of("Aa", "BB")) {
            bench.topic(letters + tail, 1);
            bench.producer().send("sync", letters + tail, "keys", letters);
        }
        await("the index")
                .atMost(Bench.PATIENCE)
                .ignoreExceptions()
                .until(() -> bench.puller().query("Aa" + tail, "Aa").size() == 1
                        && bench.puller().query("BB" + tail, "BB").size() == 1);
        assertThatThrownBy(() -> bench.puller().query("Aa" + tail, "BB")).isInstanceOf(DriverException.class);
    }

    private void byTime() {
        String topic = bench.topic(2);
        bench.producer().send("batch", topic, "count", BATCH);
        List<Received> batch = bench.puller().all(topic);
        long stored = batch.get(0).shape().getLongValue("storeTimestamp");
        for (QueueAt queue : bench.puller().queues(topic)) {
            boolean holdsIt = queue.queueId() == batch.get(0).queueId();
            assertThat(List.of(lower(queue, stored - 1), lower(queue, stored), lower(queue, stored + 1)))
                    .containsExactly(0L, 0L, holdsIt ? 50L : 0L);
            if (bench.driver().peer() == StockPeer.CLIENT5) {
                assertThat(List.of(upper(queue, stored - 1), upper(queue, stored), upper(queue, stored + 1)))
                        .containsExactly(0L, holdsIt ? 49L : 0L, holdsIt ? 49L : 0L);
            }
        }
    }

    private long lower(QueueAt queue, long timestamp) {
        return bench.puller().search(queue, timestamp);
    }

    private long upper(QueueAt queue, long timestamp) {
        return bench.puller().search(queue, timestamp, "upper");
    }
}
