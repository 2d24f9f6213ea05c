package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.QueueAt;
import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockConsumer;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** mqadmin on consumer groups: settings, who is there, how far they are, and where they go on. */
final class AdminConsumerScenarios {
    private static final Pattern CLIENT_ID = Pattern.compile("(\\S+@\\S+)");

    private final Admin admin;
    private final Bench bench;

    AdminConsumerScenarios(Admin admin, Bench bench) {
        this.admin = admin;
        this.bench = bench;
    }

    /** Those of tools 5.x; brokers of that release pass over the name by which tools 4.9.x ask to delete positions. */
    List<Scenario> all() {
        return Stream.concat(
                        every().stream(),
                        Stream.of(new Scenario(
                                "deleteSubGroup with -r takes the positions of the group away",
                                this::deletedWithOffsets)))
                .toList();
    }

    /** Those that tools of every release can do. */
    List<Scenario> every() {
        return List.of(
                new Scenario("updateSubGroup sets every option it has", this::everyOption),
                new Scenario("consumerProgress without a group lists all of them", this::allProgress),
                new Scenario("consumerConnection of a group nobody is in says so", this::nobodyConnected),
                new Scenario("producerConnection of an unknown group says so", this::noProducers),
                new Scenario("consumerStatus shows what a running consumer says about itself", this::status),
                new Scenario("resetOffsetByTime sets a running consumer back", this::resetOnline),
                new Scenario("resetOffsetByTime takes now and a date as well", this::resetToNowAndToADate),
                new Scenario("skipAccumulatedMessage sets a group to the ends of the queues", this::skipped),
                new Scenario("skipAccumulatedMessage lets a running consumer skip too", this::skippedOnline),
                new Scenario("cloneGroupOffset sets a group to where another one is", this::cloned),
                new Scenario("statsAll shows what is behind and what went through", this::statsAll));
    }

    private String cluster() {
        return admin.target().clusterName();
    }

    /** A group that has consumed ten messages of a topic and left. */
    private String consumedGroup(String topic) {
        String group = Bench.fresh("admin-group");
        bench.producer().send(topic, 10);
        try (StockConsumer consumer = bench.driver().consumer(group, topic)) {
            consumer.await(10);
        }
        return group;
    }

    private String diffTotal(String group) throws IOException {
        return Admin.line(admin.ok("consumerProgress", "-g", group), "Diff Total");
    }

    private void everyOption() throws IOException {
        String group = Bench.fresh("made-group");
        admin.ok(
                "updateSubGroup",
                "-c",
                cluster(),
                "-g",
                group,
                "-s",
                "true",
                "-m",
                "true",
                "-d",
                "false",
                "-q",
                "3",
                "-r",
                "7",
                "-i",
                "0",
                "-w",
                "2",
                "-a",
                "false");
        String shown = admin.ok("getConsumerConfig", "-g", group);
        assertThat(List.of(
                        Admin.line(shown, "consumeEnable"),
                        Admin.line(shown, "consumeFromMinEnable"),
                        Admin.line(shown, "consumeBroadcastEnable"),
                        Admin.line(shown, "retryQueueNums"),
                        Admin.line(shown, "retryMaxTimes"),
                        Admin.line(shown, "brokerId"),
                        Admin.line(shown, "whichBrokerWhenConsumeSlowly"),
                        Admin.line(shown, "notifyConsumerIdsChangedEnable")))
                .containsExactly(
                        "consumeEnable = true",
                        "consumeFromMinEnable = true",
                        "consumeBroadcastEnable = false",
                        "retryQueueNums = 3",
                        "retryMaxTimes = 7",
                        "brokerId = 0",
                        "whichBrokerWhenConsumeSlowly = 2",
                        "notifyConsumerIdsChangedEnable = false");
    }

    private void deletedWithOffsets() throws IOException {
        String topic = bench.topic(1);
        String group = consumedGroup(topic);
        assertThat(diffTotal(group)).contains("Diff Total: 0");
        admin.ok("deleteSubGroup", "-c", cluster(), "-g", group, "-r", "true");
        assertThat(admin.run("getConsumerConfig", "-g", group).stdout()).doesNotContain("retryMaxTimes");
        try (StockConsumer again = bench.driver().consumer(group, topic)) {
            assertThat(again.await(10)).as("from the start").hasSizeGreaterThanOrEqualTo(10);
        }
    }

    private void allProgress() throws IOException {
        String topic = bench.topic(1);
        String group = consumedGroup(topic);
        bench.producer().send(topic, 4);
        assertThat(Admin.line(admin.ok("consumerProgress"), group))
                .startsWith(group + " ")
                .endsWith(" 4");
    }

    private void nobodyConnected() throws IOException {
        String group = consumedGroup(bench.topic(1));
        StockAdmin.Result result = admin.run("consumerConnection", "-g", group);
        assertThat(result.stdout() + result.stderr()).contains("CODE: 206");
    }

    private void noProducers() throws IOException {
        StockAdmin.Result result = admin.run("producerConnection", "-g", Bench.fresh("nobody"), "-t", bench.topic(1));
        assertThat(result.stdout() + result.stderr()).contains("CODE: 1 ");
    }

    private String onlyClientId(String group) throws IOException {
        Matcher id = CLIENT_ID.matcher(admin.ok("consumerConnection", "-g", group));
        assertThat(id.find()).isTrue();
        return id.group(1);
    }

    private void status() throws IOException {
        String topic = bench.topic(2);
        String group = Bench.fresh("admin-group");
        try (StockConsumer consumer = bench.driver().consumer(group, topic)) {
            bench.producer().send(topic, 4);
            consumer.await(4);
            await("the last message to be counted")
                    .atMost(Bench.PATIENCE)
                    .untilAsserted(() -> assertThat(offsets(statusOf(group, consumer.clientId()), topic))
                            .as("one row of each queue")
                            .hasSize(2)
                            .satisfies(offsets -> assertThat(offsets.stream()
                                            .mapToLong(Long::longValue)
                                            .sum())
                                    .isEqualTo(4)));
            String client = onlyClientId(group);
            assertThat(client).isEqualTo(consumer.clientId());
            String shown = statusOf(group, client);
            assertThat(Admin.line(shown, "PROP_CONSUME_TYPE")).contains("CONSUME_PASSIVELY");
            assertThat(shown).contains("#Consumer Subscription#", "#Consumer Offset#", "#Consumer RT&TPS#", topic);
            assertThat(shown.lines()
                            .filter(line -> line.startsWith(topic)
                                    && line.contains(admin.target().brokerName())))
                    .as("both queues")
                    .hasSizeGreaterThanOrEqualTo(2);
            assertThat(shown).as("the stacks").contains("#Consumer jstack#", "TID:");
        }
    }

    private String statusOf(String group, String client) throws IOException {
        // Its settings have names that look like failures, so the output alone counts.
        return admin.run("consumerStatus", "-g", group, "-i", client, "-s").stdout();
    }

    /** The last of four columns: topic, broker, queue, offset. */
    private List<Long> offsets(String shown, String topic) {
        return shown.lines()
                .map(line -> line.strip().split("\\s+"))
                .filter(row -> row.length == 4
                        && row[0].equals(topic)
                        && row[1].equals(admin.target().brokerName()))
                .map(row -> Long.parseLong(row[3]))
                .toList();
    }

    private void resetOnline() throws IOException {
        String topic = bench.topic(1);
        String group = Bench.fresh("admin-group");
        try (StockConsumer consumer = bench.driver().consumer(group, topic)) {
            bench.producer().send(topic, 6);
            consumer.await(6);
            admin.ok("resetOffsetByTime", "-g", group, "-t", topic, "-s", "0");
            assertThat(consumer.await(12)).as("each once more").hasSizeGreaterThanOrEqualTo(12);
        }
        await("its last commit does not undo the reset")
                .atMost(Bench.PATIENCE)
                .until(() -> diffTotal(group).contains("Diff Total: 0"));
    }

    private void resetToNowAndToADate() throws IOException {
        String topic = bench.topic(1);
        String group = consumedGroup(topic);
        bench.producer().send(topic, 3);
        String now = admin.ok("resetOffsetByTime", "-g", group, "-t", topic, "-s", "now");
        assertThat(Admin.line(now, admin.target().brokerName())).endsWith(" 13");
        assertThat(diffTotal(group)).contains("Diff Total: 0");
        String date = admin.ok("resetOffsetByTime", "-g", group, "-t", topic, "-s", "2020-01-01#00:00:00:000");
        assertThat(Admin.line(date, admin.target().brokerName())).endsWith(" 0");
        assertThat(diffTotal(group)).contains("Diff Total: 13");
    }

    private void skipped() throws IOException {
        String topic = bench.topic(1);
        String group = consumedGroup(topic);
        bench.producer().send(topic, 5);
        assertThat(diffTotal(group)).contains("Diff Total: 5");
        String skipped = admin.ok("skipAccumulatedMessage", "-g", group, "-t", topic);
        assertThat(Admin.line(skipped, admin.target().brokerName())).endsWith(" 15");
        assertThat(diffTotal(group)).contains("Diff Total: 0");
    }

    private void skippedOnline() throws IOException {
        String topic = bench.topic(1);
        String group = Bench.fresh("admin-group");
        try (StockConsumer consumer = bench.driver().consumer(group, topic)) {
            bench.producer().send(topic, 5);
            admin.ok("skipAccumulatedMessage", "-g", group, "-t", topic, "-f", "true");
            await("nothing left")
                    .atMost(Bench.PATIENCE)
                    .until(() -> diffTotal(group).contains("Diff Total: 0"));
            assertThat(consumer.received()).hasSizeLessThanOrEqualTo(5);
        }
    }

    private void cloned() throws IOException {
        String topic = bench.topic(1);
        String from = consumedGroup(topic);
        String to = Bench.fresh("made-group");
        admin.ok("updateSubGroup", "-c", cluster(), "-g", to);
        assertThat(admin.ok("cloneGroupOffset", "-s", from, "-d", to, "-t", topic, "-o", "true"))
                .contains("clone group offset success");
        bench.producer().send(topic, 2);
        try (StockConsumer consumer = bench.driver().consumer(to, topic)) {
            assertThat(consumer.await(2)).as("it goes on from there").hasSize(2);
        }
        QueueAt queue = bench.puller().queues(topic).get(0);
        assertThat(bench.puller().max(queue)).isEqualTo(12);
    }

    private void statsAll() throws IOException {
        String topic = bench.topic(1);
        String group = consumedGroup(topic);
        bench.producer().send(topic, 6);
        assertThat(Admin.line(admin.ok("statsAll", "-t", topic), topic, group))
                .as("six are not read yet")
                .startsWith(topic + " " + group + " 6 ");
    }
}
