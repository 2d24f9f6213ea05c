package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockProducer;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** mqadmin on messages. */
final class AdminMessageScenarios {
    private final Admin admin;
    private final Bench bench;

    AdminMessageScenarios(Admin admin, Bench bench) {
        this.admin = admin;
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("sendMessage stores a message that a consumer can read", this::sent),
                new Scenario("queryMsgById and queryMsgByUniqueKey show the message of that id", this::byIds),
                new Scenario("queryMsgByKey lists the messages of a key", this::byKey),
                new Scenario(
                        "queries show what was delayed or in a transaction as any message, once it is delivered",
                        this::delivered),
                new Scenario("queries show what waits and what is undecided under the topic it lies in", this::waiting),
                new Scenario("queryMsgByOffset shows the message in that place", this::byOffset),
                new Scenario("printMsg prints every message of a topic", this::printed),
                new Scenario("consumeMessage prints every message of a topic", this::consumed));
    }

    private void sent() throws IOException {
        String topic = bench.topic(1);
        String line = Admin.line(
                admin.ok("sendMessage", "-t", topic, "-p", "by mqadmin", "-k", "k1", "-c", "tagA"), "SEND_OK");
        assertThat(line).startsWith(admin.target().brokerName() + " 0 SEND_OK ");
        Received read = bench.puller().all(topic).get(0);
        assertThat(line).endsWith(read.msgId());
        assertThat(List.of(read.body(), read.tags(), read.keys())).containsExactly("by mqadmin", "tagA", "k1");
    }

    private void byIds() throws IOException {
        String topic = bench.topic(1);
        Sent sent = bench.producer()
                .send("sync", topic, "keys", "k1", "tags", "tagA")
                .get(0);
        awaitIndex(topic, "k1", 1);
        for (String output : List.of(
                admin.ok("queryMsgById", "-t", topic, "-i", sent.offsetMsgId()),
                admin.ok("queryMsgByUniqueKey", "-t", topic, "-i", sent.msgId()))) {
            assertThat(Admin.line(output, "Topic:")).isEqualTo("Topic: " + topic);
            assertThat(Admin.line(output, "Queue Offset:")).isEqualTo("Queue Offset: 0");
            assertThat(Admin.line(output, "Store Host:"))
                    .isEqualTo("Store Host: " + admin.target().broker());
            assertThat(Admin.line(output, "Properties:")).contains("UNIQ_KEY=" + sent.msgId(), "TAGS=tagA");
        }
    }

    private void awaitIndex(String topic, String key, int count) {
        await("the index")
                .atMost(Bench.PATIENCE)
                .ignoreExceptions()
                .until(() -> bench.puller().query(topic, key).size() == count);
    }

    private void byKey() throws IOException {
        String topic = bench.topic(1);
        List<Sent> sent = bench.producer().send("sync", topic, "count", 3, "keys", "wanted");
        bench.producer().send("sync", topic, "count", 3, "keys", "other");
        awaitIndex(topic, "wanted", 3);
        String output = admin.ok("queryMsgByKey", "-t", topic, "-k", "wanted");
        assertThat(output).contains(sent.stream().map(Sent::msgId).toList());
        assertThat(output.lines().filter(line -> line.matches("[0-9A-F]{32}.*")))
                .hasSize(3);
    }

    private void delivered() throws IOException {
        String topic = bench.topic(1);
        try (StockProducer transactions = transactions()) {
            Sent delayed = bench.producer()
                    .send("sync", topic, "keys", "kind", "systemProperties", Map.of("TIMER_DELAY_MS", "1000"))
                    .get(0);
            Sent committed = transactions
                    .inTransaction("COMMIT_MESSAGE", topic, "keys", "kind")
                    .get(0);
            awaitIndex(topic, "kind", 2);
            assertThat(admin.ok("queryMsgByKey", "-t", topic, "-k", "kind"))
                    .contains(delayed.msgId(), committed.msgId());
            for (String id : List.of(delayed.msgId(), committed.msgId())) {
                String output = admin.ok("queryMsgByUniqueKey", "-t", topic, "-i", id);
                assertThat(Admin.line(output, "Topic:")).isEqualTo("Topic: " + topic);
                assertThat(Admin.line(output, "Properties:")).contains("UNIQ_KEY=" + id, "KEYS=kind");
            }
        }
    }

    private StockProducer transactions() {
        return bench.driver().producer(Bench.fresh("transactions"), "check", "UNKNOW");
    }

    private void waiting() throws IOException {
        String topic = bench.topic(1);
        String halfTopic = "RMQ_SYS_TRANS_HALF_TOPIC";
        try (StockProducer transactions = transactions()) {
            Sent waits = bench.producer()
                    .send("sync", topic, "systemProperties", Map.of("TIMER_DELAY_MS", "3600000"))
                    .get(0);
            Sent half = transactions.inTransaction("UNKNOW", topic).get(0);
            String waiting = admin.ok("queryMsgById", "-t", "rmq_sys_wheel_timer", "-i", waits.offsetMsgId());
            assertThat(Admin.line(waiting, "Topic:")).isEqualTo("Topic: rmq_sys_wheel_timer");
            assertThat(Admin.line(waiting, "Properties:")).contains("REAL_TOPIC=" + topic, "UNIQ_KEY=" + waits.msgId());
            String undecided = admin.ok("queryMsgByUniqueKey", "-t", halfTopic, "-i", half.msgId());
            assertThat(Admin.line(undecided, "Topic:")).isEqualTo("Topic: " + halfTopic);
            assertThat(Admin.line(undecided, "Properties:"))
                    .contains("REAL_TOPIC=" + topic, "UNIQ_KEY=" + half.msgId());
            assertThat(Admin.line(
                            admin.ok("topicStatus", "-t", halfTopic),
                            admin.target().brokerName()))
                    .startsWith(admin.target().brokerName() + " 0 0 ");
        }
    }

    private void byOffset() throws IOException {
        String topic = bench.topic(1);
        List<Sent> sent = bench.producer().send(topic, 3);
        String output =
                admin.ok("queryMsgByOffset", "-t", topic, "-b", admin.target().brokerName(), "-i", "0", "-o", "1");
        assertThat(output).contains(sent.get(1).msgId());
        assertThat(Admin.line(output, "Queue Offset:")).isEqualTo("Queue Offset: 1");
    }

    private void printed() throws IOException {
        String topic = bench.topic(2);
        bench.producer().send(topic, 5);
        assertThat(admin.ok("printMsg", "-t", topic))
                .contains(
                        "BODY: message 0", "BODY: message 1", "BODY: message 2", "BODY: message 3", "BODY: message 4");
    }

    private void consumed() throws IOException {
        String topic = bench.topic(2);
        bench.producer().send(topic, 5);
        assertThat(admin.ok("consumeMessage", "-t", topic))
                .contains(
                        "BODY: message 0", "BODY: message 1", "BODY: message 2", "BODY: message 3", "BODY: message 4");
    }
}
