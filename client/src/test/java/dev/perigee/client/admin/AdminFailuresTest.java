package dev.perigee.client.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.client.error.NoNameServerException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.fake.FakeCluster;
import dev.perigee.client.fake.ManualClock;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.offset.BoundaryType;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.ClusterInfo;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.transport.Payload;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever an administrative operation fails with names address, topic, attempt and the time left of its one deadline. The
 * clock is set by hand: the peer, name server and broker in one, lets time pass whenever it answers.
 */
final class AdminFailuresTest {
    private static final long TIMEOUT_MS = 4_321;
    private static final long PASSED_MS = 137;
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);
    private static final Map<String, String> SETTINGS = Map.of("k", "v");

    /** One administrative operation. */
    private interface Operation {
        void run(AdminClient admin, String address) throws ClientException;
    }

    private final ManualClock clock = new ManualClock();
    private final EventLoops loops = EventLoops.start("admin-failures", 1);
    private RemotingServer peer;
    private String address;
    private AdminClient admin;
    private Map<String, BrokerData> brokers;

    @BeforeEach
    void open() throws Exception {
        HandlerTable.Builder table = HandlerTable.builder()
                .on(Rpcs.GET_BROKER_CLUSTER_INFO, (request, reply) -> {
                    clock.advanceMs(PASSED_MS);
                    ClusterInfo info = new ClusterInfo(brokers, Map.of("C", brokers.keySet()));
                    reply.ok(NoHeader.NONE, Payload.of(Json.writeStandard(info)));
                })
                .on(Rpcs.GET_ROUTEINFO_BY_TOPIC, (request, reply) -> {
                    clock.advanceMs(PASSED_MS);
                    if (!request.header().topic().equals("T")) {
                        reply.fail(ResponseCode.TOPIC_NOT_EXIST, "no route");
                        return;
                    }
                    TopicRouteData route = TopicRouteData.of(
                            List.of(new QueueData("a", 1, 1, 6, 0)), List.copyOf(brokers.values()), null);
                    reply.ok(NoHeader.NONE, Payload.of(Json.writeStandard(route)));
                });
        table.on(Rpcs.GET_BROKER_CONSUME_STATS, (request, reply) -> clock.advanceMs(2 * TIMEOUT_MS)); // and no answer
        garble(table, Rpcs.GET_BROKER_RUNTIME_INFO);
        garble(table, Rpcs.GET_CONSUMER_CONNECTION_LIST);
        garble(table, Rpcs.QUERY_TOPICS_BY_CONSUMER);
        garble(table, Rpcs.GET_KVLIST_BY_NAMESPACE);
        garble(table, Rpcs.GET_ALL_TOPIC_LIST_FROM_NAMESERVER);
        peer = new RemotingServer(ServerConfig.of("127.0.0.1", 0), table.build(), loops, clock);
        peer.start();
        address = "127.0.0.1:" + peer.boundPort();
        brokers = Map.of("a", new BrokerData("C", "a", Map.of(0L, address), false, null));
        admin = admin(address, TIMEOUT_MS);
    }

    private <Q extends Record> void garble(HandlerTable.Builder table, Rpc<Q, NoHeader> rpc) {
        table.on(rpc, (request, reply) -> {
            clock.advanceMs(PASSED_MS);
            reply.ok(NoHeader.NONE, Payload.of("not what was asked for".getBytes(StandardCharsets.UTF_8)));
        });
    }

    private AdminClient admin(String nameServers, long timeoutMs) {
        AdminClient started = AdminClient.builder()
                .nameServers(nameServers)
                .transport(loops)
                .clock(clock)
                .clientIp("127.0.0.1")
                .callTimeoutMs(60_000)
                .timeoutMs(timeoutMs)
                .build();
        started.start();
        return started;
    }

    @AfterEach
    void close() {
        admin.close();
        peer.close();
        loops.close();
    }

    private ClientException failure(Operation operation) {
        Throwable thrown = catchThrowable(() -> operation.run(admin, address));
        assertThat(thrown).isInstanceOf(ClientException.class);
        ClientException failure = (ClientException) thrown;
        assertThat(failure).hasMessageContaining("[" + failure.site() + "]");
        return failure;
    }

    /** Operations the peer refuses, because it knows nothing but routes. */
    static Stream<Arguments> refused() {
        Map<String, Operation> about = new LinkedHashMap<>();
        about.put("create a topic", (a, at) -> a.topics().createOrUpdate(TopicConfig.of("T", 1)));
        about.put("create in a cluster", (a, at) -> a.topics().createOrUpdateInCluster(TopicConfig.of("T", 1), "C"));
        about.put("create at", (a, at) -> a.topics().createOrUpdate(TopicConfig.of("T", 1), List.of(at)));
        about.put("delete a topic", (a, at) -> a.topics().delete("T"));
        about.put("stats", (a, at) -> a.topics().stats("T"));
        about.put("topic config", (a, at) -> a.topics().config("T", at));
        about.put("permission", (a, at) -> a.topics().updatePermission("T", at, 4));
        about.put("consumers", (a, at) -> a.topics().consumers("T"));
        about.put("first offset", (a, at) -> a.topics().minOffset(QUEUE));
        about.put("end", (a, at) -> a.topics().maxOffset(QUEUE));
        about.put("offset at a time", (a, at) -> a.topics().searchOffset(QUEUE, 1, BoundaryType.LOWER));
        about.put("earliest time", (a, at) -> a.topics().earliestStoreTimeMs(QUEUE));
        about.put("consume queue", (a, at) -> a.topics().consumeQueue(QUEUE, 0, 1, "g"));
        about.put("progress in a topic", (a, at) -> a.groups().progress("g", "T"));
        about.put("time spans", (a, at) -> a.groups().timeSpans("g", "T"));
        about.put("offset", (a, at) -> a.groups().offset("g", QUEUE));
        about.put("update an offset", (a, at) -> a.groups().updateOffset("g", QUEUE, 1));
        about.put(
                "reset offsets", (a, at) -> a.offsets().reset("g", "T", OffsetAdmin.ALL_BROKERS, ResetTarget.time(1)));
        about.put("clone offsets of a topic", (a, at) -> a.groups().cloneOffsets("g", "h", "T"));
        about.put("positions of members", (a, at) -> a.groups().memberPositions("g", "T", at));
        about.put("by key", (a, at) -> a.messages().byKey("T", "k", 1, 0, 1));
        about.put("by unique key", (a, at) -> a.messages().byUniqueKey("T", "k"));
        about.put("by queue offset", (a, at) -> a.messages().byQueueOffset(QUEUE, 0));
        about.put("read", (a, at) -> a.messages().read(QUEUE, 0, 1));
        Map<String, Operation> others = new LinkedHashMap<>();
        others.put("topics of a cluster", (a, at) -> a.topics().listOfCluster("C"));
        others.put("system topics", (a, at) -> a.topics().listSystem());
        others.put("all topic configs", (a, at) -> a.topics().allConfigs(at));
        others.put("groups", (a, at) -> a.groups().list());
        others.put("all group configs", (a, at) -> a.groups().allConfigs(at));
        others.put("group config", (a, at) -> a.groups().config("g", at));
        others.put("create a group", (a, at) -> a.groups().createOrUpdate(SubscriptionGroupConfig.of("g")));
        others.put(
                "create a group at",
                (a, at) -> a.groups().createOrUpdate(SubscriptionGroupConfig.of("g"), List.of(at)));
        others.put("delete a group", (a, at) -> a.groups().delete("g", true));
        others.put("producers of a group", (a, at) -> a.groups().producers("g", at));
        others.put("progress", (a, at) -> a.groups().progress("g"));
        others.put("clone offsets", (a, at) -> a.groups().cloneOffsets("g", "h", ""));
        others.put("running info", (a, at) -> a.groups().runningInfo("g", "c", false, at));
        others.put("consume directly", (a, at) -> a.groups().consumeDirectly("g", "c", "id", at));
        others.put("broker config", (a, at) -> a.brokers().config(at));
        others.put("update a broker's config", (a, at) -> a.brokers().updateConfig(at, SETTINGS));
        others.put("broker stats", (a, at) -> a.brokers().stats(at, "n", "k"));
        others.put("consumer offsets", (a, at) -> a.brokers().consumerOffsets(at));
        others.put("producers", (a, at) -> a.brokers().producers(at));
        others.put("clean topics", (a, at) -> a.brokers().cleanUnusedTopics(at));
        others.put("clean queues", (a, at) -> a.brokers().cleanExpiredConsumeQueues(at));
        others.put("delete segments", (a, at) -> a.brokers().deleteExpiredCommitLog(at));
        others.put("wipe", (a, at) -> a.brokers().wipeWritePermission("a"));
        others.put("add", (a, at) -> a.brokers().addWritePermission("a"));
        others.put("name server config", (a, at) -> a.nameServers().config(at));
        others.put("update a name server's config", (a, at) -> a.nameServers().updateConfig(at, SETTINGS));
        others.put("put", (a, at) -> a.nameServers().putKv("n", "k", "v"));
        others.put("get", (a, at) -> a.nameServers().getKv("n", "k"));
        others.put("delete a value", (a, at) -> a.nameServers().deleteKv("n", "k"));
        return Stream.concat(
                about.entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue(), "T")),
                others.entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue(), "-")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void aRefusalNamesWhoRefusedAndTheTimeLeftOfTheWholeOperation(String name, Operation operation, String topic) {
        long beganMs = clock.monotonicMs();
        ClientException failure = failure(operation);
        long leftMs = TIMEOUT_MS - (clock.monotonicMs() - beganMs);

        assertThat(failure).as(name).isInstanceOf(RefusedException.class);
        assertThat(failure.site()).as(name).isEqualTo(new FailureSite(address, topic, 1, leftMs));
    }

    static Stream<Arguments> malformed() {
        Map<String, Operation> operations = new LinkedHashMap<>();
        operations.put("topics", (a, at) -> a.topics().list());
        operations.put("runtime info", (a, at) -> a.brokers().runtimeInfo(at));
        operations.put("connections at", (a, at) -> a.groups().connections("g", at));
        operations.put("connections", (a, at) -> a.groups().connections("g"));
        operations.put("connections everywhere", (a, at) -> a.clients().connections("g"));
        operations.put("topics of a group", (a, at) -> a.groups().topics("g"));
        operations.put("values", (a, at) -> a.nameServers().listKv("n"));
        return operations.entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("malformed")
    void aBodyThatCannotBeReadNamesWhoSentIt(String name, Operation operation) {
        long beganMs = clock.monotonicMs();
        ClientException failure = failure(operation);
        long passedMs = clock.monotonicMs() - beganMs;

        assertThat(passedMs).isPositive();
        assertThat(failure).as(name).isInstanceOf(MalformedAnswerException.class);
        assertThat(failure.site()).as(name).isEqualTo(new FailureSite(address, "-", 1, TIMEOUT_MS - passedMs));
    }

    @Test
    void aPeerThatDoesNotAnswerIsWaitedForUntilTheTimeout() {
        long timeoutMs = 123; // the event loop counts these in real time
        try (AdminClient hasty = admin(address, timeoutMs)) {
            // again, for the first time may be over before the connection is open
            FakeCluster.awaitAsserted(() -> assertThat(
                            catchThrowable(() -> hasty.brokers().consumeStats(address, false)))
                    .isInstanceOfSatisfying(DeadlineExceededException.class, failure -> {
                        assertThat(failure).hasMessageContaining("limit " + timeoutMs + " ms");
                        assertThat(failure.site()).isEqualTo(new FailureSite(address, "-", 1, 0));
                        assertThat(failure.mayHaveTakenEffect()).isTrue();
                    }));
        }
    }

    @Test
    void aTopicWithoutRouteNamesTheNameServer() {
        FailureSite site = new FailureSite(address, "nowhere", 1, TIMEOUT_MS - PASSED_MS);
        assertThat(failure((a, at) -> a.topics().queues("nowhere")))
                .isInstanceOf(NoRouteException.class)
                .extracting(ClientException::site)
                .isEqualTo(site);
        assertThat(failure((a, at) -> a.topics().route("nowhere")))
                .isInstanceOf(RefusedException.class)
                .extracting(ClientException::site)
                .isEqualTo(site);
    }

    @Test
    void aClusterWithoutMastersNamesTheNameServer() {
        assertThat(failure((a, at) -> a.brokers().masters("other")))
                .isInstanceOf(NoRouteException.class)
                .hasMessageContaining("no live master in cluster other")
                .extracting(ClientException::site)
                .isEqualTo(new FailureSite(address, "-", 1, TIMEOUT_MS - PASSED_MS));
        MessageQueue queue = new MessageQueue("T", "unknown", 0);
        assertThat(failure((a, at) -> a.topics().minOffset(queue)))
                .isInstanceOf(NoRouteException.class)
                .hasMessageContaining("no live master of broker unknown")
                .extracting(ClientException::site)
                .isEqualTo(new FailureSite(address, "T", 1, TIMEOUT_MS - PASSED_MS));
    }

    @Test
    void whereASlaveWouldDoTheFailureSaysThatThereIsNoneEither() {
        MessageQueue queue = new MessageQueue("T", "unknown", 0);
        assertThat(failure((a, at) -> a.messages().read(queue, 0, 1)))
                .isInstanceOf(NoRouteException.class)
                .hasMessageContaining("no live master or slave of broker unknown");
    }

    @Test
    void anIdThatIsNoneIsRefusedBeforeAnybodyIsAsked() {
        assertThat(failure((a, at) -> a.messages().byOffsetId("x")))
                .isInstanceOf(InvalidMessageException.class)
                .extracting(ClientException::site)
                .isEqualTo(FailureSite.untried("-", TIMEOUT_MS));
    }

    @Test
    void withoutANameServerNobodyIsAsked() {
        try (AdminClient alone = admin("", TIMEOUT_MS)) {
            for (Operation operation : List.<Operation>of(
                    (a, at) -> a.nameServers().addresses(),
                    (a, at) -> a.brokers().cluster())) {
                assertThat(catchThrowable(() -> operation.run(alone, address)))
                        .isInstanceOfSatisfying(
                                NoNameServerException.class,
                                failure -> assertThat(failure.site()).isEqualTo(FailureSite.untried("-", TIMEOUT_MS)));
            }
        }
    }

    @Test
    void severalFailuresAreToldTogether() {
        ClientException failure =
                failure((a, at) -> a.topics().createOrUpdate(TopicConfig.of("T", 1), List.of(at, at, at)));
        assertThat(failure.getSuppressed()).hasSize(2);
        assertThat(Set.of(failure.getSuppressed()))
                .allSatisfy(other -> assertThat(other).isInstanceOf(RefusedException.class));
    }
}
