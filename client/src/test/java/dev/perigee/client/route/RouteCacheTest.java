package dev.perigee.client.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.error.Failures;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.client.error.NoNameServerException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeNameServer;
import dev.perigee.client.fake.World;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RouteCacheTest {
    private World world;
    private FakeBroker broker;

    @BeforeEach
    void oneBroker() throws Exception {
        world = new World();
        broker = world.broker("a");
        world.nameServer().route("T", 2, broker);
    }

    private RouteCache cache(String... nameServers) {
        return cache(RouteCache.MAX_TOPICS, nameServers);
    }

    private RouteCache cache(int maxTopics, String... nameServers) {
        RemotingClient remoting = new RemotingClient(ClientConfig.DEFAULT, world.transport(), world.clock());
        return new RouteCache(new NameServers(List.of(nameServers), remoting, 0), world.clock(), 3_000, maxTopics);
    }

    private void use(RouteCache cache, String topic) {
        world.nameServer().route(topic, 1, broker);
        world.await(cache.get(topic), 1_000);
        world.clock().advanceMs(1);
    }

    @Test
    void asksTheNextNameServerWhenOneIsGone() throws Exception {
        FakeNameServer gone = new FakeNameServer(world.transport(), world.clock());
        String goneAddress = gone.address();
        gone.close();
        RouteCache cache = cache(goneAddress, world.nameServer().address());
        assertThat(world.await(cache.get("T"), 5_000).publishQueues()).hasSize(2);
        int asked = world.nameServer().timesAsked();
        assertThat(world.await(cache.refresh("T"), 5_000).publishQueues()).hasSize(2);
        assertThat(world.nameServer().timesAsked()).isEqualTo(asked + 1);
    }

    @Test
    void failsByNameWhenNoNameServerAnswers() throws Exception {
        FakeNameServer gone = new FakeNameServer(world.transport(), world.clock());
        String goneAddress = gone.address();
        gone.close();
        assertThatThrownBy(() -> world.await(cache(goneAddress).get("T"), 5_000))
                .satisfies(e -> assertThat(Failures.unwrap(e))
                        .isInstanceOf(NoNameServerException.class)
                        .hasMessageContaining(goneAddress));
        assertThatThrownBy(() -> world.await(cache().get("T"), 5_000))
                .satisfies(e -> assertThat(Failures.unwrap(e)).hasMessageContaining("no NameServer is configured"));
    }

    @Test
    void aBrokerInPlaceOfANameServerIsPassedOverAndNamed() throws Exception {
        RouteCache both = cache(broker.address(), world.nameServer().address());
        assertThat(world.await(both.get("T"), 5_000).publishQueues()).hasSize(2);

        assertThatThrownBy(() -> world.await(cache(broker.address()).get("T"), 5_000))
                .satisfies(e -> assertThat(Failures.unwrap(e))
                        .isInstanceOf(NoNameServerException.class)
                        .hasMessageContaining("at " + broker.address() + " is no NameServer but most likely a broker"));
    }

    @Test
    void withoutAMasterTheSlavesAreAskedInTurn() {
        RouteCache cache = cache(world.nameServer().address());
        routeTo(cache, Map.of(3L, "h:3", 1L, "h:1", 2L, "h:2"));
        assertThat(cache.address("s", BrokerData.MASTER_ID)).contains("h:1");
        cache.notReadable("h:1");
        cache.notReadable("h:1"); // of another queue
        assertThat(cache.address("s", BrokerData.MASTER_ID)).contains("h:2");
        assertThat(cache.address("s", 3)).as("whom the master named").contains("h:3");
        cache.notReadable("h:2");
        assertThat(cache.address("s", BrokerData.MASTER_ID)).contains("h:3");
        cache.notReadable("h:3");
        assertThat(cache.address("s", BrokerData.MASTER_ID)).contains("h:1");
        cache.notReadable("h:1");
        routeTo(cache, Map.of(0L, "h:0", 1L, "h:1", 2L, "h:2"));
        cache.notReadable("h:0");
        assertThat(cache.address("s", BrokerData.MASTER_ID)).contains("h:0");
        routeTo(cache, Map.of(1L, "h:1"));
        assertThat(cache.address("s", BrokerData.MASTER_ID))
                .as("the one that was read from is gone")
                .contains("h:1");
        assertThat(cache.address("nobody", BrokerData.MASTER_ID)).isEmpty();
    }

    private void routeTo(RouteCache cache, Map<Long, String> members) {
        world.nameServer()
                .route(
                        "S",
                        TopicRouteData.of(
                                List.of(new QueueData("s", 1, 1, 6, 0)),
                                List.of(new BrokerData("C", "s", members, false, null)),
                                null));
        world.await(cache.refresh("S"), 1_000);
    }

    @Test
    void severalQuestionsForOneTopicShareOneRequest() {
        RouteCache cache = cache(world.nameServer().address());
        List<TopicRoute> routes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            cache.get("T").thenAccept(routes::add).isDone();
        }
        world.settle();
        assertThat(routes).hasSize(5);
        assertThat(world.nameServer().timesAsked()).isEqualTo(1);
    }

    @Test
    void tellsListenersOnlyWhenARouteDiffers() {
        RouteCache cache = cache(world.nameServer().address());
        List<Integer> sizes = new ArrayList<>();
        cache.onChange(route -> sizes.add(route.subscribeQueues().size()));
        world.await(cache.refresh("T"), 1_000);
        world.await(cache.refresh("T"), 1_000);
        world.nameServer().route("T", 5, broker);
        world.await(cache.refresh("T"), 1_000);
        assertThat(sizes).containsExactly(2, 5);
    }

    @Test
    void beyondTheLimitTheTopicUnusedForTheLongestTimeIsForgotten() {
        RouteCache cache = cache(16, world.nameServer().address());
        cache.keep("t1"::equals);
        for (int i = 0; i < 16; i++) {
            use(cache, "t" + i);
        }
        assertThat(cache.topics()).hasSize(16);
        assertThat(cache.known("t0")).isPresent();
        use(cache, "t16");

        assertThat(cache.topics()).hasSize(16).contains("t0", "t1", "t16").doesNotContain("t2");
        int asked = world.nameServer().timesAsked();
        cache.refreshAll();
        world.settle();
        assertThat(world.nameServer().timesAsked()).isEqualTo(asked + 16);
        use(cache, "t2");
        assertThat(cache.topics()).hasSize(16).contains("t2").doesNotContain("t3");
    }

    @Test
    void subscribedTopicsAreKeptHoweverManyTheyAre() {
        RouteCache cache = cache(4, world.nameServer().address());
        cache.keep(topic -> true);
        for (int i = 0; i < 20; i++) {
            use(cache, "t" + i);
        }
        assertThat(cache.topics()).hasSize(20);
    }

    @Test
    void brokersThatNoRouteNamesAnyMoreAreForgottenWithTheirTopics() throws Exception {
        RouteCache cache = cache(2, world.nameServer().address());
        FakeBroker other = world.broker("other");
        world.nameServer().route("alone", 1, other);
        world.await(cache.get("alone"), 1_000);
        world.clock().advanceMs(1);
        assertThat(cache.masterAddress("other")).isPresent();
        use(cache, "t0");
        use(cache, "t1");
        use(cache, "t2");

        assertThat(cache.masterAddress("other")).isEmpty();
        assertThat(cache.masterAddress("a")).isPresent();
    }

    @Test
    void topicThatVanishesKeepsItsRoute() {
        RouteCache cache = cache(world.nameServer().address());
        world.await(cache.get("T"), 1_000);
        world.nameServer().removeRoute("T");
        assertThatThrownBy(() -> world.await(cache.refresh("T"), 1_000))
                .satisfies(e -> assertThat(Failures.unwrap(e)).isInstanceOf(NoRouteException.class));
        assertThat(cache.known("T")).isPresent();
    }

    @Test
    @SuppressWarnings("NullAway") // what the wire may bring all the same
    void routeThatMakesNoSenseFailsTheQuestion() {
        RouteCache cache = cache(world.nameServer().address());
        world.nameServer()
                .route(
                        "T",
                        TopicRouteData.of(
                                List.of(new QueueData(null, 1, 1, 6, 0), new QueueData("a", 1, 1, 6, 0)),
                                List.of(),
                                null));
        assertThatThrownBy(() -> world.await(cache.get("T"), 1_000))
                .satisfies(e -> assertThat(Failures.unwrap(e)).isInstanceOf(MalformedAnswerException.class));
    }

    @Test
    void publishesOnlyWhereAMasterLivesAndWritingIsAllowed() {
        List<QueueData> queues = List.of(
                new QueueData("b", 2, 2, 6, 0),
                new QueueData("a", 1, 2, 6, 0),
                new QueueData("slave-only", 2, 2, 6, 0),
                new QueueData("read-only", 1, 1, 4, 0),
                new QueueData("write-only", 1, 1, 2, 0));
        List<BrokerData> brokers = List.of(
                new BrokerData("C", "a", Map.of(0L, "h:1"), false, null),
                new BrokerData("C", "b", Map.of(0L, "h:2"), false, null),
                new BrokerData("C", "slave-only", Map.of(1L, "h:3"), false, null),
                new BrokerData("C", "read-only", Map.of(0L, "h:4"), false, null),
                new BrokerData("C", "write-only", Map.of(0L, "h:5"), false, null));
        TopicRoute route = TopicRoute.of("T", TopicRouteData.of(queues, brokers, null));
        assertThat(route.publishQueues())
                .containsExactly(
                        new MessageQueue("T", "a", 0),
                        new MessageQueue("T", "a", 1),
                        new MessageQueue("T", "b", 0),
                        new MessageQueue("T", "b", 1),
                        new MessageQueue("T", "write-only", 0));
        assertThat(route.subscribeQueues().stream().map(MessageQueue::brokerName))
                .containsExactly("a", "b", "b", "read-only", "slave-only", "slave-only");
    }
}
