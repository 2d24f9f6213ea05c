package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import java.io.IOException;
import java.util.List;

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
