package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.QueueAt;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockProducer;
import java.io.IOException;
import java.util.List;

/** mqadmin on clusters, topics and routes. */
final class AdminTopicScenarios {
    private static final String NO_ROUTE = "CODE: 17";
    private static final int NO_ROUTE_AT_CLIENT = 10005;

    private final Admin admin;
    private final Bench bench;

    AdminTopicScenarios(Admin admin, Bench bench) {
        this.admin = admin;
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("clusterList shows the broker as active", this::clusterList),
                new Scenario(
                        "updateTopic creates a topic that topicRoute, topicStatus and topicList know", this::created),
                new Scenario("updateTopic changes the number of queues", this::resized),
                new Scenario("deleteTopic takes the topic and its route away", this::deleted),
                new Scenario("updateTopicPerm makes a topic read-only", this::readOnly),
                new Scenario("cleanUnusedTopic answers success", this::cleaned));
    }

    /** Those that take the whole broker out of service for a moment. */
    List<Scenario> alone() {
        return List.of(new Scenario(
                "wipeWritePerm takes the broker out of writing and addWritePerm brings it back", this::wiped));
    }

    private void clusterList() throws IOException {
        String line = Admin.line(admin.ok("clusterList"), admin.target().brokerName());
        assertThat(line)
                .startsWith(admin.target().clusterName() + " " + admin.target().brokerName() + " 0 "
                        + admin.target().broker())
                .endsWith("true");
    }

    private String create(int queues) throws IOException {
        String topic = Bench.fresh("admin-topic");
        update(topic, queues);
        return topic;
    }

    private void update(String topic, int queues) throws IOException {
        String count = Integer.toString(queues);
        String output =
                admin.ok("updateTopic", "-c", admin.target().clusterName(), "-t", topic, "-r", count, "-w", count);
        assertThat(output).contains("create topic to " + admin.target().broker() + " success");
    }

    private List<QueueAt> queues(String topic) {
        return bench.producer().queues(topic);
    }

    private void created() throws IOException {
        String topic = create(3);
        assertThat(bench.producer().send(topic, 6)).allMatch(Sent::isOk);
        assertThat(admin.ok("topicRoute", "-t", topic))
                .contains(
                        "\"readQueueNums\":3",
                        "\"writeQueueNums\":3",
                        "\"perm\":6",
                        admin.target().broker());
        String status = admin.ok("topicStatus", "-t", topic);
        for (String queue : List.of("0", "1", "2")) {
            assertThat(status.replaceAll(" +", " ")).contains(admin.target().brokerName() + " " + queue + " 0 2 ");
        }
        assertThat(admin.ok("topicList").lines()).contains(topic);
        assertThat(Admin.line(admin.ok("topicList", "-c"), topic))
                .startsWith(admin.target().clusterName() + " " + topic);
    }

    private void resized() throws IOException {
        String topic = create(2);
        update(topic, 5);
        await("five queues")
                .atMost(Bench.PATIENCE)
                .ignoreExceptions()
                .until(() -> queues(topic).size() == 5);
    }

    private void deleted() throws IOException {
        String topic = create(2);
        String output = admin.ok("deleteTopic", "-c", admin.target().clusterName(), "-t", topic);
        assertThat(output)
                .contains("delete topic [" + topic + "] from cluster ["
                        + admin.target().clusterName() + "] success");
        StockAdmin.Result route = admin.run("topicRoute", "-t", topic);
        assertThat(route.succeeded()).isFalse();
        assertThat(route.stderr()).contains(NO_ROUTE);
        assertThat(admin.ok("topicList").lines()).doesNotContain(topic);
    }

    private void readOnly() throws IOException {
        String topic = create(1);
        assertThat(bench.producer().send(topic, 1)).allMatch(Sent::isOk);
        admin.ok("updateTopicPerm", "-c", admin.target().clusterName(), "-t", topic, "-p", "4");
        await("the new permission")
                .atMost(Bench.PATIENCE)
                .until(() -> admin.ok("topicRoute", "-t", topic).contains("\"perm\":4"));
        QueueAt queue = bench.puller().queues(topic).get(0);
        assertThat(bench.puller().pull(queue, 0).messages()).hasSize(1);
        // The client finds no queue to send to; a stock broker itself checks the permission of ordered topics only.
        try (StockProducer late = bench.driver().producer(Bench.fresh("late"))) {
            Sent refused = late.send(topic, 1).get(0);
            assertThat(refused.code()).as(refused.toString()).isEqualTo(NO_ROUTE_AT_CLIENT);
        }
    }

    private void wiped() throws IOException {
        String topic = create(1);
        try {
            // A changed registration undoes a wipe, and the one that brings the new topic may still be on its way.
            await("the wipe").atMost(Bench.PATIENCE).until(() -> {
                assertThat(admin.ok("wipeWritePerm", "-b", admin.target().brokerName()))
                        .contains("OK");
                return admin.ok("topicRoute", "-t", topic).contains("\"perm\":4");
            });
        } finally {
            assertThat(admin.ok("addWritePerm", "-b", admin.target().brokerName()))
                    .contains("OK");
        }
        assertThat(admin.ok("topicRoute", "-t", topic)).contains("\"perm\":6");
    }

    private void cleaned() throws IOException {
        assertThat(admin.ok("cleanUnusedTopic", "-c", admin.target().clusterName()))
                .contains("success");
    }
}
