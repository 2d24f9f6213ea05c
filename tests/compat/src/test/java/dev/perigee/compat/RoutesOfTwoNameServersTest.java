package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.RemotingProbe;
import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.own.PerigeeProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Check K07 with processes and the stock tools: two NameServers, two brokers. The same in one process is {@code RoutesFollowBrokersTest} in
 * {@code dist}.
 */
@Tag("full")
class RoutesOfTwoNameServersTest {
    private static final String CLUSTER = "DefaultCluster";
    private static final String FIRST_BROKER = "perigee-a";
    private static final String SECOND_BROKER = "perigee-b";
    private static final int DELETE_TOPIC_IN_BROKER = 215;
    private static final int GET_ROUTE = 105;
    /** One registration period of these brokers, the shortest that can be set: the bound of the check. */
    private static final Duration PERIOD = Duration.ofSeconds(10);

    @TempDir
    private Path folder;

    @Test
    @DisplayName("K07 every NameServer drops and gains a route within one registration period, one that was killed too")
    void everyNameServerFollows() throws Exception {
        try (PerigeeProcess one = PerigeeProcess.namesrv(folder.resolve("one"));
                PerigeeProcess two = PerigeeProcess.namesrv(folder.resolve("two"));
                PerigeeProcess first = broker(FIRST_BROKER, one, two);
                PerigeeProcess second = broker(SECOND_BROKER, one, two)) {
            List<String> both = List.of(one.target().namesrv(), two.target().namesrv());
            awaitBrokers(both);
            deletedOnOneBroker(both, second);
            createdWhileOneIsAway(one.target().namesrv(), two);
            assertThat(first.process().isAlive()).isTrue();
        }
    }

    private PerigeeProcess broker(String name, PerigeeProcess one, PerigeeProcess two) throws IOException {
        String nameServers = one.target().namesrv() + ";" + two.target().namesrv();
        return PerigeeProcess.broker(
                folder.resolve(name),
                one.target().namesrv(),
                Map.of(
                        "brokerName",
                        name,
                        "namesrvAddr",
                        nameServers,
                        "registerNameServerPeriod",
                        Long.toString(PERIOD.toMillis())));
    }

    private static void awaitBrokers(List<String> nameServers) {
        await("both brokers at both")
                .atMost(OwnBench.PATIENCE)
                .until(() -> nameServers.stream()
                        .allMatch(at -> RemotingProbe.knowsBroker(at, FIRST_BROKER)
                                && RemotingProbe.knowsBroker(at, SECOND_BROKER)));
    }

    private void deletedOnOneBroker(List<String> nameServers, PerigeeProcess second) throws Exception {
        String topic = "k07-deleted";
        run("updateTopic", nameServers.get(0), "-c", CLUSTER, "-t", topic, "-r", "4", "-w", "4");
        for (String at : nameServers) {
            awaitRoute(at, topic, true, true);
        }
        RemotingProbe.Answer deleted =
                RemotingProbe.ask(second.target().broker(), DELETE_TOPIC_IN_BROKER, JSONObject.of("topic", topic));
        assertThat(deleted.code()).as(deleted.remark()).isZero();
        for (String at : nameServers) {
            awaitRoute(at, topic, true, false);
        }
        List<CompletableFuture<String>> routes =
                nameServers.stream().map(at -> route(at, topic)).toList();
        for (CompletableFuture<String> route : routes) {
            assertThat(route.join()).contains(FIRST_BROKER).doesNotContain(SECOND_BROKER);
        }
    }

    private void createdWhileOneIsAway(String alive, PerigeeProcess killed) throws Exception {
        String topic = "k07-created";
        String away = killed.target().namesrv();
        killed.kill();
        run("updateTopic", alive, "-c", CLUSTER, "-t", topic, "-r", "4", "-w", "4");
        awaitRoute(alive, topic, true, true);
        killed.start();
        awaitRoute(away, topic, true, true);
        CompletableFuture<String> here = route(alive, topic);
        assertThat(route(away, topic).join()).contains(FIRST_BROKER, SECOND_BROKER);
        assertThat(here.join()).contains(FIRST_BROKER, SECOND_BROKER);
    }

    private static void awaitRoute(String nameServer, String topic, boolean first, boolean second) {
        await("route of " + topic + " at " + nameServer)
                .atMost(PERIOD.plus(OwnBench.PATIENCE)) // what is begun within a period ends later on a busy machine
                .ignoreExceptions()
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    String body = RemotingProbe.ask(nameServer, GET_ROUTE, JSONObject.of("topic", topic))
                            .body();
                    return body.contains(FIRST_BROKER) == first && body.contains(SECOND_BROKER) == second;
                });
    }

    /** What the stock tool shows; both may be asked at the same time. */
    private CompletableFuture<String> route(String nameServer, String topic) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return run("topicRoute", nameServer, "-t", topic);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private String run(String command, String nameServer, String... more) throws IOException {
        String[] words = new String[more.length + 3];
        words[0] = command;
        words[1] = "-n";
        words[2] = nameServer;
        System.arraycopy(more, 0, words, 3, more.length);
        StockAdmin admin = new StockAdmin(
                StockPeer.TOOLS5, folder.resolve(command + nameServer.replace(':', '-') + String.join("", more)));
        StockAdmin.Result result = admin.run(words);
        assertThat(result.succeeded()).as(result.toString()).isTrue();
        return result.stdout();
    }
}
