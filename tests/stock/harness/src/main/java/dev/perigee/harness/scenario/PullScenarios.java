package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.QueueAt;
import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockPuller.Pulled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Reading by queue and offset: pulls, offsets, lite pull, queries. */
final class PullScenarios {
    private static final int POLLS_A_SEEK = 10;

    private final Bench bench;

    PullScenarios(Bench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("a pull names found, no new, no match and illegal offsets", this::statuses),
                new Scenario("a pull returns at most as many as asked, in order", this::pages),
                new Scenario("a blocking pull is answered by the message it waits for", this::longPoll),
                new Scenario("offsets of a queue and of a time are exact", this::offsets),
                new Scenario("a committed offset is read back, and nothing stored reads as none", this::committed),
                new Scenario("a message is found by both its ids", this::byId),
                new Scenario("messages are found by key, and only by that key of that topic", this::byKey),
                new Scenario("a lite pull consumer polls everything and its commit is read back", this::litePull),
                new Scenario("a lite pull consumer reads from where it seeks", this::liteSeek));
    }

    private QueueAt queueWith(int messages, Object... options) {
        String topic = bench.topic(1);
        Object[] all = new Object[options.length + 2];
        all[0] = "count";
        all[1] = messages;
        System.arraycopy(options, 0, all, 2, options.length);
        assertThat(bench.producer().send("sync", topic, all)).allMatch(Sent::isOk);
        return bench.puller().queues(topic).get(0);
    }

    private void statuses() {
        QueueAt queue = queueWith(5, "tags", "tagA");
        Pulled found = bench.puller().pull(queue, 0);
        assertThat(found.status()).isEqualTo("FOUND");
        assertThat(List.of(found.next(), found.min(), found.max())).containsExactly(5L, 0L, 5L);
        Pulled end = bench.puller().pull(queue, 5);
        assertThat(end.status()).isEqualTo("NO_NEW_MSG");
        Pulled nothing = bench.puller().pull(queue, 0, "expr", "tagB");
        assertThat(nothing.status()).isEqualTo("NO_MATCHED_MSG");
        assertThat(nothing.next()).isEqualTo(5);
        Pulled beyond = bench.puller().pull(queue, 77);
        assertThat(beyond.status()).isEqualTo("OFFSET_ILLEGAL");
        assertThat(beyond.next()).isEqualTo(5);
    }

    private void pages() {
        QueueAt queue = queueWith(10);
        Pulled first = bench.puller().pull(queue, 0, "max", 3);
        assertThat(first.messages()).extracting(Received::body).containsExactly("message 0", "message 1", "message 2");
        assertThat(first.next()).isEqualTo(3);
        Pulled rest = bench.puller().pull(queue, first.next());
        assertThat(rest.messages()).hasSize(7).extracting(Received::queueOffset).isSorted();
    }

    private void longPoll() throws Exception {
        QueueAt queue = queueWith(1);
        CompletableFuture<Pulled> waiting = bench.puller().pullBlocking(queue, 1);
        assertThat(waiting).isNotDone();
        long sentAt = System.nanoTime();
        bench.producer().send("sync", queue.topic(), "body", "awaited");
        Pulled pulled = waiting.get(60, TimeUnit.SECONDS);
        assertThat(pulled.messages()).extracting(Received::body).containsExactly("awaited");
        assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - sentAt)).isLessThan(10);
    }

    private void offsets() {
        QueueAt queue = queueWith(5);
        List<Received> read = bench.puller().pull(queue, 0).messages();
        long first = read.get(0).shape().getLongValue("storeTimestamp");
        long last = read.get(4).shape().getLongValue("storeTimestamp");
        assertThat(bench.puller().min(queue)).isZero();
        assertThat(bench.puller().max(queue)).isEqualTo(5);
        assertThat(bench.puller().search(queue, first - 60_000)).isZero();
        assertThat(bench.puller().search(queue, first)).isZero();
        assertThat(bench.puller().search(queue, last + 60_000)).isEqualTo(5);
        // The stock store answers with the oldest message of all topics or of this queue, depending on its version.
        assertThat(bench.puller().earliest(queue)).isPositive().isLessThanOrEqualTo(last);
    }

    private void committed() {
        QueueAt queue = queueWith(5);
        assertThat(bench.puller().committed(queue)).isLessThanOrEqualTo(0);
        bench.puller().commit(queue, 3);
        await("the commit").atMost(Bench.PATIENCE).until(() -> bench.puller().committed(queue) == 3);
    }

    private void byId() {
        String topic = bench.topic(1);
        Sent sent = bench.producer()
                .send("sync", topic, "body", "wanted", "keys", "id-key")
                .get(0);
        assertThat(bench.puller().view(topic, sent.offsetMsgId()).body()).isEqualTo("wanted");
        // The index is built behind the append.
        await("the index")
                .atMost(Bench.PATIENCE)
                .ignoreExceptions()
                .until(() -> bench.puller().view(topic, sent.msgId()).body().equals("wanted"));
    }

    private void byKey() {
        String topic = bench.topic(2);
        String other = bench.topic(2);
        bench.producer().send("sync", topic, "count", 6, "keys", "even");
        bench.producer().send("sync", topic, "count", 3, "keys", "odd other");
        bench.producer().send("sync", other, "count", 2, "keys", "even");
        await("the index")
                .atMost(Bench.PATIENCE)
                .ignoreExceptions()
                .until(() -> bench.puller().query(topic, "even").size() == 6);
        await("the second key")
                .atMost(Bench.PATIENCE)
                .ignoreExceptions()
                .until(() -> bench.puller().query(topic, "other").size() == 3);
        assertThat(bench.puller().query(topic, "even"))
                .extracting(Received::topic)
                .containsOnly(topic);
    }

    private void litePull() {
        String topic = bench.topic(2);
        bench.producer().send("sync", topic, "count", 30, "keys", "k{i}");
        String group = Bench.fresh("lite");
        bench.driver()
                .call(
                        "lite.start",
                        "name",
                        group,
                        "group",
                        group,
                        "topic",
                        topic,
                        "settings",
                        Map.of("autoCommit", false));
        List<Received> polled = new ArrayList<>();
        await("30 messages").atMost(Bench.PATIENCE).until(() -> {
            polled.addAll(poll(group));
            return polled.size() >= 30;
        });
        assertThat(polled).hasSize(30).extracting(Received::keys).doesNotHaveDuplicates();
        bench.driver().call("lite.commit", "name", group);
        await("the commit").atMost(Bench.PATIENCE).until(() -> committedBy(group, topic) == 30);
        bench.driver().call("lite.stop", "name", group);
    }

    private long committedBy(String group, String topic) {
        return bench.puller().queues(topic).stream()
                .mapToLong(queue -> bench.driver()
                        .call(
                                "lite.committed",
                                "name",
                                group,
                                "topic",
                                topic,
                                "broker",
                                queue.broker(),
                                "queueId",
                                queue.queueId())
                        .getLongValue("offset"))
                .sum();
    }

    private List<Received> poll(String consumer) {
        return bench.driver().call("lite.poll", "name", consumer, "timeoutMs", 1_000).getJSONArray("messages").stream()
                .map(message -> new Received((JSONObject) message))
                .toList();
    }

    private void liteSeek() {
        QueueAt queue = queueWith(10);
        String group = Bench.fresh("seeker");
        Map<String, Object> at = Map.of("topic", queue.topic(), "broker", queue.broker(), "queueId", queue.queueId());
        bench.driver().call("lite.start", "name", group, "group", group);
        bench.driver().call("lite.assign", "name", group, "queues", List.of(at));
        List<String> bodies = new ArrayList<>();
        // A stock client that seeks while it begins to pull may lose its pull, and has to seek again.
        await("three messages").atMost(Bench.PATIENCE).until(() -> pollsFromSeven(group, queue, bodies));
        assertThat(bodies).containsExactly("message 7", "message 8", "message 9");
        bench.driver().call("lite.stop", "name", group);
    }

    /** Seeks, and polls for some seconds. */
    private boolean pollsFromSeven(String group, QueueAt queue, List<String> bodies) {
        bench.driver()
                .call(
                        "lite.seek",
                        "name",
                        group,
                        "topic",
                        queue.topic(),
                        "broker",
                        queue.broker(),
                        "queueId",
                        queue.queueId(),
                        "offset",
                        7);
        bodies.clear();
        for (int i = 0; i < POLLS_A_SEEK && bodies.size() < 3; i++) {
            poll(group).forEach(message -> bodies.add(message.body()));
        }
        return bodies.size() >= 3;
    }
}
