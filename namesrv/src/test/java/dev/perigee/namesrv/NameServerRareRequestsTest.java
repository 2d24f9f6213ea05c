package dev.perigee.namesrv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.route.BrokerHeartbeatHeader;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RouteHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.RegisterBrokerBody;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicConfigTable;
import dev.perigee.protocol.topic.TopicSysFlag;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that few peers send, carried out: 217, 311 to 313 and 904. */
class NameServerRareRequestsTest {
    private static final long CALL_MS = 60_000;

    private final EventLoops loops = EventLoops.start("namesrv-test", 2);
    private final ShiftedClock clock = new ShiftedClock();
    private final RemotingClient first = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
    private final RemotingClient second = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
    private NameServer server;

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("scanNotActiveBrokerInterval", "100");
        server = new NameServer(
                NameServerConfig.read(properties)
                        .config()
                        .listenOn("127.0.0.1", 0)
                        .keepKvIn(folder.resolve("kvConfig.json")),
                loops,
                clock);
        server.start();
    }

    @AfterEach
    void stop() {
        first.close();
        second.close();
        server.close();
        loops.close();
    }

    private <Q extends Record, R extends Record> Answer<R> ask(RemotingClient by, Rpc<Q, R> rpc, Q header, byte[] body)
            throws Exception {
        return by.callBlocking(
                "127.0.0.1:" + server.port(), rpc, header, body, Deadline.after(Clock.system(), CALL_MS));
    }

    private void register(RemotingClient by, String broker, TopicConfig... topics) throws Exception {
        Map<String, TopicConfig> table = new TreeMap<>();
        for (TopicConfig topic : topics) {
            table.put(topic.topicName(), topic);
        }
        byte[] body =
                Json.write(new RegisterBrokerBody(TopicConfigTable.of(table, new DataVersion(0, 1, 1)), List.of()));
        RegisterBrokerHeader header = new RegisterBrokerHeader(
                broker, address(broker), "c", "127.0.0.1:1", 0, null, false, false, 0, null, null);
        assertThat(ask(by, Rpcs.REGISTER_BROKER, header, body).isOk()).isTrue();
    }

    private static String address(String broker) {
        return broker + ".example:10911";
    }

    private Answer<NoHeader> route(String topic) throws Exception {
        return ask(second, Rpcs.GET_ROUTEINFO_BY_TOPIC, new RouteHeader(topic, true, null, null), new byte[0]);
    }

    @Test
    void aSingleTopicIsRegisteredForTheBrokersThatAreKnown() throws Exception {
        register(first, "known", TopicConfig.of("Old", 4, 6), TopicConfig.of("Other", 4, 6));
        TopicRouteData wanted = new TopicRouteData(
                null,
                List.of(new QueueData("known", 3, 2, 6, 0), new QueueData("ghost", 8, 8, 6, 0)),
                List.of(),
                Map.of());

        Answer<NoHeader> answer =
                ask(second, Rpcs.REGISTER_TOPIC_IN_NAMESRV, new TopicHeader("New"), Json.write(wanted));

        assertThat(answer.code()).as(answer.remarkText()).isZero();
        TopicRouteData route = Json.read(route("New").body(), TopicRouteData.class);
        assertThat(route.queueDatas()).containsExactly(new QueueData("known", 3, 2, 6, 0));
        assertThat(route.brokerDatas()).hasSize(1);
        assertThat(Json.read(route("Old").body(), TopicRouteData.class).queueDatas())
                .containsExactly(new QueueData("known", 4, 4, 6, 0));
    }

    @Test
    void topicsOfUnitsAreListedByTheirFlags() throws Exception {
        register(
                first,
                "known",
                TopicConfig.of("Plain", 4, 6),
                TopicConfig.of("Unit", 4, 6).withSysFlag(TopicSysFlag.UNIT),
                TopicConfig.of("Subscribed", 4, 6).withSysFlag(TopicSysFlag.UNIT_SUBSCRIPTION),
                TopicConfig.of("Both", 4, 6).withSysFlag(TopicSysFlag.UNIT | TopicSysFlag.UNIT_SUBSCRIPTION));

        assertThat(list(Rpcs.GET_UNIT_TOPIC_LIST)).isEqualTo("{\"topicList\":[\"Both\",\"Unit\"]}");
        assertThat(list(Rpcs.GET_HAS_UNIT_SUB_TOPIC_LIST)).isEqualTo("{\"topicList\":[\"Both\",\"Subscribed\"]}");
        assertThat(list(Rpcs.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST)).isEqualTo("{\"topicList\":[\"Subscribed\"]}");
    }

    private String list(Rpc<NoHeader, NoHeader> rpc) throws Exception {
        Answer<NoHeader> answer = ask(second, rpc, NoHeader.NONE, new byte[0]);
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    @Test
    void aBrokerThatOnlySendsHeartbeatsIsKeptWhileASilentOneGoes() throws Exception {
        register(first, "silent", TopicConfig.of("Silent", 4, 6), TopicConfig.of("Other", 4, 6));
        register(second, "alive", TopicConfig.of("Alive", 4, 6), TopicConfig.of("Other", 4, 6));
        clock.advanceMs(100_000);
        Answer<NoHeader> heartbeat = ask(
                second,
                Rpcs.BROKER_HEARTBEAT,
                new BrokerHeartbeatHeader("c", address("alive"), "alive", 0L, null, null, null, null, null),
                new byte[0]);
        assertThat(heartbeat.code()).as(heartbeat.remarkText()).isZero();

        clock.advanceMs(100_000);

        await().atMost(ONE_MINUTE)
                .untilAsserted(() -> assertThat(route("Silent").code()).isEqualTo(ResponseCode.TOPIC_NOT_EXIST));
        assertThat(route("Alive").isOk()).as("known by its heartbeat").isTrue();
    }
}
