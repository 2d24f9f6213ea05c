package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.protocol.topic.TopicConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
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
    private static final String TOPIC = "kept-twice";
    private static final int QUEUES = 4;
    private static final int MANY = 200;

    private final List<AutoCloseable> started = new ArrayList<>();

    @TempDir
    private Path folder;

    private String namesrv = "";
    private PerigeeProcess master;
    private PerigeeProcess slave;
    private AdminClient admin;

    private <T extends AutoCloseable> T keep(T part) {
        started.add(0, part);
        return part;
    }

    @BeforeEach
    void start() throws Exception {
        PerigeeProcess names = keep(PerigeeProcess.namesrv(folder.resolve("names")));
        namesrv = names.target().namesrv();
        master = keep(PerigeeProcess.broker(folder.resolve("master"), namesrv, Map.of("brokerRole", "SYNC_MASTER")));
        slave = keep(PerigeeProcess.broker(
                folder.resolve("slave"), namesrv, Map.of("brokerRole", "SLAVE", "brokerId", "1")));
        admin = keep(new OwnBench(names.target(), folder).admin());
        await("the topic").atMost(OwnBench.PATIENCE).ignoreExceptions().until(() -> {
            admin.topics().createOrUpdate(TopicConfig.of(TOPIC, QUEUES));
            return admin.topics().queues(TOPIC).size() == QUEUES;
        });
        awaitInSync();
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable part : started) {
            part.close();
        }
    }

    private void awaitInSync() {
        await("a slave in sync")
                .atMost(OwnBench.PATIENCE)
                .ignoreExceptions()
                .until(() -> admin.brokers().haStatus(master.target().broker()).inSyncSlaveNums() == 1);
    }

    /** All that is acknowledged may be seen on the slave: some milliseconds after the acknowledgement. */
    private void awaitLevel() {
        await("the slave knows what is confirmed").atMost(OwnBench.PATIENCE).until(() -> {
            HaStatus ofMaster = admin.brokers().haStatus(master.target().broker());
            HaStatus ofSlave = admin.brokers().haStatus(slave.target().broker());
            return Objects.equals(ofSlave.confirmOffset(), ofMaster.confirmOffset())
                    && ofSlave.haClientRuntimeInfo().maxOffset() == ofMaster.masterCommitLogMaxOffset();
        });
    }

    private static List<String> bodies(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "message " + i).toList();
    }

    private static void send(StockProducer producer, int from, int to) {
        List<Sent> sent = new ArrayList<>();
        for (int i = from; i < to; i++) {
            sent.addAll(producer.send("sync", TOPIC, "count", 1, "body", "message " + i));
        }
        assertThat(sent).hasSize(to - from).allMatch(Sent::isOk);
    }

    private long committed(PerigeeProcess broker, String group) throws ClientException {
        return admin
                .brokers()
                .consumerOffsets(broker.target().broker())
                .offsetTable()
                .getOrDefault(TOPIC + "@" + group, Map.of())
                .values()
                .stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLIENT5", "CLIENT4"})
    void consumersGoOnFromTheSlaveOfAKilledMasterAndNothingGoesBackWhenItReturns(StockPeer client) throws Exception {
        String group = "readers-" + client;
        try (StockDriver driver = StockDriver.impatient(client, folder.resolve("driver"), namesrv)) {
            StockProducer producer = driver.producer("senders-" + client);
            send(producer, 0, MANY);
            try (StockConsumer before = driver.consumer(group, TOPIC)) {
                before.await(MANY);
            }
            await("the offsets at the slave").atMost(OwnBench.PATIENCE).until(() -> committed(slave, group) == MANY);
            send(producer, MANY, 2 * MANY);
            awaitLevel();

            master.kill();

            try (StockConsumer consumer = driver.consumer(group, TOPIC)) {
                consumer.await(MANY);
                assertThat(sorted(consumer.bodies())).isEqualTo(sorted(bodies(MANY, 2 * MANY)));
                master.start();
                awaitInSync();
                await("the offsets at the master")
                        .atMost(OwnBench.PATIENCE)
                        .until(() -> committed(master, group) == 2 * MANY);
                await("sends go on")
                        .atMost(OwnBench.PATIENCE)
                        .ignoreExceptions()
                        .until(() -> {
                            send(producer, 2 * MANY, 2 * MANY + 1);
                            return true;
                        });
                consumer.await(MANY + 1);
                assertThat(sorted(consumer.bodies())).doesNotHaveDuplicates();
            }
            try (StockConsumer after = driver.consumer(group, TOPIC)) {
                send(producer, 2 * MANY + 1, 2 * MANY + 2);
                after.await(1);
                assertThat(after.bodies()).containsExactly("message " + (2 * MANY + 1));
            }
        }
    }

    /** The procedure of docs/operations.md: the slave first, then the master, each awaited; nothing is lost, and nobody starts anew. */
    @Test
    void aRollingRestartLosesNothingAndConsumersGoOn() throws Exception {
        String group = "rolled";
        try (StockDriver driver = StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("driver"), namesrv);
                StockConsumer consumer = driver.consumer(group, TOPIC)) {
            StockProducer producer = driver.producer("rolling-senders");
            send(producer, 0, MANY);
            slave.close();
            sendStored(producer, MANY, MANY + 10);
            slave.start();
            awaitInSync();
            send(producer, MANY + 10, 2 * MANY);
            awaitLevel();
            master.close();
            consumer.await(2 * MANY);
            master.start();
            awaitInSync();
            await("sends go on").atMost(OwnBench.PATIENCE).ignoreExceptions().until(() -> {
                send(producer, 2 * MANY, 2 * MANY + 1);
                return true;
            });
            await("every message")
                    .atMost(OwnBench.PATIENCE)
                    .until(() -> Set.copyOf(consumer.bodies()).containsAll(bodies(0, 2 * MANY + 1)));
            await("the offsets at the master")
                    .atMost(OwnBench.PATIENCE)
                    .until(() -> committed(master, group) >= 2 * MANY);
        }
    }

    /** Sends while there is no slave: stored, without a copy. */
    private static void sendStored(StockProducer producer, int from, int to) {
        for (int i = from; i < to; i++) {
            assertThat(producer.send(
                            "sync", TOPIC, "count", 1, "body", "message " + i, "timeoutMs", OwnBench.TIMEOUT_MS))
                    .extracting(Sent::status)
                    .allMatch(status -> status.equals("SLAVE_NOT_AVAILABLE") || status.equals("FLUSH_SLAVE_TIMEOUT"));
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
            StockAdmin.Result list = tools.run("clusterList", "-n", namesrv);
            assertThat(list.succeeded()).as(list.toString()).isTrue();
            assertThat(list.stdout().lines().filter(line -> line.contains(slaveAt)))
                    .as(list.toString())
                    .singleElement()
                    .asString()
                    .containsPattern("perigee-a\\s+1\\s+");
            assertThat(list.stdout()).contains(masterAt);
        }
        StockAdmin.Result ofMaster = tools5.run("haStatus", "-n", namesrv, "-b", masterAt);
        assertThat(ofMaster.succeeded()).as(ofMaster.toString()).isTrue();
        assertThat(ofMaster.stdout()).containsPattern("SlaveNum\\s+1").containsPattern("InSyncSlaveNum\\s+1");
        StockAdmin.Result ofSlave = tools5.run("haStatus", "-n", namesrv, "-b", slaveAt);
        assertThat(ofSlave.succeeded()).as(ofSlave.toString()).isTrue();
        assertThat(ofSlave.stdout()).contains("MasterAddr").contains("LastReadTime");
    }
}
