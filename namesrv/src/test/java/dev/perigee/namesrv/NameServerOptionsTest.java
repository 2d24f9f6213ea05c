package dev.perigee.namesrv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.route.MinBrokerIdHeader;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RouteHeader;
import dev.perigee.protocol.header.route.UnregisterBrokerHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.RegisterBrokerBody;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicConfigTable;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.FreePorts;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.transport.TlsConfig;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a name server does when a setting says so. */
class NameServerOptionsTest {
    private static final int PATIENCE_MS = 60_000;
    private static final Map<String, TopicConfig> TOPICS =
            Map.of("DemoTopic", TopicConfig.of("DemoTopic", 4, 6), "Other", TopicConfig.of("Other", 4, 6));

    @TempDir
    Path folder;

    private final EventLoops loops = EventLoops.start("namesrv-options", 2);
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void stopAll() throws Exception {
        for (AutoCloseable part : opened) {
            part.close();
        }
        loops.close();
    }

    private NameServerConfig config(String... keysAndValues) {
        Properties values = new Properties();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            values.setProperty(keysAndValues[i], keysAndValues[i + 1]);
        }
        Path own = folder.resolve("server-" + opened.size());
        return NameServerConfig.read(values).config().listenOn("127.0.0.1", 0).keepKvIn(own.resolve("kv.json"));
    }

    private NameServer start(String... keysAndValues) throws Exception {
        NameServer server = new NameServer(config(keysAndValues), loops, Clock.system());
        server.start();
        opened.add(server);
        return server;
    }

    private RemotingClient client(TlsConfig tls) {
        RemotingClient client = new RemotingClient(
                ClientConfig.DEFAULT.withTls(tls).withConnectTimeoutMs(PATIENCE_MS), loops, Clock.system());
        opened.add(0, client);
        return client;
    }

    private static <Q extends Record, R extends Record> Answer<R> ask(
            RemotingClient client, NameServer server, Rpc<Q, R> rpc, Q header, byte[] body) throws Exception {
        return client.callBlocking(
                "127.0.0.1:" + server.port(), rpc, header, body, Deadline.after(Clock.system(), PATIENCE_MS));
    }

    private static void register(
            RemotingClient client, NameServer server, String broker, long id, @Nullable String zone) throws Exception {
        byte[] body =
                Json.write(new RegisterBrokerBody(TopicConfigTable.of(TOPICS, new DataVersion(0, 1, 1)), List.of()));
        RegisterBrokerHeader header = new RegisterBrokerHeader(
                broker, broker + id + ":10911", "c", "ha" + id + ":10912", id, null, true, false, 0, zone, null);
        assertThat(ask(client, server, Rpcs.REGISTER_BROKER, header, body).isOk())
                .isTrue();
    }

    private static void unregister(RemotingClient client, NameServer server, String broker, long id) throws Exception {
        ask(
                client,
                server,
                Rpcs.UNREGISTER_BROKER,
                new UnregisterBrokerHeader(broker, broker + id + ":10911", "c", id),
                new byte[0]);
    }

    private static String route(RemotingClient client, NameServer server, RouteHeader header) throws Exception {
        return new String(
                ask(client, server, Rpcs.GET_ROUTEINFO_BY_TOPIC, header, new byte[0])
                        .body(),
                StandardCharsets.UTF_8);
    }

    @Test
    void aSlaveIsShownAsMasterOnlyWhereActingMastersAreSupported() throws Exception {
        RemotingClient client = client(TlsConfig.OFF);
        RouteHeader demo = new RouteHeader("DemoTopic", true, null, null);
        for (String supported : List.of("false", "true")) {
            NameServer server = start("supportActingMaster", supported);
            register(client, server, "a", 0, null);
            register(client, server, "a", 1, null);
            unregister(client, server, "a", 0);

            assertThat(route(client, server, demo))
                    .contains(
                            supported.equals("true")
                                    ? "\"brokerAddrs\":{\"0\":\"a1:10911\"}"
                                    : "\"brokerAddrs\":{\"1\":\"a1:10911\"}")
                    .contains("\"perm\":4");
        }
    }

    @Test
    void aRouteIsChosenByZoneOnlyForClientsThatAskForIt() throws Exception {
        RemotingClient client = client(TlsConfig.OFF);
        NameServer server = start();
        register(client, server, "a", 0, "north");
        register(client, server, "b", 0, "south");

        assertThat(route(client, server, new RouteHeader("DemoTopic", true, true, "north")))
                .contains("a0:10911", "\"zoneName\":\"north\"")
                .doesNotContain("b0:10911", "\"brokerName\":\"b\"");
        assertThat(route(client, server, new RouteHeader("DemoTopic", true, false, "north")))
                .contains("a0:10911", "b0:10911");
        assertThat(route(client, server, new RouteHeader("DemoTopic", true, true, null)))
                .contains("a0:10911", "b0:10911");
    }

    @Test
    void brokersAreToldOfANewSmallestIdWhenTheSwitchIsOn() throws Exception {
        NameServer server = start("notifyMinBrokerIdChanged", "true");
        Queue<MinBrokerIdHeader> told = new ConcurrentLinkedQueue<>();
        RemotingClient master = client(TlsConfig.OFF);
        RemotingClient slave = client(TlsConfig.OFF);
        slave.onRequest(HandlerTable.builder()
                .on(Rpcs.NOTIFY_MIN_BROKER_ID_CHANGE, (request, reply) -> told.add(request.header()))
                .build());
        register(master, server, "a", 0, null);
        register(slave, server, "a", 1, null);

        master.close();

        await().atMost(ONE_MINUTE).until(() -> !told.isEmpty());
        assertThat(told).singleElement().satisfies(header -> {
            assertThat(header.minBrokerId()).isEqualTo(1);
            assertThat(header.brokerName()).isEqualTo("a");
            assertThat(header.minBrokerAddr()).isEqualTo("a1:10911");
            assertThat(header.offlineBrokerAddr()).isEqualTo("a0:10911");
        });
    }

    @Test
    void metricsAreServedWhenTheyAreSwitchedOn() throws Exception {
        NameServer server = start("metricsExporterType", "PROM", "metricsPromExporterPort", "0");
        RemotingClient client = client(TlsConfig.OFF);
        register(client, server, "a", 0, null);
        register(client, server, "a", 1, null);

        String page = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                        + server.metricsPort().orElseThrow() + "/metrics"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();

        assertThat(page)
                .contains("perigee_namesrv_topics 2.0\n")
                .contains("perigee_namesrv_brokers 2.0\n")
                .contains("perigee_namesrv_broker_groups 1.0\n")
                .contains("perigee_namesrv_connections 1.0\n")
                .contains("perigee_namesrv_requests_total 2.0\n")
                .contains("jvm_memory_used_bytes");
        assertThat(start().metricsPort()).isEmpty();
    }

    @Test
    void aTakenMetricsPortStopsTheStartByItsSettingAndFreesTheOtherPort() throws Exception {
        int port = FreePorts.one();
        try (ServerSocket taken = new ServerSocket(0)) {
            String takenPort = Integer.toString(taken.getLocalPort());
            NameServerConfig config = config("metricsExporterType", "PROM", "metricsPromExporterPort", takenPort)
                    .listenOn("127.0.0.1", port);
            NameServer server = new NameServer(config, loops, Clock.system());

            assertThatThrownBy(server::start)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(takenPort)
                    .hasMessageContaining("metricsPromExporterPort");
            assertThatThrownBy(server::port).isInstanceOf(IllegalStateException.class);
            assertThat(FreePorts.isFree(port)).isTrue();
        }
    }

    @Test
    void anEnforcingServerAnswersOverTlsOnly() throws Exception {
        NameServer server = start("tls.server.mode", "enforcing");

        register(client(TlsConfig.clientTrustingAll()), server, "a", 0, null);
        assertThat(server.knows("a")).isTrue();

        RemotingClient plain = client(TlsConfig.OFF);
        assertThatThrownBy(() -> route(plain, server, new RouteHeader("DemoTopic", true, null, null)))
                .isInstanceOf(RemotingException.ConnectionClosed.class);
    }

    @Test
    void settingsAreShownWithoutPasswords() {
        Properties shown = config("tls.server.mode", "disabled", "tls.server.keyPassword", "swordfish")
                .toProperties();

        assertThat(shown)
                .containsEntry("tls.server.mode", "DISABLED")
                .containsEntry("metricsExporterType", "DISABLE")
                .doesNotContainKey("tls.server.keyPassword")
                .doesNotContainValue("swordfish");
    }
}
