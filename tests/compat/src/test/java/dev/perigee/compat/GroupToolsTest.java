package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.fastjson2.JSON;
import com.alibaba.fastjson2.JSONArray;
import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.own.PerigeeProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stock mqadmin and our own tool with a group of three brokers in processes of their own. */
@Tag("full")
final class GroupToolsTest {
    /** For one step, which starts a JVM or two, and may come upon an election on a busy machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    private static final Duration ONE_RUN = Duration.ofMinutes(5);
    private static final String BROKER = "perigee-a";

    @TempDir
    private Path folder;

    private RunningGroup group;

    @BeforeEach
    void start() throws Exception {
        group = new RunningGroup(folder);
    }

    @AfterEach
    void stop() {
        group.close();
    }

    private static String at(PerigeeProcess broker) {
        return broker.target().broker();
    }

    private List<PerigeeProcess> followers(PerigeeProcess master) {
        return group.brokers().stream().filter(each -> !each.equals(master)).toList();
    }

    @ParameterizedTest
    @EnumSource(names = {"TOOLS5", "TOOLS4"})
    void mqadminSeesOneMasterWithTwoSlavesInSyncAndWorksAtAnyMember(StockPeer peer) {
        StockAdmin tools = new StockAdmin(peer, folder.resolve("tools"));
        String names = group.namesrv();
        eventually(() -> seesOneMaster(tools));

        String topic = "made-at-a-member";
        eventually(
                () -> run(tools, "updateTopic", "-n", names, "-b", at(aFollower()), "-t", topic, "-r", "3", "-w", "3"));
        eventually(() -> {
            StockAdmin.Result route = run(tools, "topicRoute", "-n", names, "-t", topic);
            assertThat(group.brokers())
                    .allSatisfy(each -> assertThat(route.stdout()).contains(at(each)));
        });
        eventually(() -> run(tools, "brokerStatus", "-n", names, "-b", at(aFollower())));
        eventually(() -> run(tools, "consumerProgress", "-n", names));
        eventually(() -> run(tools, "deleteTopic", "-n", names, "-c", "DefaultCluster", "-t", topic));
        if (peer == StockPeer.TOOLS5) {
            eventually(() -> assertThat(run(tools, "haStatus", "-n", names, "-b", at(group.master()))
                            .stdout())
                    .containsPattern("InSyncSlaveNum\\s+2"));
            eventually(() -> assertThat(run(tools, "haStatus", "-n", names, "-b", at(aFollower()))
                            .stdout())
                    .contains("MasterAddr")
                    .contains("LastReadTime"));
        }
    }

    /** An election may come within a step on a busy machine: then that step is done anew. */
    private static void eventually(ThrowingRunnable step) {
        await().atMost(PATIENCE).pollDelay(Duration.ZERO).ignoreExceptions().untilAsserted(step);
    }

    private PerigeeProcess aFollower() {
        return followers(group.master()).get(0);
    }

    private void seesOneMaster(StockAdmin tools) throws Exception {
        PerigeeProcess master = group.master();
        assertThat(group.admin().brokers().haStatus(at(master)).inSyncSlaveNums())
                .isEqualTo(2);
        StockAdmin.Result list = run(tools, "clusterList", "-n", group.namesrv());
        assertThat(idOf(list, at(master))).isZero();
        Set<Integer> others = new TreeSet<>();
        followers(master).forEach(each -> others.add(idOf(list, at(each))));
        assertThat(others).hasSize(2).isSubsetOf(1, 2, 3);
    }

    private static StockAdmin.Result run(StockAdmin tools, String... arguments) throws IOException {
        StockAdmin.Result result = tools.run(arguments);
        assertThat(result.succeeded()).as(result.toString()).isTrue();
        return result;
    }

    /** The word before the address. */
    private static int idOf(StockAdmin.Result list, String address) {
        String line = list.stdout()
                .lines()
                .filter(each -> each.contains(address))
                .findFirst()
                .orElseThrow(() -> new AssertionError(address + " is not in " + list));
        List<String> words = List.of(line.trim().split("\\s+"));
        return Integer.parseInt(words.get(words.indexOf(address) - 1));
    }

    @Test
    void ourToolMovesTheLeadershipAndChangesWhoBelongsToTheGroup() {
        eventually(() -> assertThat(tool("cluster", "status"))
                .filteredOn(line -> ((JSONObject) line).getIntValue("id") != 0)
                .hasSize(2)
                .allMatch(line -> ((JSONObject) line).getString("inSync").equals("yes")));
        PerigeeProcess first = group.brokers().get(0);
        eventually(() -> leads("n0"));
        eventually(() -> leads("n1"));
        eventually(() -> assertThat(tool("raft", "status", at(first)))
                .as("at the address of one, which names the others")
                .hasSize(3)
                .noneMatch(line -> ((JSONObject) line).getString("role").equals("does not answer")));

        eventually(() -> {
            if (members().contains("n0")) {
                tool("raft", "remove", BROKER, "n0", "--yes");
            }
            assertThat(members()).containsExactlyInAnyOrder("n1", "n2");
            assertThat(registered()).doesNotContain(at(first));
        });
        eventually(
                () -> { // with its log, which is the group's
                    if (!members().contains("n0")) {
                        tool("raft", "add", BROKER, at(first));
                    }
                    assertThat(members()).containsExactlyInAnyOrder("n0", "n1", "n2");
                    assertThat(registered()).contains(at(first));
                });
        eventually(() -> {
            if (!votes().equals(Set.of("n0", "n1", "n2"))) {
                tool("raft", "promote", BROKER, "n0");
            }
            assertThat(votes()).containsExactlyInAnyOrder("n0", "n1", "n2");
        });
    }

    /** It holds what was sent before it was there, counts as soon as it is promoted, and may lead. */
    @Test
    void ourToolTakesAnEmptyBrokerInWhichReceivesTheLogVotesAndLeadsWhenAnotherOneHasLeft() throws Exception {
        eventually(() -> printed("send", RunningGroup.TOPIC, "before"));
        PerigeeProcess fourth = group.startAnother("n3");
        eventually(() -> assertThat(members()).containsExactlyInAnyOrder("n0", "n1", "n2"));
        eventually(() -> {
            if (!members().contains("n3")) {
                tool("raft", "add", BROKER, at(fourth));
            }
            assertThat(members()).containsExactlyInAnyOrder("n0", "n1", "n2", "n3");
            assertThat(votes()).containsExactlyInAnyOrder("n0", "n1", "n2");
        });
        eventually(() -> {
            if (!votes().contains("n3")) {
                tool("raft", "promote", BROKER, "n3");
            }
            assertThat(votes()).containsExactlyInAnyOrder("n0", "n1", "n2", "n3");
        });
        eventually(() -> {
            if (members().contains("n0")) {
                tool("raft", "remove", BROKER, "n0", "--yes");
            }
            assertThat(votes()).containsExactlyInAnyOrder("n1", "n2", "n3");
        });

        eventually(() -> leads("n3"));
        group.brokers().get(0).kill();
        group.brokers().get(1).kill();
        eventually(() -> printed("send", RunningGroup.TOPIC, "with its vote"));
        eventually(() -> {
            leads("n3");
            assertThat(printed("consume", RunningGroup.TOPIC, "--no-follow")).contains("before", "with its vote");
        });
    }

    private void leads(String member) throws Exception {
        if (!isServing(member)) {
            tool("raft", "transfer", BROKER, member);
        }
        assertThat(isServing(member)).as(member + " leads and serves").isTrue();
    }

    private boolean isServing(String member) throws Exception {
        return status().stream()
                .anyMatch(line -> line.getString("member").equals(member) && Boolean.TRUE.equals(line.get("serving")));
    }

    private Set<String> votes() throws Exception {
        return status().stream()
                .filter(line -> "yes".equals(line.getString("votes")))
                .map(line -> line.getString("member"))
                .collect(Collectors.toSet());
    }

    private List<JSONObject> status() throws Exception {
        return tool("raft", "status", BROKER).stream()
                .map(JSONObject.class::cast)
                .toList();
    }

    private Set<String> members() throws Exception {
        return status().stream()
                .filter(line -> !"no member".equals(line.getString("votes")))
                .map(line -> line.getString("member"))
                .collect(Collectors.toSet());
    }

    private Set<String> registered() throws Exception {
        return group.admin().brokers().cluster().brokerAddrTable().values().stream()
                .flatMap(broker -> broker.brokerAddrs().values().stream())
                .collect(Collectors.toSet());
    }

    /** Lines of what it prints. */
    private JSONArray tool(String... words) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(words));
        arguments.add("--json");
        String printed = printed(arguments.toArray(String[]::new)).strip();
        return printed.startsWith("[") ? JSON.parseArray(printed) : JSONArray.of(JSON.parse(printed));
    }

    private String printed(String... words) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(words));
        arguments.addAll(List.of("-n", group.namesrv()));
        JavaProcess tool = new JavaCommand(
                        "tool", "dev.perigee.dist.Main", System.getProperty("java.class.path"), folder)
                .arguments(arguments.toArray(String[]::new))
                .start();
        assertThat(tool.awaitExit(ONE_RUN)).as(tool::stderr).isZero();
        return tool.stdout();
    }
}
