package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.header.route.UnregisterBrokerHeader;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.KvTable;
import dev.perigee.protocol.route.RegisterBrokerBody;
import dev.perigee.protocol.route.RegisterBrokerBodyCodec;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.transport.Payload;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerRegistrationTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    private final EventLoops loops = EventLoops.start("test-names", 1);
    private NameDouble first;
    private NameDouble second;

    /** A server that takes registrations and remembers them. */
    private final class NameDouble implements AutoCloseable {
        final List<Map<String, TopicConfig>> tables = new CopyOnWriteArrayList<>();
        final List<DataVersion> versions = new CopyOnWriteArrayList<>();
        final List<RegisterBrokerHeader> headers = new CopyOnWriteArrayList<>();
        final List<UnregisterBrokerHeader> goodbyes = new CopyOnWriteArrayList<>();
        private final RemotingServer server;

        NameDouble() throws Exception {
            HandlerTable table = HandlerTable.builder()
                    .on(Rpcs.REGISTER_BROKER, this::register)
                    .on(Rpcs.UNREGISTER_BROKER, this::unregister)
                    .build();
            server = new RemotingServer(ServerConfig.of("127.0.0.1", 0), table, loops, Clock.system());
            server.start();
        }

        private void register(Request<RegisterBrokerHeader> request, Reply<RegisterBrokerResponse> reply) {
            try {
                RegisterBrokerBody body = request.header().compressed()
                        ? RegisterBrokerBodyCodec.decode(request.copyBody())
                        : Json.read(request.copyBody(), RegisterBrokerBody.class);
                headers.add(request.header());
                versions.add(body.topicConfigSerializeWrapper().dataVersion());
                tables.add(body.topicConfigSerializeWrapper().topicConfigTable());
                byte[] order = Json.write(new KvTable(Map.of("Ordered", "broker-a:4")));
                reply.ok(new RegisterBrokerResponse(null, null), Payload.of(order));
            } catch (dev.perigee.protocol.json.BadBodyException e) {
                reply.fail(1, String.valueOf(e.getMessage()));
            }
        }

        private void unregister(Request<UnregisterBrokerHeader> request, Reply<NoHeader> reply) {
            goodbyes.add(request.header());
            reply.ok(NoHeader.NONE);
        }

        /** The place of the first such table from a place on, which is waited for; others may come before it at any time. */
        int awaitTable(int from, Predicate<Map<String, TopicConfig>> wanted) {
            return await().atMost(PATIENCE)
                    .until(
                            () -> IntStream.range(from, tables.size())
                                    .filter(place -> wanted.test(tables.get(place)))
                                    .findFirst(),
                            OptionalInt::isPresent)
                    .getAsInt();
        }

        /** A goodbye is on its way when the broker has stopped. */
        void awaitGoodbye() {
            await().atMost(PATIENCE).until(() -> !goodbyes.isEmpty());
            assertThat(goodbyes).hasSize(1);
        }

        String address() {
            return "127.0.0.1:" + server.boundPort();
        }

        @Override
        public void close() {
            server.close();
        }
    }

    @BeforeEach
    void start() throws Exception {
        first = new NameDouble();
        second = new NameDouble();
    }

    @AfterEach
    void stop() {
        first.close();
        second.close();
        loops.close();
    }

    private TestBroker broker(Map<String, String> more) throws Exception {
        Map<String, String> settings = new java.util.HashMap<>(more);
        settings.put("namesrvAddr", first.address() + ";127.0.0.1:1;" + second.address());
        return new TestBroker(folder, settings);
    }

    @Test
    void everyNameServerIsToldAlthoughOneIsDead() throws Exception {
        try (TestBroker broker = broker(Map.of())) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(first.tables).isNotEmpty();
                assertThat(second.tables).isNotEmpty();
            });
            assertThat(first.tables.get(0)).containsKeys("TBW102", "DefaultCluster", "broker-a", "BenchmarkTest");
            RegisterBrokerHeader header = first.headers.get(0);
            assertThat(header.brokerAddr()).isEqualTo(broker.address);
            assertThat(header.brokerId()).isZero();
            assertThat(header.completeTable()).isTrue();
        }
        first.awaitGoodbye();
        second.awaitGoodbye();
    }

    @Test
    void slavesAreToldTheAddressOfReplicationThatIsNamed() throws Exception {
        try (TestBroker broker = broker(Map.of("brokerIP2", "127.0.0.2", "haListenPort", "0"))) {
            await().atMost(PATIENCE).until(() -> !first.headers.isEmpty());
            RegisterBrokerHeader header = first.headers.get(0);
            assertThat(header.brokerAddr()).isEqualTo(broker.address);
            assertThat(header.haServerAddr()).startsWith("127.0.0.2:");
        }
    }

    @Test
    void aNameServerThatTakesConnectionsAndSaysNothingHoldsUpNobody() throws Exception {
        try (ServerSocket mute = new ServerSocket(0)) {
            String silent = "127.0.0.1:" + mute.getLocalPort();
            Map<String, String> settings =
                    Map.of("namesrvAddr", silent + ";" + first.address() + ";" + silent + ";" + second.address());
            try (TestBroker broker = new TestBroker(folder, settings)) {
                await().atMost(PATIENCE).until(() -> !first.tables.isEmpty() && !second.tables.isEmpty());

                broker.send("Fresh", 0, "m");

                first.awaitTable(0, table -> table.keySet().equals(Set.of("Fresh")));
                second.awaitTable(0, table -> table.containsKey("Fresh"));
            }
            first.awaitGoodbye();
            second.awaitGoodbye();
        }
    }

    @Test
    void aNewTopicTravelsAloneAndADeletedOneWithTheWholeTable() throws Exception {
        try (TestBroker broker = broker(Map.of())) {
            await().atMost(PATIENCE).until(() -> !first.tables.isEmpty());
            broker.send("Fresh", 0, "m");
            int alone = first.awaitTable(0, table -> table.keySet().equals(Set.of("Fresh")));
            assertThat(first.headers.get(alone).completeTable()).isFalse();

            broker.call(Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader("Fresh"), null);
            int whole = first.awaitTable(alone, table -> !table.containsKey("Fresh"));
            assertThat(first.headers.get(whole).completeTable()).isTrue();
            assertThat(first.tables.get(whole)).containsKey("TBW102");
        }
    }

    @Test
    void aBrokerThatMayNotBeWrittenToSaysSoForEveryTopic() throws Exception {
        try (TestBroker broker = broker(Map.of("compressedRegister", "true"))) {
            await().atMost(PATIENCE).until(() -> !first.tables.isEmpty());
            assertThat(first.headers.get(0).compressed()).isTrue();
            broker.call(
                    Rpcs.UPDATE_BROKER_CONFIG, NoHeader.NONE, "brokerPermission=4".getBytes(StandardCharsets.UTF_8));
            int told = first.awaitTable(0, table -> {
                TopicConfig topic = table.get("BenchmarkTest");
                return topic != null && topic.perm() == 4;
            });
            assertThat(first.versions.get(told))
                    .as("or a NameServer takes it for what it has")
                    .isNotEqualTo(first.versions.get(told - 1));
        }
    }

    @Test
    void topicsTheNameServerCallsOrderedBecomeSo() throws Exception {
        try (TestBroker broker = broker(Map.of())) {
            broker.send("Ordered", 0, "m");
            await().atMost(PATIENCE)
                    .until(() -> Json.read(
                                    broker.call(Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader("Ordered", null), null)
                                            .body(),
                                    TopicConfig.class)
                            .order());
        }
    }
}
