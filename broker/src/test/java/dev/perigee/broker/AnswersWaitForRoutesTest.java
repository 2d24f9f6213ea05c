package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.topic.RouteWaits;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.route.RegisterBrokerBody;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicConfigList;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who is told that there is a topic may ask for its route in the next moment: the NameServers know of it by then. */
class AnswersWaitForRoutesTest {
    private static final int FIRST_PORT = 9876;
    private static final int SECOND_PORT = 9877;

    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private SteppedBroker broker;
    private NameDouble first;
    private NameDouble second;

    /** A NameServer that answers registrations at once, or when it is told to. */
    private final class NameDouble {
        final List<Map<String, TopicConfig>> tables = new ArrayList<>();
        private final Queue<Reply<RegisterBrokerResponse>> unanswered = new ArrayDeque<>();
        private boolean holds;

        NameDouble(int port) throws Exception {
            HandlerTable table = HandlerTable.builder()
                    .on(Rpcs.REGISTER_BROKER, this::register)
                    .build();
            new RemotingServer(ServerConfig.of("127.0.0.1", port), table, broker.network, clock).start();
        }

        private void register(Request<RegisterBrokerHeader> request, Reply<RegisterBrokerResponse> reply) {
            try {
                RegisterBrokerBody body = Json.read(request.copyBody(), RegisterBrokerBody.class);
                tables.add(body.topicConfigSerializeWrapper().topicConfigTable());
            } catch (BadBodyException e) {
                throw new AssertionError(e);
            }
            unanswered.add(reply);
            if (!holds) {
                answer();
            }
        }

        void hold() {
            holds = true;
        }

        void answer() {
            unanswered.forEach(reply -> reply.ok(new RegisterBrokerResponse(null, null)));
            unanswered.clear();
        }

        Map<String, TopicConfig> lastTable() {
            return tables.get(tables.size() - 1);
        }
    }

    @BeforeEach
    void start() throws Exception {
        String both = "127.0.0.1:" + FIRST_PORT + ";127.0.0.1:" + SECOND_PORT;
        broker = new SteppedBroker(
                new CrashingDisk(new Random(1)), new MemoryViewStores(), clock, 1, Map.of("namesrvAddr", both));
        first = new NameDouble(FIRST_PORT);
        second = new NameDouble(SECOND_PORT);
        broker.settle();
        assertThat(first.tables).hasSize(1);
    }

    private void assertOk(CompletableFuture<? extends Answer<?>> answer) {
        assertThat(answer).isCompletedWithValueMatching(Answer::isOk, "is answered, and well");
    }

    @Test
    void aCreationIsToldAtOnceAndAnsweredWhenEveryNameServerKnows() throws Exception {
        first.hold();
        CompletableFuture<? extends Answer<?>> made = broker.createTopic("T", 2);
        broker.settle();

        assertThat(first.lastTable()).as("told in the same moment").containsOnlyKeys("T");
        assertThat(second.lastTable()).containsOnlyKeys("T");
        assertThat(made).as("one of them has not taken it yet").isNotDone();

        first.answer();
        broker.settle();
        assertOk(made);
    }

    @Test
    void aChangeOfATopicIsAnsweredLikeItsCreation() throws Exception {
        assertThat(broker.run(broker.createTopic("T", 4)).isOk()).isTrue();
        second.hold();
        CompletableFuture<? extends Answer<?>> narrowed = broker.createTopic("T", 2);
        broker.settle();

        assertThat(second.lastTable().get("T"))
                .isNotNull()
                .extracting(TopicConfig::writeQueueNums)
                .isEqualTo(2);
        assertThat(narrowed).isNotDone();
        second.answer();
        broker.settle();
        assertOk(narrowed);
    }

    @Test
    void aListOfTopicsIsAnsweredWhenAllAreKnown() throws Exception {
        first.hold();
        byte[] list = Json.write(new TopicConfigList(List.of(TopicConfig.of("A", 1), TopicConfig.of("B", 1))));
        CompletableFuture<? extends Answer<?>> made =
                broker.call(broker.client, Rpcs.UPDATE_AND_CREATE_TOPIC_LIST, NoHeader.NONE, list);
        broker.settle();
        assertThat(made).isNotDone();
        do {
            first.answer();
            broker.settle();
        } while (!first.unanswered.isEmpty());
        assertOk(made);
    }

    @Test
    void aSendThatHasItsTopicMadeIsStoredAtOnceAndAnsweredWhenTheRouteIsKnown() throws Exception {
        first.hold();
        CompletableFuture<? extends Answer<?>> maker = broker.send("Fresh", 0, "one");
        broker.settle();
        CompletableFuture<? extends Answer<?>> next = broker.send("Fresh", 0, "two");
        broker.settle();

        assertThat(maker).isNotDone();
        assertOk(next);
        assertThat(broker.stored("Fresh"))
                .extracting(MessageExt::bodyText)
                .as("in the order in which they came")
                .containsExactly("one", "two");
        first.answer();
        broker.settle();
        assertOk(maker);
    }

    @Test
    void aSilentNameServerHoldsUpAnAnswerForASecondAndThoseAfterItNotAtAll() throws Exception {
        first.hold();
        CompletableFuture<? extends Answer<?>> made = broker.createTopic("T", 1);
        broker.settle();
        broker.pass(RouteWaits.MAX_WAIT_MS - 1);
        assertThat(made).isNotDone();
        broker.pass(1);
        assertOk(made);

        CompletableFuture<? extends Answer<?>> next = broker.createTopic("U", 1);
        broker.settle();
        assertOk(next);
        assertThat(second.lastTable()).as("the other one is still waited for").containsKey("U");

        first.answer();
        broker.settle();
        assertThat(first.lastTable()).as("what came meanwhile").containsOnlyKeys("U");
        CompletableFuture<? extends Answer<?>> third = broker.createTopic("V", 1);
        broker.settle();
        assertThat(third).as("it speaks again, and is waited for again").isNotDone();
    }

    @Test
    void aNameServerThatIsDownIsNotWaitedFor() throws Exception {
        broker.network.unplug(FIRST_PORT);
        while (broker.network.openConnections() > 0) {
            broker.network.breakConnection(0);
        }
        broker.settle();
        assertOk(settled(broker.createTopic("T", 1)));
        assertOk(settled(broker.createTopic("U", 1)));
        assertThat(second.lastTable()).containsKey("U");
    }

    private <T> CompletableFuture<T> settled(CompletableFuture<T> future) {
        broker.settle();
        return future;
    }

    @Test
    void aDeletionIsAnsweredBeforeNameServersKnow() throws Exception {
        assertThat(broker.run(broker.createTopic("T", 1)).isOk()).isTrue();
        first.hold();
        assertOk(settled(broker.delete()));
    }

    @Test
    void aBrokerThatStopsHoldsNoAnswerBack() throws Exception {
        first.hold();
        CompletableFuture<? extends Answer<?>> made = broker.createTopic("T", 1);
        broker.settle();
        assertThat(made).isNotDone();
        broker.broker.close();
        broker.stepNetworkOnly();
        assertOk(made);
    }

    @Test
    void topicsMadeOneAfterTheOtherAreToldOneByOne() throws Exception {
        int before = first.tables.size();
        int count = 300;
        for (int i = 0; i < count; i++) {
            assertThat(broker.run(broker.createTopic("T" + i, 1)).isOk()).isTrue();
        }
        List<Map<String, TopicConfig>> told = first.tables.subList(before, first.tables.size());
        assertThat(told.stream().mapToInt(Map::size).sum())
                .as("entries in all registrations together")
                .isEqualTo(count);
    }

    @Test
    void topicsMadeWhileANameServerIsBeingToldTravelTogether() throws Exception {
        first.hold();
        List<CompletableFuture<? extends Answer<?>>> made = new ArrayList<>();
        made.add(broker.createTopic("T", 1));
        broker.settle();
        int before = first.tables.size();
        IntStream.range(0, 300).forEach(i -> made.add(broker.createTopic("T" + i, 1)));
        settleLong();
        first.answer();
        settleLong();
        assertThat(first.tables).hasSize(before + 1);
        assertThat(first.lastTable()).hasSize(300);
        first.answer();
        settleLong();
        made.forEach(this::assertOk);
    }

    /** A step moves one thing over the network, and there are hundreds. */
    private void settleLong() {
        for (int i = 0; i < 50; i++) {
            broker.settle();
        }
    }
}
