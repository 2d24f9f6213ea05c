package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Broker and client on one thread: the network in memory, a disk that loses power, and a clock the test turns. */
class BrokerOnOneThreadTest {
    private static final int MAX_STEPS = 100_000;

    /** A clock that stands still until it is turned. */
    private static final class TurnedClock implements Clock {
        private long nowMs = 1_760_000_000_000L;

        @Override
        public long wallMs() {
            return nowMs;
        }

        @Override
        public long monotonicNs() {
            return nowMs * 1_000_000L;
        }
    }

    /** One broker with its own network and a client in it. */
    private final class Node {
        final MemoryTransport network = new MemoryTransport(clock);
        final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, clock);
        final Broker broker;

        Node(long seed) throws Exception {
            Properties properties = new Properties();
            properties.setProperty("brokerIP1", "127.0.0.1");
            properties.setProperty("mappedFileSizeCommitLog", Integer.toString(1 << 20));
            broker = new Broker(
                    BrokerConfig.read(properties),
                    clock,
                    new BrokerSeams(network, disk, viewStores, new SplittableRandom(seed), seed, false));
            broker.start();
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

        CompletableFuture<Answer<SendMessageResponse>> send(String body) {
            return client.call(
                    broker.address(),
                    Rpcs.SEND_MESSAGE_V2,
                    TestBroker.sendHeader("T", 0, ""),
                    body.getBytes(StandardCharsets.UTF_8),
                    Deadline.after(clock, 10_000));
        }

        CompletableFuture<? extends Answer<?>> delete() {
            return client.call(
                    broker.address(),
                    Rpcs.DELETE_TOPIC_IN_BROKER,
                    new TopicHeader("T"),
                    null,
                    Deadline.after(clock, 10_000));
        }

        void stepNetworkOnly() {
            for (int i = 0; i < 100; i++) {
                network.step();
            }
        }

        void stepAllBut(String loopName) {
            for (int i = 0; i < 100; i++) {
                for (Loop loop : broker.loops()) {
                    if (!loop.name().equals(loopName)) {
                        loop.doWork(clock.monotonicMs());
                    }
                }
            }
        }

        CompletableFuture<Answer<OffsetResponse>> offset(String topic) {
            return client.call(
                    broker.address(),
                    Rpcs.QUERY_CONSUMER_OFFSET,
                    new QueryOffsetHeader("g", topic, 0, false),
                    null,
                    Deadline.after(clock, 60_000));
        }

        CompletableFuture<? extends Answer<?>> heartbeat(String clientId) {
            return heartbeat(clientId, "T");
        }

        CompletableFuture<? extends Answer<?>> heartbeat(String clientId, String... topics) {
            return client.call(
                    broker.address(),
                    Rpcs.HEART_BEAT,
                    NoHeader.NONE,
                    Json.write(TestBroker.consumer(clientId, "g", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, topics)),
                    Deadline.after(clock, 60_000));
        }

        CompletableFuture<? extends Answer<?>> members() {
            for (int i = 0; i < 100; i++) {
                step(); // the sweep runs before the question is asked
            }
            return client.call(
                    broker.address(),
                    Rpcs.GET_CONSUMER_LIST_BY_GROUP,
                    new ConsumerGroupHeader("g"),
                    null,
                    Deadline.after(clock, 60_000));
        }

        CompletableFuture<Answer<PullMessageResponse>> pull(long offset, long suspendMs) {
            return client.call(
                    broker.address(),
                    Rpcs.PULL_MESSAGE,
                    TestBroker.pullHeader("g", "T", 0, offset, suspendMs),
                    null,
                    Deadline.after(clock, 60_000));
        }
    }

    private final TurnedClock clock = new TurnedClock();
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final MemoryViewStores viewStores = new MemoryViewStores();
    private Node node;

    @BeforeEach
    void start() throws Exception {
        node = new Node(7);
    }

    @Test
    void aMessageGoesThroughWithoutAnyThread() throws Exception {
        Answer<SendMessageResponse> sent = node.run(node.send("hello"));
        assertThat(sent.code()).as(sent.remarkText()).isZero();
        assertThat(TestBroker.bodies(node.run(node.pull(0, 0)))).containsExactly("hello");
    }

    @Test
    void aParkedPullIsAnsweredWhenItsTimeIsUp() throws Exception {
        node.run(node.send("hello"));
        node.run(node.pull(0, 0));
        CompletableFuture<Answer<PullMessageResponse>> parked = node.pull(1, 15_000);
        for (int i = 0; i < 1_000; i++) {
            node.step();
        }
        assertThat(parked).isNotDone();
        clock.nowMs += 15_001;
        Answer<PullMessageResponse> answer = node.run(parked);
        assertThat(answer.code()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
    }

    @Test
    void sendersOfANewTopicWaitForOneFactAndAllSucceed() throws Exception {
        List<CompletableFuture<Answer<SendMessageResponse>>> sends = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            sends.add(node.send("m" + i));
        }
        for (CompletableFuture<Answer<SendMessageResponse>> send : sends) {
            assertThat(node.run(send).code()).isZero();
        }
        assertThat(node.run(node.pull(0, 0)).require().maxOffset()).isEqualTo(50);
    }

    @Test
    void aSendBehindTheDeletionOfItsTopicIsRefusedAndNeverSeenAgain() throws Exception {
        node.run(node.send("old"));
        CompletableFuture<? extends Answer<?>> deletion = node.delete();
        List<CompletableFuture<Answer<SendMessageResponse>>> sends = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            sends.add(node.send("m" + i));
            node.step();
        }
        assertThat(node.run(deletion).code()).isZero();
        List<String> stored = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < sends.size(); i++) {
            Answer<SendMessageResponse> answer = node.run(sends.get(i));
            if (answer.code() == ResponseCode.TOPIC_NOT_EXIST) {
                assertThat(answer.remarkText()).contains("topic[T]").contains("was deleted");
                refused++;
                stored.clear(); // what was stored so far went with the topic
            } else {
                assertThat(answer.code()).as(answer.remarkText()).isZero();
                stored.add("m" + i);
            }
        }
        assertThat(refused).isPositive();
        assertThat(TestBroker.bodies(node.run(node.pull(0, 0)))).isEqualTo(stored);
    }

    @Test
    void aConsumerThatFallsSilentIsForgotten() throws Exception {
        node.run(node.heartbeat("c1"));
        assertThat(node.run(node.members()).code()).isZero();
        clock.nowMs += 60_000;
        node.run(node.heartbeat("c1"));
        clock.nowMs += 100_000;
        assertThat(node.run(node.members()).code()).isZero();
        clock.nowMs += 31_000;
        assertThat(node.run(node.members()).code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
    }

    @Test
    void aNewGroupStartsWhereTheQueueEndedWhenItsHeartbeatArrived() throws Exception {
        node.run(node.send("before"));
        CompletableFuture<? extends Answer<?>> heartbeat = node.heartbeat("c1");
        node.stepNetworkOnly();
        CompletableFuture<Answer<SendMessageResponse>> late = node.send("after");
        node.stepNetworkOnly();
        node.stepAllBut("view-loop"); // the message is stored before the start is decided
        assertThat(node.run(late).code()).isZero();
        node.run(heartbeat);

        assertThat(node.run(node.offset("T")).require().offset()).isEqualTo(1);
    }

    @Test
    void aGroupThatWaitedForATopicStartsAtItsFirstMessage() throws Exception {
        node.run(node.heartbeat("c1"));
        assertThat(node.run(node.offset("T")).code()).isEqualTo(ResponseCode.QUERY_NOT_FOUND);

        node.run(node.send("first"));

        assertThat(node.run(node.offset("T")).require().offset()).isZero();
    }

    @Test
    void aHeartbeatThatNamesTopicsThatAreNotThereLeavesNothingInTheLog() throws Exception {
        node.run(node.heartbeat("c1"));
        long end = node.broker.logEndOffset();
        String[] invented =
                IntStream.range(0, 500).mapToObj(i -> "Invented" + i).toArray(String[]::new);
        node.run(node.heartbeat("c2", invented));
        assertThat(node.broker.logEndOffset()).isEqualTo(end);
        assertThat(node.run(node.offset("Invented7")).code()).isEqualTo(ResponseCode.QUERY_NOT_FOUND);
    }

    @Test
    void whatWasAcknowledgedSurvivesALossOfPower() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(node.run(node.send("m" + i)).code()).isZero();
        }
        disk.crash();
        viewStores.crash(new Random(1));
        Node again = new Node(8);
        assertThat(TestBroker.bodies(again.run(again.pull(0, 0)))).containsExactly("m0", "m1", "m2", "m3", "m4");
    }
}
