package dev.perigee.client.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.fake.FakeCluster;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.transport.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Scripted brokers, each with two queues of topic {@code T}, a name server that knows them, and an admin client. */
final class ScriptedCluster implements AutoCloseable {
    /** Silence is waited for in real time: tests of it build a hasty cluster. */
    private static final long PATIENT_MS = 60_000;

    private static final long HASTY_MS = 2_000;

    private final EventLoops loops = EventLoops.start("scripted-cluster", 1);
    private final RemotingServer nameServer;
    private final List<ScriptedBroker> brokers = new ArrayList<>();
    private final List<BrokerData> route = new ArrayList<>();
    private final AdminClient admin;

    ScriptedCluster() throws Exception {
        this(PATIENT_MS);
    }

    /** One whose client gives up soon. */
    static ScriptedCluster hasty() throws Exception {
        ScriptedCluster cluster = new ScriptedCluster(HASTY_MS);
        // what a first call costs is no part of the time that a test gives
        FakeCluster.awaitAsserted(
                () -> assertThat(cluster.admin.topics().route("T")).isNotNull());
        return cluster;
    }

    private ScriptedCluster(long timeoutMs) throws Exception {
        HandlerTable table = HandlerTable.builder()
                .on(
                        Rpcs.GET_ROUTEINFO_BY_TOPIC,
                        (request, reply) -> reply.ok(NoHeader.NONE, Payload.of(Json.writeStandard(routeData()))))
                .build();
        nameServer = new RemotingServer(ServerConfig.of("127.0.0.1", 0), table, loops, Clock.system());
        nameServer.start();
        admin = AdminClient.builder()
                .nameServers("127.0.0.1:" + nameServer.boundPort())
                .transport(loops)
                .clientIp("127.0.0.1")
                .callTimeoutMs(timeoutMs)
                .timeoutMs(timeoutMs)
                .build();
        admin.start();
    }

    private TopicRouteData routeData() {
        return TopicRouteData.of(
                route.stream()
                        .map(broker -> new QueueData(broker.brokerName(), 2, 2, 6, 0))
                        .toList(),
                List.copyOf(route),
                null);
    }

    AdminClient admin() {
        return admin;
    }

    /** A broker that is its group's member of that number; 0 is the master. */
    ScriptedBroker broker(String name, long id) throws Exception {
        ScriptedBroker broker = new ScriptedBroker(loops, Clock.system());
        brokers.add(broker);
        route.add(new BrokerData("C", name, Map.of(id, broker.address()), false, null));
        return broker;
    }

    ScriptedBroker broker(String name) throws Exception {
        return broker(name, BrokerData.MASTER_ID);
    }

    /** The name server knows the name of this broker, and no address. */
    void brokerWithoutAddress(String name) {
        route.add(new BrokerData("C", name, Map.of(), false, null));
    }

    @Override
    public void close() {
        admin.close();
        brokers.forEach(ScriptedBroker::close);
        nameServer.close();
        loops.close();
    }
}
