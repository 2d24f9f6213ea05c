package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.client.UnregisterClientHeader;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.kv.MemoryViewStores;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A broker and a client of it on the test's thread: the network in memory, and a clock the test turns. */
final class SteppedBroker {
    private static final int MAX_STEPS = 100_000;
    private static final long CALL_MS = 60_000;

    /** A clock that stands still until it is turned. */
    static final class TurnedClock implements Clock {
        long nowMs = 1_760_000_000_000L;
        /** By how much the wall clock was set forward, or back. */
        long setByMs;

        @Override
        public long wallMs() {
            return nowMs + setByMs;
        }

        @Override
        public long monotonicNs() {
            return nowMs * 1_000_000L;
        }
    }

    final TurnedClock clock;
    final MemoryTransport network;
    final RemotingClient client;
    final Broker broker;

    SteppedBroker(Disk disk, TurnedClock clock, long seed) throws Exception {
        this(disk, new MemoryViewStores(), clock, seed);
    }

    SteppedBroker(Disk disk, MemoryViewStores stores, TurnedClock clock, long seed) throws Exception {
        this(disk, stores, clock, seed, 4 << 20);
    }

    SteppedBroker(Disk disk, MemoryViewStores stores, TurnedClock clock, long seed, int maxMessageSize)
            throws Exception {
        this(disk, stores, clock, seed, maxMessageSize, 1 << 20);
    }

    SteppedBroker(
            Disk disk, MemoryViewStores stores, TurnedClock clock, long seed, int maxMessageSize, int segmentSizeBytes)
            throws Exception {
        this(
                disk,
                stores,
                clock,
                seed,
                Map.of(
                        "maxMessageSize",
                        Integer.toString(maxMessageSize),
                        "mappedFileSizeCommitLog",
                        Integer.toString(segmentSizeBytes)));
    }

    SteppedBroker(Disk disk, MemoryViewStores stores, TurnedClock clock, long seed, Map<String, String> settings)
            throws Exception {
        this.clock = clock;
        network = new MemoryTransport(clock);
        client = newClient();
        Properties properties = new Properties();
        properties.setProperty("brokerIP1", "127.0.0.1");
        properties.setProperty("mappedFileSizeCommitLog", Integer.toString(1 << 20));
        properties.putAll(settings);
        broker = new Broker(
                BrokerConfig.read(properties),
                clock,
                new BrokerSeams(network, disk, stores, new SplittableRandom(seed), seed, false));
        broker.start();
    }

    /** One more client, with a connection of its own. */
    RemotingClient newClient() {
        return new RemotingClient(ClientConfig.DEFAULT, network, clock);
    }

    <T> T run(CompletableFuture<T> future) throws Exception {
        for (int i = 0; i < MAX_STEPS && !future.isDone(); i++) {
            step();
        }
        assertThat(future).as("done after %s steps", MAX_STEPS).isDone();
        return future.get();
    }

    void step() {
        for (Loop loop : broker.loops()) {
            loop.doWork(clock.monotonicMs());
        }
        network.step();
    }

    void settle() {
        for (int i = 0; i < 100; i++) {
            step();
        }
    }

    void stepNetworkOnly() {
        for (int i = 0; i < 100; i++) {
            network.step();
        }
    }

    void stepAllBut(String loopName) {
        stepLoops(name -> !name.equals(loopName));
    }

    void stepOnly(String loopName) {
        stepLoops(loopName::equals);
    }

    private void stepLoops(Predicate<String> wanted) {
        for (int i = 0; i < 100; i++) {
            for (Loop loop : broker.loops()) {
                if (wanted.test(loop.name())) {
                    loop.doWork(clock.monotonicMs());
                }
            }
        }
    }

    <Q extends Record, R extends Record> CompletableFuture<Answer<R>> call(
            RemotingClient by, Rpc<Q, R> rpc, Q header, byte @Nullable [] body) {
        return by.call(broker.address(), rpc, header, body, Deadline.after(clock, CALL_MS));
    }

    CompletableFuture<Answer<SendMessageResponse>> send(String body) {
        return send("T", 0, body);
    }

    /** Sends with properties, as in {@code a=b;c=d;}. */
    Answer<SendMessageResponse> sendWith(String topic, int queueId, String properties, String body) throws Exception {
        return run(call(
                client,
                Rpcs.SEND_MESSAGE_V2,
                TestBroker.sendHeader(topic, queueId, properties),
                body.getBytes(StandardCharsets.UTF_8)));
    }

    /** All messages of a queue that a group may read, at most 32. */
    List<MessageExt> messages(String topic, int queueId) throws Exception {
        Answer<?> answer = run(call(client, Rpcs.PULL_MESSAGE, TestBroker.pullHeader("g", topic, queueId, 0, 0), null));
        return answer.code() == ResponseCode.SUCCESS ? TestBroker.messages(answer) : List.of();
    }

    /** The first messages of queue 0 of a topic that tools may read, at most 32. */
    List<MessageExt> stored(String topic) throws Exception {
        Answer<?> answer =
                run(call(client, Rpcs.PULL_MESSAGE, TestBroker.pullHeader("TOOLS_CONSUMER", topic, 0, 0, 0), null));
        return answer.code() == ResponseCode.SUCCESS ? TestBroker.messages(answer) : List.of();
    }

    /** Time passes. */
    void pass(long ms) {
        clock.nowMs += ms;
        settle();
    }

    CompletableFuture<Answer<SendMessageResponse>> send(String topic, int queueId, String body) {
        return call(
                client,
                Rpcs.SEND_MESSAGE_V2,
                TestBroker.sendHeader(topic, queueId, ""),
                body.getBytes(StandardCharsets.UTF_8));
    }

    CompletableFuture<? extends Answer<?>> createTopic(String topic, int queues) {
        return call(
                client,
                Rpcs.UPDATE_AND_CREATE_TOPIC,
                new CreateTopicHeader(topic, "TBW102", queues, queues, 6, "SINGLE_TAG", 0, false, null, null),
                null);
    }

    CompletableFuture<? extends Answer<?>> delete() {
        return call(client, Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader("T"), null);
    }

    CompletableFuture<Answer<OffsetResponse>> offset(String topic) {
        return offset(topic, 0);
    }

    CompletableFuture<Answer<OffsetResponse>> offset(String topic, int queueId) {
        return call(client, Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("g", topic, queueId, false), null);
    }

    CompletableFuture<? extends Answer<?>> heartbeat(String clientId) {
        return heartbeat(clientId, "T");
    }

    CompletableFuture<? extends Answer<?>> heartbeat(String clientId, String... topics) {
        return heartbeat(client, clientId, topics);
    }

    CompletableFuture<? extends Answer<?>> heartbeat(RemotingClient by, String clientId, String... topics) {
        return call(
                by,
                Rpcs.HEART_BEAT,
                NoHeader.NONE,
                Json.write(TestBroker.consumer(clientId, "g", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, topics)));
    }

    /** Creates a group or changes it. */
    void putGroup(SubscriptionGroupConfig group) throws Exception {
        Answer<?> answer =
                run(call(client, Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, NoHeader.NONE, Json.write(group)));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    CompletableFuture<? extends Answer<?>> goodbye(String clientId) {
        return call(client, Rpcs.UNREGISTER_CLIENT, new UnregisterClientHeader(clientId, null, "g"), null);
    }

    CompletableFuture<? extends Answer<?>> members() {
        settle(); // the sweep runs before the question is asked
        return call(client, Rpcs.GET_CONSUMER_LIST_BY_GROUP, new ConsumerGroupHeader("g"), null);
    }

    CompletableFuture<Answer<PullMessageResponse>> pull(long offset, long suspendMs) {
        return call(client, Rpcs.PULL_MESSAGE, TestBroker.pullHeader("g", "T", 0, offset, suspendMs), null);
    }
}
