package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.DriverException;
import dev.perigee.harness.QueueAt;
import dev.perigee.harness.Received;
import dev.perigee.harness.StockConsumer;
import java.util.List;

/** Black-box checks by number. A stock broker fails the first two (a young queue starts at 0 there), so they are for Perigee only. */
final class CheckScenarios {
    private static final String LAST = "CONSUME_FROM_LAST_OFFSET";

    private final Bench bench;

    CheckScenarios(Bench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario(
                        "K01 a new group at the last offset gets all that is sent after its start", this::fromLast),
                new Scenario("K02 a new group at the last offset gets nothing older", this::onlyNew),
                new Scenario("K05 a key whose hash collides with another topic's is not found", this::collidingKeys),
                new Scenario("K06 one store time of a whole batch is found from its first message", this::byTime));
    }

    private void fromLast() {
        String topic = bench.topic(4);
        try (StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic, "from", LAST)) {
            bench.producer().send(topic, 100);
            consumer.await(100);
            assertThat(consumer.bodies()).hasSize(100).doesNotHaveDuplicates();
        }
    }

    private void onlyNew() {
        String topic = bench.topic(4);
        bench.producer().send("sync", topic, "count", 10, "body", "old {i}");
        try (StockConsumer consumer = bench.driver().consumer(Bench.fresh("group"), topic, "from", LAST)) {
            bench.producer().send("sync", topic, "count", 5, "body", "new {i}");
            consumer.await(5);
            assertThat(consumer.bodies()).containsExactlyInAnyOrder("new 0", "new 1", "new 2", "new 3", "new 4");
        }
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
        bench.producer().send("batch", topic, "count", 50);
        List<Received> batch = bench.puller().all(topic);
        long stored = batch.get(0).shape().getLongValue("storeTimestamp");
        for (QueueAt queue : bench.puller().queues(topic)) {
            boolean holdsIt = queue.queueId() == batch.get(0).queueId();
            assertThat(bench.puller().search(queue, stored - 1)).isZero();
            assertThat(bench.puller().search(queue, stored)).isZero();
            assertThat(bench.puller().search(queue, stored + 1)).isEqualTo(holdsIt ? 50 : 0);
        }
    }
}
