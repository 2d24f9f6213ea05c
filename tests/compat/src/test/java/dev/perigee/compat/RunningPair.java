package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.protocol.topic.TopicConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A synchronous master and a slave in processes of their own, which find each other by a NameServer, a topic, and a client that looks at
 * them. On a busy machine they wait for each other longer than they usually would.
 */
final class RunningPair implements AutoCloseable {
    static final String TOPIC = "kept-twice";
    static final int QUEUES = 4;
    private static final String PATIENCE_MS = "10000";

    private final Deque<PerigeeProcess> started = new ArrayDeque<>();
    private final String namesrv;
    private final PerigeeProcess first;
    private final PerigeeProcess second;
    private final AdminClient admin;

    RunningPair(Path folder) throws IOException {
        PerigeeProcess names = keep(PerigeeProcess.namesrv(folder.resolve("names")));
        namesrv = names.target().namesrv();
        first = keep(broker(folder.resolve("master"), Map.of("brokerRole", "SYNC_MASTER")));
        second = keep(broker(folder.resolve("slave"), Map.of("brokerRole", "SLAVE", "brokerId", "1")));
        admin = new OwnBench(names.target(), folder).admin();
        await("the topic").atMost(OwnBench.PATIENCE).ignoreExceptions().until(() -> {
            admin.topics().createOrUpdate(TopicConfig.of(TOPIC, QUEUES));
            return admin.topics().queues(TOPIC).size() == QUEUES;
        });
        awaitInSync(first);
    }

    private PerigeeProcess keep(PerigeeProcess process) {
        started.push(process);
        return process;
    }

    private PerigeeProcess broker(Path folder, Map<String, String> role) throws IOException {
        Map<String, String> settings = new TreeMap<>(role);
        settings.put("slaveTimeout", PATIENCE_MS);
        settings.put("syncFlushTimeout", PATIENCE_MS);
        settings.put("waitTimeMillsInSendQueue", PATIENCE_MS);
        return PerigeeProcess.broker(folder, namesrv, settings);
    }

    String namesrv() {
        return namesrv;
    }

    /** The one that begins as the master. */
    PerigeeProcess first() {
        return first;
    }

    /** The one that begins as the slave. */
    PerigeeProcess second() {
        return second;
    }

    AdminClient admin() {
        return admin;
    }

    /** A further slave, with this id; in sync when this returns. */
    PerigeeProcess addSlave(Path folder, int brokerId) throws IOException {
        PerigeeProcess added =
                keep(broker(folder, Map.of("brokerRole", "SLAVE", "brokerId", Integer.toString(brokerId))));
        awaitInSync(first, 2);
        return added;
    }

    void awaitInSync(PerigeeProcess master) {
        awaitInSync(master, 1);
    }

    private void awaitInSync(PerigeeProcess master, int slaves) {
        await("slaves in sync")
                .atMost(OwnBench.PATIENCE)
                .ignoreExceptions()
                .until(() -> admin.brokers().haStatus(master.target().broker()).inSyncSlaveNums() == slaves);
    }

    /** All that is acknowledged may be seen on the slave: some milliseconds after the acknowledgement. */
    void awaitLevel(PerigeeProcess master, PerigeeProcess slave) {
        await("the slave knows what is confirmed").atMost(OwnBench.PATIENCE).until(() -> {
            HaStatus ofMaster = admin.brokers().haStatus(master.target().broker());
            HaStatus ofSlave = admin.brokers().haStatus(slave.target().broker());
            return Objects.equals(ofSlave.confirmOffset(), ofMaster.confirmOffset())
                    && ofSlave.haClientRuntimeInfo().maxOffset() == ofMaster.masterCommitLogMaxOffset();
        });
    }

    static List<String> bodies(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "message " + i).toList();
    }

    private static List<Sent> trySend(StockProducer producer, int from, int to) {
        List<Sent> sent = new ArrayList<>();
        for (String body : bodies(from, to)) {
            sent.addAll(producer.send("sync", TOPIC, "count", 1, "body", body, "timeoutMs", OwnBench.TIMEOUT_MS));
        }
        return sent;
    }

    static void send(StockProducer producer, int from, int to) {
        assertThat(trySend(producer, from, to)).hasSize(to - from).allMatch(Sent::isOk);
    }

    /** Sends while there is no slave: stored, without a copy. */
    static void sendStored(StockProducer producer, int from, int to) {
        assertThat(trySend(producer, from, to))
                .hasSize(to - from)
                .extracting(Sent::status)
                .allMatch(status -> status.equals("SLAVE_NOT_AVAILABLE") || status.equals("FLUSH_SLAVE_TIMEOUT"));
    }

    /** Sends until it is stored, with a copy or without: a client may need a moment to learn who takes messages now. */
    static void awaitSent(StockProducer producer, int number) {
        await("sends go on")
                .atMost(OwnBench.PATIENCE)
                .ignoreExceptions()
                .until(() -> trySend(producer, number, number + 1).stream()
                        .noneMatch(sent -> sent.status().equals("FAILED")));
    }

    /** How far a group is by what that broker knows, over all queues. */
    long committed(PerigeeProcess broker, String group) throws ClientException {
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

    @Override
    public void close() {
        admin.close();
        started.forEach(PerigeeProcess::close);
    }
}
