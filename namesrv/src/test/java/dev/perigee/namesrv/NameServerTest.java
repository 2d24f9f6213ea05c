package dev.perigee.namesrv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.loop.Clock;
import dev.perigee.loop.config.Setting;
import dev.perigee.protocol.header.kv.KvHeader;
import dev.perigee.protocol.header.kv.KvNamespaceHeader;
import dev.perigee.protocol.header.kv.KvResponse;
import dev.perigee.protocol.header.kv.PutKvHeader;
import dev.perigee.protocol.header.route.BrokerNameHeader;
import dev.perigee.protocol.header.route.DataVersionHeader;
import dev.perigee.protocol.header.route.DataVersionResponse;
import dev.perigee.protocol.header.route.MemberGroupHeader;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.header.route.RouteHeader;
import dev.perigee.protocol.header.route.UnregisterBrokerHeader;
import dev.perigee.protocol.header.route.WipeWritePermResponse;
import dev.perigee.protocol.header.topic.ClusterHeader;
import dev.perigee.protocol.header.topic.DeleteTopicInNameServerHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.RegisterBrokerBody;
import dev.perigee.protocol.route.RegisterBrokerBodyCodec;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicConfigTable;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.netty.EventLoops;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NameServerTest {
    private static final DataVersion VERSION = new DataVersion(0, 1_760_000_000_000L, 3);
    private static final Map<String, TopicConfig> TOPICS = new TreeMap<>(Map.of(
            "DemoTopic", TopicConfig.of("DemoTopic", 4, 6),
            "TBW102", TopicConfig.of("TBW102", 8, 7)));
    private static final String MASTER = "10.0.0.2:10911";
    private static final String SLAVE = "10.0.0.3:10911";

    @TempDir
    Path folder;

    private final EventLoops loops = EventLoops.start("namesrv-test", 2);
    private final ShiftedClock clock = new ShiftedClock();
    private RemotingClient client;
    private NameServer server;

    @BeforeEach
    void startServer() throws Exception {
        client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
        server = start(config());
    }

    @AfterEach
    void stopAll() {
        client.close();
        server.close();
        loops.close();
    }

    private NameServerConfig config() {
        return NameServerConfig.defaults().listenOn("127.0.0.1", 0).keepKvIn(folder.resolve("kv/kvConfig.json"));
    }

    private NameServer start(NameServerConfig config) throws Exception {
        NameServer started = new NameServer(config, loops, clock);
        started.start();
        return started;
    }

    private String address() {
        return "127.0.0.1:" + server.port();
    }

    private <Q extends Record, R extends Record> Answer<R> ask(Rpc<Q, R> rpc, Q header, byte[] body) throws Exception {
        return client.callBlocking(address(), rpc, header, body, Deadline.after(Clock.system(), 60_000));
    }

    private <Q extends Record, R extends Record> Answer<R> ask(Rpc<Q, R> rpc, Q header) throws Exception {
        return ask(rpc, header, new byte[0]);
    }

    private static String text(Answer<?> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private static byte[] table(Map<String, TopicConfig> topics, DataVersion version) {
        return Json.write(new RegisterBrokerBody(TopicConfigTable.of(topics, version), List.of()));
    }

    private static RegisterBrokerHeader header(String address, long id, boolean compressed, int crc) {
        return new RegisterBrokerHeader(
                "broker-a", address, "DemoCluster", address + "-ha", id, null, false, compressed, crc, null, null);
    }

    private static int crc(byte[] body) {
        CRC32 crc = new CRC32();
        crc.update(body);
        return (int) crc.getValue() & 0x7FFF_FFFF;
    }

    private Answer<RegisterBrokerResponse> register(String address, long id, byte[] body) throws Exception {
        return ask(Rpcs.REGISTER_BROKER, header(address, id, false, crc(body)), body);
    }

    private Answer<NoHeader> route(String topic, boolean standard) throws Exception {
        return ask(Rpcs.GET_ROUTEINFO_BY_TOPIC, new RouteHeader(topic, standard, null, null));
    }

    @Test
    void aRouteIsWrittenByteForByteAsAStockServerWritesIt() throws Exception {
        register(MASTER, 0, table(TOPICS, VERSION));
        Answer<RegisterBrokerResponse> slave = register(SLAVE, 1, table(TOPICS, VERSION));

        assertThat(slave.require().masterAddr()).isEqualTo(MASTER);
        assertThat(slave.require().haServerAddr()).isEqualTo(MASTER + "-ha");
        assertThat(text(route("DemoTopic", true)))
                .isEqualTo("{\"brokerDatas\":[{\"brokerAddrs\":{\"0\":\"10.0.0.2:10911\",\"1\":\"10.0.0.3:10911\"},"
                        + "\"brokerName\":\"broker-a\",\"cluster\":\"DemoCluster\",\"enableActingMaster\":false}],"
                        + "\"filterServerTable\":{},\"queueDatas\":[{\"brokerName\":\"broker-a\",\"perm\":6,"
                        + "\"readQueueNums\":4,\"topicSysFlag\":0,\"writeQueueNums\":4}]}");
        assertThat(new String(
                        RouteHandlers.encode(
                                Json.read(
                                        route("DemoTopic", true).body(),
                                        dev.perigee.protocol.route.TopicRouteData.class),
                                399,
                                false),
                        StandardCharsets.UTF_8))
                .startsWith("{\"brokerDatas\":[{\"brokerAddrs\":{0:\"10.0.0.2:10911\",1:\"10.0.0.3:10911\"},");
    }

    @Test
    void anUnknownTopicIsAnsweredWithItsName() throws Exception {
        Answer<NoHeader> answer = route("nobody", true);

        assertThat(answer.code()).isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
        assertThat(answer.remark()).startsWith("No topic route info in name server for the topic: nobody");
    }

    @Test
    void aCompressedRegistrationIsTakenAndAWrongChecksumRefused() throws Exception {
        byte[] body =
                RegisterBrokerBodyCodec.encode(new RegisterBrokerBody(TopicConfigTable.of(TOPICS, VERSION), List.of()));

        Answer<RegisterBrokerResponse> refused =
                ask(Rpcs.REGISTER_BROKER, header(MASTER, 0, true, crc(body) ^ 1), body);
        assertThat(refused.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(refused.remark()).contains("crc32 not match");
        assertThat(route("DemoTopic", true).isOk()).isFalse();

        assertThat(ask(Rpcs.REGISTER_BROKER, header(MASTER, 0, true, crc(body)), body)
                        .isOk())
                .isTrue();
        assertThat(route("DemoTopic", true).isOk()).isTrue();
    }

    @Test
    void anUnreadableRegistrationIsAnsweredAndTheConnectionStaysOpen() throws Exception {
        byte[] nonsense = "{no json".getBytes(StandardCharsets.UTF_8);

        assertThat(register(MASTER, 0, nonsense).code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(register(MASTER, 0, table(TOPICS, VERSION)).isOk()).isTrue();
    }

    @Test
    void clusterInfoAndListsNameWhatIsRegistered() throws Exception {
        register(MASTER, 0, table(TOPICS, VERSION));

        assertThat(text(ask(Rpcs.GET_BROKER_CLUSTER_INFO, NoHeader.NONE)))
                .isEqualTo("{\"brokerAddrTable\":{\"broker-a\":{\"brokerAddrs\":{0:\"10.0.0.2:10911\"},"
                        + "\"brokerName\":\"broker-a\",\"cluster\":\"DemoCluster\",\"enableActingMaster\":false}},"
                        + "\"clusterAddrTable\":{\"DemoCluster\":[\"broker-a\"]}}");
        assertThat(text(ask(Rpcs.GET_ALL_TOPIC_LIST_FROM_NAMESERVER, NoHeader.NONE)))
                .isEqualTo("{\"topicList\":[\"DemoTopic\",\"TBW102\"]}");
        assertThat(text(ask(Rpcs.GET_TOPICS_BY_CLUSTER, new ClusterHeader("DemoCluster"))))
                .isEqualTo("{\"topicList\":[\"DemoTopic\",\"TBW102\"]}");
        assertThat(text(ask(Rpcs.GET_SYSTEM_TOPIC_LIST_FROM_NS, NoHeader.NONE)))
                .isEqualTo("{\"brokerAddr\":\"10.0.0.2:10911\",\"topicList\":[\"DemoCluster\",\"broker-a\"]}");
        assertThat(text(ask(Rpcs.GET_BROKER_MEMBER_GROUP, new MemberGroupHeader("DemoCluster", "broker-a"))))
                .isEqualTo("{\"brokerMemberGroup\":{\"brokerAddrs\":{0:\"10.0.0.2:10911\"},"
                        + "\"brokerName\":\"broker-a\",\"cluster\":\"DemoCluster\"}}");
        assertThat(text(ask(Rpcs.GET_UNIT_TOPIC_LIST, NoHeader.NONE))).isEqualTo("{\"topicList\":[]}");
    }

    @Test
    void aDataVersionIsComparedWithTheLastRegistration() throws Exception {
        DataVersionHeader header = new DataVersionHeader("broker-a", MASTER, "DemoCluster", 0);
        Answer<DataVersionResponse> unknown = ask(Rpcs.QUERY_DATA_VERSION, header, Json.write(VERSION));
        assertThat(unknown.require().changed()).isTrue();
        assertThat(unknown.body()).isEmpty();

        register(MASTER, 0, table(TOPICS, VERSION));

        Answer<DataVersionResponse> same = ask(Rpcs.QUERY_DATA_VERSION, header, Json.write(VERSION));
        assertThat(same.require().changed()).isFalse();
        assertThat(Json.read(same.body(), DataVersion.class)).isEqualTo(VERSION);
        assertThat(ask(Rpcs.QUERY_DATA_VERSION, header, Json.write(VERSION.next(1)))
                        .require()
                        .changed())
                .isTrue();
    }

    @Test
    void unregisteringAndDeletingTakeRoutesAway() throws Exception {
        register(MASTER, 0, table(TOPICS, VERSION));

        assertThat(ask(Rpcs.DELETE_TOPIC_IN_NAMESRV, new DeleteTopicInNameServerHeader("DemoTopic", "DemoCluster"))
                        .isOk())
                .isTrue();
        assertThat(route("DemoTopic", true).code()).isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
        assertThat(route("TBW102", true).isOk()).isTrue();

        ask(Rpcs.UNREGISTER_BROKER, new UnregisterBrokerHeader("broker-a", MASTER, "DemoCluster", 0));
        assertThat(route("TBW102", true).code()).isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
    }

    @Test
    void writePermissionIsWipedAndGivenBack() throws Exception {
        register(MASTER, 0, table(TOPICS, VERSION));

        Answer<WipeWritePermResponse> wiped = ask(Rpcs.WIPE_WRITE_PERM_OF_BROKER, new BrokerNameHeader("broker-a"));
        assertThat(wiped.require().wipeTopicCount()).isEqualTo(2);
        assertThat(text(route("DemoTopic", true))).contains("\"perm\":4");

        assertThat(ask(Rpcs.ADD_WRITE_PERM_OF_BROKER, new BrokerNameHeader("broker-a"))
                        .require()
                        .addTopicCount())
                .isEqualTo(2);
        assertThat(text(route("DemoTopic", true))).contains("\"perm\":6");
    }

    @Test
    void aLostConnectionForgetsItsBrokerAtOnce() throws Exception {
        RemotingClient broker = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
        byte[] body = table(TOPICS, VERSION);
        broker.callBlocking(
                address(),
                Rpcs.REGISTER_BROKER,
                header(MASTER, 0, false, 0),
                body,
                Deadline.after(Clock.system(), 60_000));
        assertThat(route("DemoTopic", true).isOk()).isTrue();

        broker.close();

        await().atMost(ONE_MINUTE)
                .ignoreExceptionsInstanceOf(RemotingException.class) // the silent link is the one we ask over
                .untilAsserted(
                        () -> assertThat(route("DemoTopic", true).code()).isEqualTo(ResponseCode.TOPIC_NOT_EXIST));
    }

    @Test
    void aBrokerSilentForLongerThan120SecondsIsForgotten() throws Exception {
        server.close();
        server = start(NameServerConfig.read(properties("scanNotActiveBrokerInterval", "100"))
                .config()
                .listenOn("127.0.0.1", 0)
                .keepKvIn(folder.resolve("kv2.json")));
        register(MASTER, 0, table(TOPICS, VERSION));

        clock.advanceMs(119_000);
        assertThat(route("DemoTopic", true).isOk()).isTrue();

        clock.advanceMs(2_000);
        await().atMost(ONE_MINUTE)
                .ignoreExceptionsInstanceOf(RemotingException.class) // the silent link is the one we ask over
                .untilAsserted(
                        () -> assertThat(route("DemoTopic", true).code()).isEqualTo(ResponseCode.TOPIC_NOT_EXIST));
    }

    @Test
    void kvConfigurationSurvivesARestart() throws Exception {
        assertThat(ask(Rpcs.GET_KV_CONFIG, new KvHeader("N", "k")).code()).isEqualTo(ResponseCode.QUERY_NOT_FOUND);
        ask(Rpcs.PUT_KV_CONFIG, new PutKvHeader("N", "k", "v"));
        ask(Rpcs.PUT_KV_CONFIG, new PutKvHeader("N", "k2", "v2"));
        ask(Rpcs.DELETE_KV_CONFIG, new KvHeader("N", "k2"));

        server.close();
        server = start(config());

        Answer<KvResponse> answer = ask(Rpcs.GET_KV_CONFIG, new KvHeader("N", "k"));
        assertThat(answer.require().value()).isEqualTo("v");
        assertThat(text(ask(Rpcs.GET_KVLIST_BY_NAMESPACE, new KvNamespaceHeader("N"))))
                .isEqualTo("{\"table\":{\"k\":\"v\"}}");
        assertThat(folder.resolve("kv/kvConfig.json")).hasContent("{\"configTable\":{\"N\":{\"k\":\"v\"}}}");
    }

    @Test
    void orderConfigurationReachesBrokersAndWithTheSwitchRoutes() throws Exception {
        ask(Rpcs.PUT_KV_CONFIG, new PutKvHeader("ORDER_TOPIC_CONFIG", "DemoTopic", "broker-a:4"));
        assertThat(text(register(MASTER, 0, table(TOPICS, VERSION))))
                .isEqualTo("{\"table\":{\"DemoTopic\":\"broker-a:4\"}}");
        assertThat(text(route("DemoTopic", true))).doesNotContain("orderTopicConf");

        byte[] change = "orderMessageEnable=true\n".getBytes(StandardCharsets.UTF_8);
        assertThat(ask(Rpcs.UPDATE_NAMESRV_CONFIG, NoHeader.NONE, change).isOk())
                .isTrue();

        assertThat(text(route("DemoTopic", true))).contains("\"orderTopicConf\":\"broker-a:4\"");
        assertThat(text(ask(Rpcs.GET_NAMESRV_CONFIG, NoHeader.NONE))).contains("orderMessageEnable=true\n");
    }

    @Test
    void serversKnowNothingOfEachOther() throws Exception {
        register(MASTER, 0, table(TOPICS, VERSION));
        try (NameServer other = start(config().keepKvIn(folder.resolve("other.json")))) {
            Answer<NoHeader> answer = client.callBlocking(
                    "127.0.0.1:" + other.port(),
                    Rpcs.GET_ROUTEINFO_BY_TOPIC,
                    new RouteHeader("DemoTopic", true, null, null),
                    new byte[0],
                    Deadline.after(Clock.system(), 60_000));
            assertThat(answer.code()).isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
        }
    }

    @Test
    void aTakenPortIsNamed() {
        NameServerConfig same =
                config().listenOn("127.0.0.1", server.port()).keepKvIn(folder.resolve("second/kv.json"));
        NameServer second = new NameServer(same, loops, clock);

        assertThatThrownBy(second::start)
                .isInstanceOf(RemotingException.BindFailed.class)
                .hasMessageContaining("127.0.0.1:" + server.port());
    }

    @Test
    void duringTheWarmUpRoutesAreRefused() throws Exception {
        server.close();
        server = start(NameServerConfig.read(properties("needWaitForService", "true"))
                .config()
                .listenOn("127.0.0.1", 0)
                .keepKvIn(folder.resolve("kv3.json")));
        register(MASTER, 0, table(TOPICS, VERSION));
        assertThat(route("DemoTopic", true).remark()).isEqualTo("name server not ready");

        clock.advanceMs(45_000);
        assertThat(route("DemoTopic", true).isOk()).isTrue();
    }

    @Test
    void aStockSampleIsReadAndUnknownKeysAreNamed() {
        NameServerConfig.Loaded loaded = NameServerConfig.read(
                properties("listenPort", "19876", "serverWorkerThreads", "8", "rocketmqHome", "/x"));

        assertThat(loaded.config().listenPort()).isEqualTo(19_876);
        assertThat(loaded.unknownKeys()).containsExactly("serverWorkerThreads");
        assertThat(loaded.withoutEffect()).extracting(Setting::key).containsExactly("rocketmqHome");
        assertThatThrownBy(() -> NameServerConfig.read(properties("listenPort", "99999")))
                .hasMessageContaining("listenPort=99999")
                .hasMessageContaining("0 to 65535");
    }

    private static java.util.Properties properties(String... keysAndValues) {
        java.util.Properties properties = new java.util.Properties();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            properties.setProperty(keysAndValues[i], keysAndValues[i + 1]);
        }
        return properties;
    }
}
