package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.StockConsumer;
import java.io.IOException;
import java.util.List;

/** mqadmin on brokers, groups and NameServers. */
final class AdminBrokerScenarios {
    private final Admin admin;
    private final Bench bench;

    AdminBrokerScenarios(Admin admin, Bench bench) {
        this.admin = admin;
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("getBrokerConfig lists the settings", this::config),
                new Scenario("updateBrokerConfig changes a setting", this::changedConfig),
                new Scenario("brokerStatus shows what runs and how far the log reaches", this::status),
                new Scenario(
                        "brokerConsumeStats and consumerProgress show a group that has read everything",
                        this::progress),
                new Scenario("consumerProgress shows what a group still has to read", this::lag),
                new Scenario(
                        "consumerConnection shows a running consumer and its subscription", this::consumerConnection),
                new Scenario("producerConnection shows a running producer", this::producerConnection),
                new Scenario("updateSubGroup and deleteSubGroup make and remove a group", this::group),
                new Scenario("resetOffsetByTime lets a stopped group read again from the start", this::reset),
                new Scenario(
                        "the NameServer shows its settings and keeps a KV pair until it is deleted", this::namesrv));
    }

    private String[] broker(String... more) {
        String[] all = new String[more.length + 2];
        all[0] = "-b";
        all[1] = admin.target().broker();
        System.arraycopy(more, 0, all, 2, more.length);
        return all;
    }

    private void config() throws IOException {
        String output = admin.ok("getBrokerConfig", broker());
        assertThat(Admin.line(output, "brokerName "))
                .isEqualTo("brokerName = " + admin.target().brokerName());
        assertThat(Admin.line(output, "brokerClusterName "))
                .isEqualTo("brokerClusterName = " + admin.target().clusterName());
        assertThat(Admin.line(output, "flushDiskType ")).isNotEmpty();
    }

    private void changedConfig() throws IOException {
        String output = admin.ok("updateBrokerConfig", broker("-k", "shortPollingTimeMills", "-v", "321"));
        assertThat(output)
                .contains("update broker config success, " + admin.target().broker());
        assertThat(Admin.line(admin.ok("getBrokerConfig", broker()), "shortPollingTimeMills "))
                .isEqualTo("shortPollingTimeMills = 321");
        admin.ok("updateBrokerConfig", broker("-k", "shortPollingTimeMills", "-v", "1000"));
    }

    private void status() throws IOException {
        bench.producer().send(bench.topic(1), 1);
        String output = admin.ok("brokerStatus", broker());
        assertThat(output)
                .contains(
                        "brokerVersionDesc", "putTps", "getTotalTps", "runtime", "commitLogMinOffset", "bootTimestamp");
        String end = Admin.line(output, "commitLogMaxOffset").replaceAll("\\D", "");
        assertThat(Long.parseLong(end)).isPositive();
    }

    private String consumedGroup(String topic) {
        String group = Bench.fresh("admin-group");
        bench.producer().send(topic, 10);
        try (StockConsumer consumer = bench.driver().consumer(group, topic)) {
            consumer.await(10);
        }
        return group;
    }

    private void progress() throws IOException {
        String topic = bench.topic(1);
        String group = consumedGroup(topic);
        String stats = Admin.line(admin.ok("brokerConsumeStats", broker()), topic, group);
        assertThat(stats).startsWith(topic + " " + group + " " + admin.target().brokerName() + " 0 10 10 0");
        String progress = admin.ok("consumerProgress", "-g", group);
        assertThat(Admin.line(progress, topic))
                .startsWith(topic + " " + admin.target().brokerName() + " 0 10 10 ");
        assertThat(Admin.line(progress, "Diff Total")).contains("Diff Total: 0");
    }

    private void lag() throws IOException {
        String topic = bench.topic(1);
        String group = consumedGroup(topic);
        bench.producer().send(topic, 7);
        assertThat(Admin.line(admin.ok("consumerProgress", "-g", group), "Diff Total"))
                .contains("Diff Total: 7");
    }

    private void consumerConnection() throws IOException {
        String topic = bench.topic(1);
        String group = Bench.fresh("admin-group");
        try (StockConsumer consumer = bench.driver().consumer(group, topic, "expr", "tagA")) {
            bench.producer().send("sync", topic, "tags", "tagA");
            consumer.await(1);
            String output = admin.ok("consumerConnection", "-g", group);
            assertThat(Admin.line(output, topic)).contains("tagA");
            assertThat(output).contains("CONSUME_PASSIVELY", "CLUSTERING", "CONSUME_FROM_FIRST_OFFSET", "127.0.0.1:");
        }
    }

    private void producerConnection() throws IOException {
        String topic = bench.topic(1);
        String group = Bench.fresh("admin-producers");
        try (var producer = bench.driver().producer(group)) {
            producer.send(topic, 1);
            // Producers become known by their heartbeat, which need not come with the first send.
            await("the heartbeat")
                    .atMost(Bench.PATIENCE.multipliedBy(2))
                    .untilAsserted(() -> assertThat(clientRows(admin.run("producerConnection", "-g", group, "-t", topic)
                                    .stdout()))
                            .singleElement(STRING)
                            .contains(" " + producer.clientId() + " ", " 127.0.0.1:", " JAVA "));
        }
    }

    /** The rows that begin with a number. */
    private static List<String> clientRows(String shown) {
        return shown.lines()
                .filter(line -> line.matches("\\d{4}\\s.*"))
                .map(line -> line.strip().replaceAll("\\s+", " "))
                .toList();
    }

    private void group() throws IOException {
        String group = Bench.fresh("made-group");
        assertThat(admin.ok("updateSubGroup", "-c", admin.target().clusterName(), "-g", group))
                .contains("create subscription group to " + admin.target().broker() + " success");
        assertThat(admin.ok("deleteSubGroup", "-c", admin.target().clusterName(), "-g", group))
                .contains("delete subscription group [" + group + "]", "success");
    }

    private void reset() throws IOException {
        String topic = bench.topic(1);
        String group = consumedGroup(topic);
        admin.ok("resetOffsetByTime", "-g", group, "-t", topic, "-s", "0");
        try (StockConsumer again = bench.driver().consumer(group, topic)) {
            assertThat(again.await(10)).hasSizeGreaterThanOrEqualTo(10);
        }
    }

    private void namesrv() throws IOException {
        assertThat(Admin.line(admin.ok("getNamesrvConfig"), "listenPort "))
                .endsWith(admin.target()
                        .namesrv()
                        .substring(admin.target().namesrv().indexOf(':') + 1));
        assertThat(admin.ok("updateKvConfig", "-s", "harness", "-k", "key", "-v", "value"))
                .contains("success");
        assertThat(admin.ok("deleteKvConfig", "-s", "harness", "-k", "key")).contains("success");
    }
}
