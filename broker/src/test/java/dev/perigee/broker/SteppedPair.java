package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.SteppedBroker.TurnedClock;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Loop;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A master and a slave on the test's thread, over one network in memory, each of which comes and goes; and a client of both. */
final class SteppedPair {
    static final int MASTER_PORT = 10_911;
    static final int SLAVE_PORT = 20_911;
    static final int HA_PORT = 10_912;
    private static final int SECOND_SLAVE_PORT = 30_911;
    private static final int MAX_STEPS = 200_000;
    private static final long CALL_MS = 120_000;

    final TurnedClock clock = new TurnedClock();
    final MemoryTransport network = new MemoryTransport(clock);
    final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, clock);
    final CrashingDisk masterDisk = new CrashingDisk(new Random(1));
    final CrashingDisk slaveDisk = new CrashingDisk(new Random(2));
    private @Nullable Broker master;
    private @Nullable Broker slave;
    private @Nullable Broker third;
    private long starts;

    Broker master() {
        return Objects.requireNonNull(master);
    }

    Broker slave() {
        return Objects.requireNonNull(slave);
    }

    void startMaster(Map<String, String> more) throws Exception {
        beginMaster(more);
        until(() -> master().isServing()); // it asks its replicas first
    }

    /** It may wait for its replicas. */
    void beginMaster(Map<String, String> more) throws Exception {
        master = start(
                masterDisk,
                more,
                Map.of("listenPort", Integer.toString(MASTER_PORT), "haListenPort", Integer.toString(HA_PORT)));
    }

    void startSlave(Map<String, String> more) throws Exception {
        slave = start(slaveDisk, more, ofSlave(SLAVE_PORT));
    }

    /** A further broker that says what the slave says of itself, on a disk of its own. */
    Broker startSecondSlave(CrashingDisk disk) throws Exception {
        return startSecondSlave(disk, Map.of());
    }

    /** As above, with other settings. */
    Broker startSecondSlave(CrashingDisk disk, Map<String, String> more) throws Exception {
        Broker second = start(disk, more, ofSlave(SECOND_SLAVE_PORT));
        third = second;
        return second;
    }

    private static Map<String, String> ofSlave(int port) {
        return Map.of(
                "brokerRole",
                "SLAVE",
                "brokerId",
                "1",
                "listenPort",
                Integer.toString(port),
                "haMasterAddress",
                "127.0.0.1:" + HA_PORT);
    }

    /** The slave's folder becomes that of a master, the only one there is. */
    void startSlaveAsMaster(Map<String, String> more) throws Exception {
        master = start(
                slaveDisk,
                more,
                Map.of("listenPort", Integer.toString(MASTER_PORT), "haListenPort", Integer.toString(HA_PORT)));
    }

    /** The master's folder becomes that of a slave. */
    void startMasterAsSlave(Map<String, String> more) throws Exception {
        slave = start(masterDisk, more, ofSlave(SLAVE_PORT));
    }

    /**
     * Both have the topic T and ten messages, and then each takes others alone: the slave's folder as a master's, of which more is
     * confirmed than the master's log has when this ends. Nobody runs before and afterwards.
     */
    void partLogs() throws Exception {
        startMaster(Map.of());
        startSlave(Map.of());
        createTopic("T");
        sendMany("T", 10);
        level();
        stopSlave();
        stopMaster();
        startSlaveAsMaster(Map.of());
        sendMany("T", 100);
        stopMaster();
    }

    private Broker start(CrashingDisk disk, Map<String, String> more, Map<String, String> own) throws Exception {
        Properties properties = new Properties();
        properties.putAll(Map.of("brokerIP1", "127.0.0.1", "mappedFileSizeCommitLog", "1048576"));
        properties.putAll(own);
        properties.putAll(more);
        properties.values().removeIf(""::equals);
        starts++;
        Broker made = new Broker(
                BrokerConfig.read(properties),
                clock,
                new BrokerSeams(network, disk, new MemoryViewStores(), new SplittableRandom(starts), starts, false));
        made.start();
        return made;
    }

    void stopMaster() throws IOException {
        master().close();
        master = null;
        pass(20); // so that everybody sees their connections end
    }

    /** The slave hears nothing more of its master. */
    void stopBoth() throws IOException {
        slave().close();
        slave = null;
        stopMaster();
    }

    void stopSlave() throws IOException {
        slave().close();
        slave = null;
        pass(20);
    }

    /** The process of the slave is killed: it says nothing more. */
    void killSlave() {
        slaveDisk.kill();
        slave = null;
        network.breakConnectionsTo(HA_PORT);
        pass(20);
    }

    /** Milliseconds go by in which the slave stands still. */
    void passWithoutSlave(int ms) {
        for (int i = 0; i < ms; i++) {
            stepOne(master);
            network.step();
            clock.nowMs += 1;
        }
    }

    void step() {
        stepOne(master);
        stepOne(slave);
        stepOne(third);
        network.step();
        clock.nowMs += 1;
    }

    private void stepOne(@Nullable Broker broker) {
        if (broker != null) {
            for (Loop loop : broker.loops()) {
                loop.doWork(clock.monotonicMs());
            }
        }
    }

    void until(BooleanSupplier reached) {
        for (int i = 0; i < MAX_STEPS && !reached.getAsBoolean(); i++) {
            step();
        }
        assertThat(reached.getAsBoolean()).as("after %s steps", MAX_STEPS).isTrue();
    }

    /** Milliseconds go by, one after the other. */
    void pass(int ms) {
        for (int i = 0; i < ms; i++) {
            step();
        }
    }

    /** Until the slave has all that the master has, and knows that it is confirmed. */
    void level() {
        until(() -> slave().log().confirmOffset() == master().log().endOffset());
        pass(10);
    }

    <T> T get(CompletableFuture<T> future) throws Exception {
        until(future::isDone);
        return future.get();
    }

    <Q extends Record, R extends Record> CompletableFuture<Answer<R>> call(
            int port, Rpc<Q, R> rpc, Q header, byte @Nullable [] body) {
        return client.call("127.0.0.1:" + port, rpc, header, body, Deadline.after(clock, CALL_MS));
    }

    void createTopic(String topic) throws Exception {
        Answer<?> made = get(call(
                MASTER_PORT,
                Rpcs.UPDATE_AND_CREATE_TOPIC,
                new CreateTopicHeader(topic, "TBW102", 1, 1, 6, "SINGLE_TAG", 0, false, null, null),
                null));
        assertThat(made.code()).as(made.remarkText()).isZero();
    }

    CompletableFuture<Answer<SendMessageResponse>> sending(String topic, String body) {
        return call(
                MASTER_PORT,
                Rpcs.SEND_MESSAGE_V2,
                TestBroker.sendHeader(topic, 0, ""),
                body.getBytes(StandardCharsets.UTF_8));
    }

    Answer<SendMessageResponse> send(int port, String topic, String body, String properties) throws Exception {
        return get(call(
                port,
                Rpcs.SEND_MESSAGE_V2,
                TestBroker.sendHeader(topic, 0, properties),
                body.getBytes(StandardCharsets.UTF_8)));
    }

    void sendMany(String topic, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            Answer<SendMessageResponse> sent = send(MASTER_PORT, topic, "m" + i, "KEYS=k" + i + ";");
            assertThat(sent.code()).as(sent.remarkText()).isZero();
        }
    }

    /** How many slaves the master counts. */
    int inSync() {
        try {
            Answer<?> answer = get(call(MASTER_PORT, Rpcs.GET_BROKER_HA_STATUS, NoHeader.NONE, null));
            return Json.read(answer.body(), HaStatus.class).inSyncSlaveNums();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    CompletableFuture<Answer<PullMessageResponse>> pull(int port, String group, long offset, long suspendMs) {
        return call(port, Rpcs.PULL_MESSAGE, TestBroker.pullHeader(group, "T", 0, offset, suspendMs), null);
    }

    void heartbeat(int port, String group) throws Exception {
        Answer<?> heard = get(call(
                port,
                Rpcs.HEART_BEAT,
                NoHeader.NONE,
                Json.write(TestBroker.consumer("c1", group, ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET, "T"))));
        assertThat(heard.code()).as(heard.remarkText()).isZero();
    }

    Answer<?> commit(int port, String group, long offset) throws Exception {
        return get(call(port, Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader(group, "T", 0, offset), null));
    }

    /** The position of a group, −1 when there is none. */
    long position(int port, String group) throws Exception {
        Answer<OffsetResponse> answer =
                get(call(port, Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader(group, "T", 0, false), null));
        return answer.isOk() ? answer.require().offset() : -1;
    }
}
