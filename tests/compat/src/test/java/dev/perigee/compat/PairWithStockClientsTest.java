package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.fastjson2.JSON;
import com.alibaba.fastjson2.JSONArray;
import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.own.PerigeeProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A master and a slave in processes of their own, which find each other by a NameServer, with stock clients and tools. */
@Tag("full")
final class PairWithStockClientsTest {
    private static final int MANY = 200;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path folder;

    private RunningPair pair;
    private PerigeeProcess master;
    private PerigeeProcess slave;

    @BeforeEach
    void start() throws Exception {
        pair = new RunningPair(folder);
        master = pair.first();
        slave = pair.second();
    }

    @AfterEach
    void stop() {
        pair.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLIENT5", "CLIENT4"})
    void consumersGoOnFromTheSlaveOfAKilledMasterAndNothingGoesBackWhenItReturns(StockPeer client) throws Exception {
        String group = "readers-" + client;
        try (StockDriver driver = StockDriver.impatient(client, folder.resolve("driver"), pair.namesrv())) {
            StockProducer producer = driver.producer("senders-" + client);
            RunningPair.send(producer, 0, MANY);
            try (StockConsumer before = driver.consumer(group, RunningPair.TOPIC)) {
                before.await(MANY);
            }
            await("the offsets at the slave")
                    .atMost(OwnBench.PATIENCE)
                    .until(() -> pair.committed(slave, group) == MANY);
            RunningPair.send(producer, MANY, 2 * MANY);
            pair.awaitLevel(master, slave);

            master.kill();

            try (StockConsumer consumer = driver.consumer(group, RunningPair.TOPIC)) {
                consumer.await(MANY);
                assertThat(sorted(consumer.bodies())).isEqualTo(sorted(RunningPair.bodies(MANY, 2 * MANY)));
                master.start();
                pair.awaitInSync(master);
                await("the offsets at the master")
                        .atMost(OwnBench.PATIENCE)
                        .until(() -> pair.committed(master, group) == 2 * MANY);
                RunningPair.awaitSent(producer, 2 * MANY);
                consumer.await(MANY + 1);
                assertThat(consumer.bodies())
                        .filteredOn(body -> !body.equals("message " + 2 * MANY)) // that one may have been sent again
                        .doesNotHaveDuplicates();
            }
            try (StockConsumer after = driver.consumer(group, RunningPair.TOPIC)) {
                RunningPair.send(producer, 2 * MANY + 1, 2 * MANY + 2);
                after.await(1);
                assertThat(after.bodies()).containsExactly("message " + (2 * MANY + 1));
            }
        }
    }

    /** Route and slave do not send them to the master before that serves, however long it takes. */
    @Test
    void consumersGoOnFromTheSlaveWhileTheMasterThatReturnedWaitsForAnotherReplica() throws Exception {
        List<String> groups = List.of("patient-0", "patient-1", "patient-2");
        PerigeeProcess other = pair.addSlave(folder.resolve("other"), 2);
        try (StockDriver driver = StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("driver"), pair.namesrv())) {
            StockProducer producer = driver.producer("patient-senders");
            RunningPair.send(producer, 0, MANY);
            for (String group : groups) {
                try (StockConsumer before = driver.consumer(group, RunningPair.TOPIC)) {
                    before.await(MANY);
                }
                await("the offsets at the slave")
                        .atMost(OwnBench.PATIENCE)
                        .until(() -> pair.committed(slave, group) == MANY);
            }
            RunningPair.send(producer, MANY, 2 * MANY);
            pair.awaitLevel(master, slave);
            other.kill();
            master.kill();

            JavaProcess waiting = master.launch();
            await("it says what it waits for")
                    .atMost(OwnBench.PATIENCE)
                    .until(() -> waiting.stderr().contains("the start waits for replicas"));
            for (String group : groups) {
                try (StockConsumer consumer = driver.consumer(group, RunningPair.TOPIC)) {
                    consumer.await(MANY);
                    assertThat(sorted(consumer.bodies())).isEqualTo(sorted(RunningPair.bodies(MANY, 2 * MANY)));
                }
            }
            assertThat(waiting.stdout()).doesNotContain("ready");
            try (StockConsumer consumer = driver.consumer(groups.get(0), RunningPair.TOPIC)) {
                other.start();
                RunningPair.awaitSent(producer, 2 * MANY);
                await("what came when the master served")
                        .atMost(OwnBench.PATIENCE)
                        .until(() -> consumer.bodies().contains("message " + 2 * MANY));
            }
        }
    }

    /** The procedure of docs/operations.md: the slave first, then the master, each awaited; nothing is lost, and nobody starts anew. */
    @Test
    void aRollingRestartLosesNothingAndConsumersGoOn() throws Exception {
        String group = "rolled";
        try (StockDriver driver = StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("driver"), pair.namesrv());
                StockConsumer consumer = driver.consumer(group, RunningPair.TOPIC)) {
            StockProducer producer = driver.producer("rolling-senders");
            RunningPair.send(producer, 0, MANY);
            slave.close();
            RunningPair.sendStored(producer, MANY, MANY + 10);
            slave.start();
            pair.awaitInSync(master);
            RunningPair.send(producer, MANY + 10, 2 * MANY);
            pair.awaitLevel(master, slave);
            master.close();
            consumer.await(2 * MANY);
            master.start();
            pair.awaitInSync(master);
            RunningPair.awaitSent(producer, 2 * MANY);
            await("every message")
                    .atMost(OwnBench.PATIENCE)
                    .until(() -> Set.copyOf(consumer.bodies()).containsAll(RunningPair.bodies(0, 2 * MANY + 1)));
            await("the offsets at the master")
                    .atMost(OwnBench.PATIENCE)
                    .until(() -> pair.committed(master, group) >= 2 * MANY);
        }
    }

    private static List<String> sorted(List<String> bodies) {
        List<String> all = new ArrayList<>(bodies);
        Collections.sort(all);
        return all;
    }

    @Test
    void stockToolsShowTheSlaveAndHowFarItIs() throws Exception {
        String masterAt = master.target().broker();
        String slaveAt = slave.target().broker();
        StockAdmin tools5 = new StockAdmin(StockPeer.TOOLS5, folder.resolve("tools5"));
        for (StockPeer peer : new StockPeer[] {StockPeer.TOOLS5, StockPeer.TOOLS4}) {
            StockAdmin tools = new StockAdmin(peer, folder.resolve("tools-" + peer));
            StockAdmin.Result list = tools.run("clusterList", "-n", pair.namesrv());
            assertThat(list.succeeded()).as(list.toString()).isTrue();
            assertThat(list.stdout().lines().filter(line -> line.contains(slaveAt)))
                    .as(list.toString())
                    .singleElement()
                    .asString()
                    .containsPattern("perigee-a\\s+1\\s+");
            assertThat(list.stdout()).contains(masterAt);
        }
        StockAdmin.Result ofMaster = tools5.run("haStatus", "-n", pair.namesrv(), "-b", masterAt);
        assertThat(ofMaster.succeeded()).as(ofMaster.toString()).isTrue();
        assertThat(ofMaster.stdout()).containsPattern("SlaveNum\\s+1").containsPattern("InSyncSlaveNum\\s+1");
        StockAdmin.Result ofSlave = tools5.run("haStatus", "-n", pair.namesrv(), "-b", slaveAt);
        assertThat(ofSlave.succeeded()).as(ofSlave.toString()).isTrue();
        assertThat(ofSlave.stdout()).contains("MasterAddr").contains("LastReadTime");
    }

    @Test
    void ourToolShowsEachPartInReplicationAlsoWhileTheMasterIsDown() throws Exception {
        try (StockDriver driver = StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("driver"), pair.namesrv())) {
            RunningPair.send(driver.producer("shown-senders"), 0, MANY);
        }
        pair.awaitLevel(master, slave);
        JSONArray both = clusterStatus();
        assertThat(both).hasSize(2);
        JSONObject first = both.getJSONObject(0);
        assertThat(first.getIntValue("id")).isZero();
        assertThat(first.getString("address")).isEqualTo(master.target().broker());
        assertThat(first.getString("role")).isEqualTo("SYNC_MASTER");
        assertThat(first.getJSONArray("inSync")).containsExactly(1);
        JSONObject second = both.getJSONObject(1);
        assertThat(second.getIntValue("id")).isEqualTo(1);
        assertThat(second.getString("role")).isEqualTo("SLAVE");
        assertThat(second.getString("inSync")).isEqualTo("yes");
        assertThat(second.getLong("behindBytes")).isZero();
        assertThat(second.getLong("behindMs")).isNotNull();
        assertThat(second.getString("follows")).isNotEmpty();
        assertThat(second.getLong("confirmOffset")).isPositive();

        master.kill();
        JSONObject alone = clusterStatus().stream()
                .map(JSONObject.class::cast)
                .filter(line -> line.getIntValue("id") == 1)
                .findFirst()
                .orElseThrow();
        assertThat(alone.getString("role")).isEqualTo("SLAVE");
        assertThat(alone.get("inSync")).as("nobody says").isNull();
    }

    private JSONArray clusterStatus() throws Exception {
        JavaProcess tool = new JavaCommand(
                        "tool", "dev.perigee.dist.Main", System.getProperty("java.class.path"), folder)
                .arguments("cluster", "status", "--json", "-n", pair.namesrv())
                .start();
        assertThat(tool.awaitExit(PATIENCE)).as(tool::stderr).isZero();
        return JSON.parseArray(tool.stdout());
    }
}
