package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.SteppedBroker.TurnedClock;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Loop;
import dev.perigee.protocol.header.offset.MaxOffsetHeader;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.BatchBody;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.RaftStatus;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The brokers of one group on the test's thread, over one network in memory, each of which comes and goes; and a client of them. */
final class SteppedMembers {
    private static final int FIRST_PORT = 10_911;
    private static final int FIRST_GROUP_PORT = 40_911;
    private static final int MAX_STEPS = 60_000;
    private static final int NETWORK_STEPS = 100_000;
    private static final long CALL_MS = 60_000;

    final TurnedClock clock = new TurnedClock();
    final MemoryTransport network = new MemoryTransport(clock);
    final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, clock);
    private final List<CrashingDisk> disks = new ArrayList<>();
    private final List<@Nullable Broker> brokers = new ArrayList<>();
    private final Map<String, String> settings;
    private final String peers;
    private final long beganMs = clock.monotonicMs();
    private long starts;
    private final Set<Integer> frozen = new TreeSet<>();
    private final Map<Integer, Executor> coldReads = new TreeMap<>();

    /** All of them, begun; nobody leads yet. */
    SteppedMembers(int size, Map<String, String> settings) throws Exception {
        this.settings = settings;
        this.peers = IntStream.range(0, size)
                .mapToObj(i -> "n" + i + "-127.0.0.1:" + (FIRST_GROUP_PORT + i))
                .collect(Collectors.joining(";"));
        for (int i = 0; i < size; i++) {
            disks.add(new CrashingDisk(new Random(i + 1)));
            brokers.add(null);
        }
        for (int i = 0; i < size; i++) {
            start(i);
        }
    }

    void start(int index) throws Exception {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "brokerIP1",
                "127.0.0.1",
                "mappedFileSizeCommitLog",
                "1048576",
                "listenPort",
                Integer.toString(port(index)),
                "enableDLegerCommitLog",
                "true",
                "dLegerPeers",
                peers,
                "dLegerSelfId",
                "n" + index));
        properties.putAll(settings);
        starts++;
        Broker made = new Broker(
                BrokerConfig.read(properties),
                clock,
                new BrokerSeams(
                        network,
                        disks.get(index),
                        new MemoryViewStores(),
                        new SplittableRandom(starts),
                        starts,
                        false,
                        read -> coldReads.getOrDefault(index, Runnable::run).execute(read)));
        made.start();
        brokers.set(index, made);
    }

    /** When this began, on the monotonic clock. */
    long beganMs() {
        return beganMs;
    }

    int port(int index) {
        return FIRST_PORT + 10 * index;
    }

    int groupPort(int index) {
        return FIRST_GROUP_PORT + index;
    }

    Broker broker(int index) {
        Broker there = brokers.get(index);
        assertThat(there).as("broker %s", index).isNotNull();
        return there;
    }

    CrashingDisk disk(int index) {
        return disks.get(index);
    }

    /** Whether a member has all that the master's log has, and knows that it is confirmed. */
    boolean isLevel(int index, int master) {
        return broker(index).log().confirmOffset() == broker(master).log().endOffset();
    }

    /** The process is killed: it says nothing more. */
    void kill(int index) {
        disks.get(index).kill();
        brokers.set(index, null);
        for (int port : List.of(port(index), port(index) - BrokerConfig.FAST_PORT_BELOW, groupPort(index))) {
            network.unplug(port);
            network.breakConnectionsTo(port);
        }
    }

    void stop(int index) throws Exception {
        broker(index).close();
        brokers.set(index, null);
    }

    /** Its loops stand still from now on. */
    void freeze(int index) {
        frozen.add(index);
    }

    /** They go on. */
    void thaw(int index) {
        frozen.remove(index);
    }

    /** What its duties read that may wait for the disk is done by this executor from now on; before, at once. */
    void coldReads(int index, Executor executor) {
        coldReads.put(index, executor);
    }

    /** Those beside one, in their order. */
    List<Integer> others(int index) {
        return IntStream.range(0, brokers.size())
                .filter(other -> other != index)
                .boxed()
                .toList();
    }

    void step() {
        for (int i = 0; i < brokers.size(); i++) {
            Broker broker = brokers.get(i);
            if (broker != null && !frozen.contains(i)) {
                for (Loop loop : broker.loops()) {
                    loop.doWork(clock.monotonicMs());
                }
                network.runUntilIdle(NETWORK_STEPS);
            }
        }
        clock.nowMs += 1;
    }

    void until(BooleanSupplier reached) {
        for (int i = 0; i < MAX_STEPS && !reached.getAsBoolean(); i++) {
            step();
        }
        assertThat(reached.getAsBoolean()).as("after %s steps", MAX_STEPS).isTrue();
    }

    void pass(int ms) {
        for (int i = 0; i < ms; i++) {
            step();
        }
    }

    /** Which of them is the master; waited for. */
    int master() {
        until(() -> masters().size() == 1);
        return masters().get(0);
    }

    /** The master, at which group g has read the two messages that topic T holds. */
    int masterOfTwoMessages() throws Exception {
        int master = master();
        createTopic(master, "T");
        assertThat(send(master, "T", "one").code()).isZero();
        assertThat(send(master, "T", "two").code()).isZero();
        assertThat(bodies(master, "T", 0))
                .as("read, so that there is the group")
                .hasSize(2);
        return master;
    }

    /** Who is a master beside that one, or in its place; waited for. */
    int masterBut(int former) {
        until(() -> masters().stream().anyMatch(other -> other != former));
        return masters().stream().filter(other -> other != former).findFirst().orElseThrow();
    }

    /** Those that are masters now. */
    List<Integer> masters() {
        return IntStream.range(0, brokers.size())
                .filter(i -> brokers.get(i) != null && brokers.get(i).isMaster())
                .boxed()
                .toList();
    }

    <T> T get(CompletableFuture<T> future) throws Exception {
        until(future::isDone);
        return future.get();
    }

    <Q extends Record, R extends Record> CompletableFuture<Answer<R>> call(
            int index, Rpc<Q, R> rpc, Q header, byte @Nullable [] body) {
        return client.call("127.0.0.1:" + port(index), rpc, header, body, Deadline.after(clock, CALL_MS));
    }

    void createTopic(int index, String topic) throws Exception {
        Answer<?> made = get(call(
                index,
                Rpcs.UPDATE_AND_CREATE_TOPIC,
                new CreateTopicHeader(topic, "TBW102", 1, 1, 6, "SINGLE_TAG", 0, false, null, null),
                null));
        assertThat(made.code()).as(made.remarkText()).isZero();
    }

    Answer<SendMessageResponse> send(int index, String topic, String body) throws Exception {
        return get(sendSoon(index, topic, body));
    }

    /** So many messages alike, to queue 0. */
    Answer<SendMessageResponse> sendBatch(int index, String topic, int count, int bodyBytes) throws Exception {
        Message each = new Message(topic, new byte[bodyBytes], 0, Map.of());
        SendMessageHeader header = new SendMessageHeader(
                "p", topic, "TBW102", 4, 0, 0, 0, 0, PropertyText.EMPTY, 0, false, -1, true, null);
        return get(call(index, Rpcs.SEND_BATCH_MESSAGE, header, BatchBody.encode(Collections.nCopies(count, each))));
    }

    CompletableFuture<Answer<SendMessageResponse>> sendSoon(int index, String topic, String body) {
        return call(
                index,
                Rpcs.SEND_MESSAGE_V2,
                TestBroker.sendHeader(topic, 0, ""),
                body.getBytes(StandardCharsets.UTF_8));
    }

    /** Orders that another member leads. */
    CompletableFuture<Answer<NoHeader>> transfer(int index) {
        return call(index, Rpcs.RAFT_ORDER, new RaftOrderHeader(RaftOrderHeader.TRANSFER, null, null, null), null);
    }

    /** Orders that this one leads. */
    CompletableFuture<Answer<NoHeader>> transferTo(int index) {
        return transferTo(index, index);
    }

    /** Orders at the second one that the first leads. */
    CompletableFuture<Answer<NoHeader>> transferTo(int index, int asked) {
        return call(
                asked, Rpcs.RAFT_ORDER, new RaftOrderHeader(RaftOrderHeader.TRANSFER, "n" + index, null, null), null);
    }

    /** What it says of its place in the group. */
    RaftStatus status(int index) throws Exception {
        Answer<NoHeader> answer = get(call(index, Rpcs.RAFT_STATUS, NoHeader.NONE, null));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return Json.read(answer.body(), RaftStatus.class);
    }

    CompletableFuture<Answer<PullMessageResponse>> pull(int index, String topic, long offset, long suspendMs) {
        return call(index, Rpcs.PULL_MESSAGE, TestBroker.pullHeader("g", topic, 0, offset, suspendMs), null);
    }

    Answer<?> commit(int index, String topic, long offset) throws Exception {
        return get(call(index, Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader("g", topic, 0, offset), null));
    }

    CompletableFuture<Answer<OffsetResponse>> positionOf(int index, String topic) {
        return call(index, Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("g", topic, 0, false), null);
    }

    /** The position of the group, −1 when there is none. */
    long position(int index, String topic) throws Exception {
        Answer<OffsetResponse> answer = get(positionOf(index, topic));
        return answer.isOk() ? answer.require().offset() : -1;
    }

    /** Where the queue ends. */
    CompletableFuture<Answer<OffsetResponse>> endOf(int index, String topic) {
        return call(index, Rpcs.GET_MAX_OFFSET, new MaxOffsetHeader(topic, 0, true), null);
    }

    Answer<SendMessageResponse> sendDelayed(int index, String topic, String body, int level) throws Exception {
        return get(call(
                index,
                Rpcs.SEND_MESSAGE_V2,
                TestBroker.sendHeader(topic, 0, "DELAY=" + level + ";"),
                body.getBytes(StandardCharsets.UTF_8)));
    }

    List<String> bodies(int index, String topic, long offset) throws Exception {
        return TestBroker.bodies(get(pull(index, topic, offset, 0)));
    }
}
