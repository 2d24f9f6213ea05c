package dev.perigee.broker.registration;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.route.MemberGroupHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.ClusterInfo;
import dev.perigee.protocol.route.MemberGroup;
import dev.perigee.protocol.route.MemberGroupBody;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.protocol.stats.HaStatus.FollowState;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.transport.Payload;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** No second broker with the id of another one starts while that one lives, be it the master's or a slave's. */
class MasterFenceTest {
    private static final BrokerIdentity SELF = new BrokerIdentity("c", "broker-a", 0, "127.0.0.1", 10_911, 10_912);

    private static final BrokerIdentity SLAVE = new BrokerIdentity("c", "broker-a", 1, "127.0.0.1", 20_911, 20_912);

    private static final int PATIENCE_MS = 60_000;

    private final EventLoops loops = EventLoops.start("fence", 1);
    private RemotingServer names;
    private RemotingServer other;
    private RemotingClient client;
    private volatile Map<Long, String> members = Map.of();
    private volatile boolean emptyLog;
    private volatile long slaveLogEnd;
    private volatile boolean otherIsMaster;
    private volatile Map<String, BrokerData> brokers = Map.of();

    @BeforeEach
    void start() throws Exception {
        names = server(HandlerTable.builder()
                .on(Rpcs.GET_BROKER_MEMBER_GROUP, this::members)
                .on(Rpcs.GET_BROKER_CLUSTER_INFO, this::clusters)
                .build());
        other = server(HandlerTable.builder()
                .on(Rpcs.GET_BROKER_RUNTIME_INFO, (request, reply) -> reply.ok(NoHeader.NONE))
                .on(Rpcs.GET_BROKER_HA_STATUS, (request, reply) -> reply.ok(NoHeader.NONE, Payload.of(status())))
                .build());
        client = new RemotingClient(ClientConfig.DEFAULT.withConnectTimeoutMs(PATIENCE_MS), loops, Clock.system());
    }

    private RemotingServer server(HandlerTable table) throws Exception {
        RemotingServer made = new RemotingServer(ServerConfig.of("127.0.0.1", 0), table, loops, Clock.system());
        made.start();
        return made;
    }

    private void members(Request<MemberGroupHeader> request, Reply<NoHeader> reply) {
        MemberGroup group = new MemberGroup("c", request.header().brokerName(), members);
        reply.ok(NoHeader.NONE, Payload.of(Json.write(new MemberGroupBody(group))));
    }

    private void clusters(Request<NoHeader> request, Reply<NoHeader> reply) {
        reply.ok(NoHeader.NONE, Payload.of(Json.write(new ClusterInfo(brokers, Map.of()))));
    }

    @AfterEach
    void stop() {
        client.close();
        names.close();
        other.close();
        loops.close();
    }

    private void check() throws IOException {
        new MasterFence(SELF, new Members(client, Clock.system(), PATIENCE_MS))
                .check(List.of("127.0.0.1:1", address(names)), emptyLog);
    }

    private void checkSlave() throws IOException {
        new SlaveFence(SLAVE, new Members(client, Clock.system(), PATIENCE_MS))
                .check(List.of("127.0.0.1:1", address(names)));
    }

    private static String address(RemotingServer server) {
        return "127.0.0.1:" + server.boundPort();
    }

    @Test
    void anotherMasterThatAnswersIsNamedBesideThisOne() {
        members = Map.of(0L, address(other), 1L, "10.0.0.1:10911");
        assertThatThrownBy(this::check)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("broker-a")
                .hasMessageContaining(address(other))
                .hasMessageContaining(address(names))
                .hasMessageContaining(SELF.address());
    }

    @Test
    void oneThatIsGoneThisOneItselfAndSlavesHoldUpNobody() {
        members = Map.of(0L, "127.0.0.1:1");
        assertThatCode(this::check).doesNotThrowAnyException();
        members = Map.of(0L, SELF.address());
        assertThatCode(this::check).doesNotThrowAnyException();
        members = Map.of(1L, address(other));
        assertThatCode(this::check).doesNotThrowAnyException();
        members = Map.of();
        assertThatCode(this::check).doesNotThrowAnyException();
    }

    private byte[] status() {
        FollowState follows = new FollowState("127.0.0.1:10912", 0, slaveLogEnd, 0, 0, 0, true);
        return Json.write(new HaStatus(otherIsMaster, 0, 0, List.of(), follows, "SLAVE", slaveLogEnd, null, null));
    }

    /** With the master down nobody else would notice it, and readers of that one's id would be sent to this one. */
    @Test
    void anotherSlaveWithTheSameIdThatAnswersIsNamedBesideThisOne() {
        members = Map.of(1L, address(other));
        assertThatThrownBy(this::checkSlave)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("broker-a")
                .hasMessageContaining("brokerId=1")
                .hasMessageContaining(address(other))
                .hasMessageContaining(address(names))
                .hasMessageContaining(SLAVE.address());
    }

    @Test
    void aSlaveThatMovedOrWhoseIdAMasterLeftOrThatComesAgainStarts() {
        members = Map.of(1L, "127.0.0.1:1");
        assertThatCode(this::checkSlave).doesNotThrowAnyException();
        members = Map.of(1L, SLAVE.address(), 0L, address(other), 2L, address(other));
        assertThatCode(this::checkSlave).doesNotThrowAnyException();
        otherIsMaster = true;
        members = Map.of(1L, address(other));
        assertThatCode(this::checkSlave).doesNotThrowAnyException();
        members = Map.of();
        assertThatCode(this::checkSlave).doesNotThrowAnyException();
    }

    /** NameServers know brokers by their names alone. */
    @Test
    void aNameThatAnotherClusterHasIsTakenAsLongAsOneOfItsBrokersAnswers() {
        Map<Long, String> theirs = Map.of(0L, "127.0.0.1:1", 1L, address(other));
        brokers = Map.of("broker-a", new BrokerData("elsewhere", "broker-a", theirs, false, null));
        for (ThrowingCallable start : List.<ThrowingCallable>of(this::check, this::checkSlave)) {
            assertThatThrownBy(start)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("broker-a")
                    .hasMessageContaining("cluster elsewhere at " + address(other))
                    .hasMessageContaining("of cluster c")
                    .hasMessageContaining(address(names));
        }
        brokers = Map.of("broker-a", new BrokerData("elsewhere", "broker-a", Map.of(0L, "127.0.0.1:1"), false, null));
        assertThatCode(this::check).doesNotThrowAnyException();
        brokers = Map.of("broker-a", new BrokerData("c", "broker-a", theirs, false, null));
        assertThatCode(this::checkSlave).doesNotThrowAnyException();
        brokers = Map.of("broker-b", new BrokerData("elsewhere", "broker-b", theirs, false, null));
        assertThatCode(this::check).doesNotThrowAnyException();
    }

    /** Two that start at the same moment: neither was known when the other one asked. */
    @Test
    void oneThatCameSinceIsFoundByLookingAgain() throws Exception {
        MasterFence fence = new MasterFence(SELF, new Members(client, Clock.system(), PATIENCE_MS));
        fence.check(List.of("127.0.0.1:1", address(names)), false);
        assertThatCode(fence::checkAgain).doesNotThrowAnyException();
        members = Map.of(0L, address(other));
        assertThatThrownBy(fence::checkAgain)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(address(other))
                .hasMessageContaining(SELF.address());
    }

    @Test
    void whoHasAnEmptyFolderDoesNotBeginALogBesideASlaveThatHoldsOne() {
        members = Map.of(1L, address(other));
        slaveLogEnd = 4_711;
        assertThatCode(this::check).doesNotThrowAnyException();
        emptyLog = true;
        assertThatThrownBy(this::check)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(address(other))
                .hasMessageContaining("4711")
                .hasMessageContaining(SELF.address());
        slaveLogEnd = 0;
        assertThatCode(this::check).doesNotThrowAnyException();
    }
}
