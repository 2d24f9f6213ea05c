package dev.perigee.broker.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.fact.Claims;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.store.view.LogEntry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks as clients ask for them, on a broker that has room for three. */
class QueueLockHandlersTest {
    private final MemoryTransport network = new MemoryTransport(Clock.system());
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, Clock.system());
    private final List<String> heard = new ArrayList<>();
    private final QueueLockHandlers.Watcher watcher = new QueueLockHandlers.Watcher() {
        @Override
        public void freed(String group) {
            heard.add("freed " + group);
        }

        @Override
        public void wanted() {
            heard.add("wanted");
        }

        @Override
        public boolean isThere(String group, String clientId) {
            return false;
        }
    };
    private final QueueLocks locks = new QueueLocks(3, Set.of(), Clock.system().monotonicMs());
    private String address = "";

    @BeforeEach
    void start() throws Exception {
        TopicView topics = new TopicView(Claims.NONE);
        FrameDraft draft = FactCodec.fill(new FrameDraft(), new TopicChanged(TopicConfig.of("T", 8)));
        ByteBuffer frame = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(frame);
        topics.apply(new LogEntry().wrap(frame.flip(), 0, 0));
        topics.passEnded();
        QueueLockHandlers handlers = new QueueLockHandlers(locks, topics, watcher, Clock.system());
        RemotingServer server = new RemotingServer(
                ServerConfig.of("127.0.0.1", 0),
                HandlerTable.builder()
                        .on(Rpcs.LOCK_BATCH_MQ, handlers::lock)
                        .on(Rpcs.UNLOCK_BATCH_MQ, handlers::unlock)
                        .build(),
                network,
                Clock.system());
        server.start();
        address = "127.0.0.1:" + server.boundPort();
    }

    private static Set<MessageQueue> queues(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(queueId -> new MessageQueue("T", "b", queueId))
                .collect(Collectors.toSet());
    }

    private Answer<NoHeader> ask(Rpc<NoHeader, NoHeader> rpc, String group, String clientId, Set<MessageQueue> queues)
            throws Exception {
        byte[] body = Json.write(new QueueLockRequest(group, clientId, false, queues, null));
        CompletableFuture<Answer<NoHeader>> answer =
                client.call(address, rpc, NoHeader.NONE, body, Deadline.after(Clock.system(), 60_000));
        network.runUntilIdle(10_000);
        return answer.get();
    }

    @Test
    void aClientThatGetsNothingForWantOfRoomIsToldTheLimit() throws Exception {
        assertThat(ask(Rpcs.LOCK_BATCH_MQ, "g", "a", queues(0, 3)).code()).isZero();

        Answer<NoHeader> refused = ask(Rpcs.LOCK_BATCH_MQ, "h", "b", queues(0, 2));
        assertThat(refused.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(refused.remarkText()).contains("2 queues in mqSet", "limit of 3 locks");
        Answer<NoHeader> taken = ask(Rpcs.LOCK_BATCH_MQ, "g", "b", queues(0, 2));
        assertThat(taken.code()).as("what others hold is no fault").isZero();
    }

    @Test
    void byWhichWayAClientSpokeIsForgottenOnceNoLockOfThenLives() throws Exception {
        ask(Rpcs.LOCK_BATCH_MQ, "g", "a", queues(0, 1));
        ask(Rpcs.UNLOCK_BATCH_MQ, "g", "a", queues(0, 1));
        ask(Rpcs.LOCK_BATCH_MQ, "g", "b", queues(0, 1));
        assertThat(locks.ways().count()).isEqualTo(2);
        locks.ways().left("g", "c", Clock.system().monotonicMs());
        assertThat(locks.ways().count()).isEqualTo(3);

        long saidMs = Clock.system().monotonicMs();
        locks.sweep(saidMs);
        assertThat(locks.ways().count()).isEqualTo(3);
        locks.sweep(saidMs + LockWays.KEPT_MS + 1);
        assertThat(locks.ways().count()).isZero();
    }

    @Test
    void aClientThatHoldsSomeKeepsThemWhenThereIsNoRoomForMore() throws Exception {
        ask(Rpcs.LOCK_BATCH_MQ, "g", "a", queues(0, 3));

        Answer<NoHeader> renewed = ask(Rpcs.LOCK_BATCH_MQ, "g", "a", queues(2, 5));
        assertThat(renewed.code()).isZero();
        assertThat(new String(renewed.body(), StandardCharsets.UTF_8))
                .isEqualTo("{\"lockOKMQSet\":[{\"brokerName\":\"b\",\"queueId\":2,\"topic\":\"T\"}]}");
    }

    @Test
    void namesThatAreTooLongAreRefusedWithFieldValueAndLimit() throws Exception {
        Answer<NoHeader> group = ask(Rpcs.LOCK_BATCH_MQ, "g".repeat(256), "a", queues(0, 1));
        assertThat(group.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(group.remarkText()).contains("consumerGroup of 256 characters, limit 255");
        Answer<NoHeader> topic = ask(Rpcs.UNLOCK_BATCH_MQ, "g", "a", Set.of(new MessageQueue("T".repeat(300), "b", 0)));
        assertThat(topic.remarkText()).contains("topic of a queue in mqSet of 300 characters, limit 255");
        Answer<NoHeader> longest = ask(Rpcs.LOCK_BATCH_MQ, "g".repeat(255), "a".repeat(1_024), queues(0, 1));
        assertThat(longest.code()).as(longest.remarkText()).isZero();
    }

    @Test
    void moreQueuesThanAnyClientReadsAreRefusedWithTheLimit() throws Exception {
        Answer<NoHeader> refused = ask(Rpcs.UNLOCK_BATCH_MQ, "g", "a", queues(0, QueueLockHandlers.MAX_QUEUES + 1));
        assertThat(refused.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(refused.remarkText()).contains("65537 queues in mqSet, limit 65536");
        assertThat(ask(Rpcs.UNLOCK_BATCH_MQ, "g", "a", queues(0, QueueLockHandlers.MAX_QUEUES))
                        .code())
                .isZero();
    }

    @Test
    void queuesThatTheBrokerHasNotAreNotLocked() throws Exception {
        Set<MessageQueue> asked = Set.of(
                new MessageQueue("T", "b", 7),
                new MessageQueue("T", "b", 8),
                new MessageQueue("T", "b", -1),
                new MessageQueue("Nowhere", "b", 0));
        Answer<NoHeader> answer = ask(Rpcs.LOCK_BATCH_MQ, "g", "a", asked);
        assertThat(new String(answer.body(), StandardCharsets.UTF_8))
                .isEqualTo("{\"lockOKMQSet\":[{\"brokerName\":\"b\",\"queueId\":7,\"topic\":\"T\"}]}");
    }

    @Test
    void whoIsRefusedALockHasItsGroupToldWhenTheHolderGivesItUp() throws Exception {
        ask(Rpcs.LOCK_BATCH_MQ, "g", "a", queues(0, 2));
        ask(Rpcs.UNLOCK_BATCH_MQ, "g", "a", queues(0, 1));
        assertThat(heard).as("nobody wants it").isEmpty();
        ask(Rpcs.LOCK_BATCH_MQ, "g", "b", queues(1, 2));
        ask(Rpcs.LOCK_BATCH_MQ, "g", "b", queues(1, 2));
        ask(Rpcs.UNLOCK_BATCH_MQ, "g", "b", queues(1, 2));
        assertThat(heard).containsExactly("wanted");
        ask(Rpcs.UNLOCK_BATCH_MQ, "g", "a", queues(1, 2));
        assertThat(heard).containsExactly("wanted", "freed g");
    }
}
