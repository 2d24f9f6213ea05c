package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.route.MemberGroupHeader;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.ClusterInfo;
import dev.perigee.protocol.route.MemberGroup;
import dev.perigee.protocol.route.MemberGroupBody;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.protocol.stats.HaStatus.FollowState;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.FreePorts;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.transport.Payload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Brokers that start beside another one of their name and id, by the word of a NameServer. A broker gives that one three seconds; a machine
 * that is slower proves nothing in a round, which is then repeated.
 */
class FencedStartTest {
    private static final int MANY_ROUNDS = 20;
    private static final long CALL_MS = 60_000;
    private static final int NOT_SENT = -1;

    @TempDir
    private Path folder;

    private final EventLoops loops = EventLoops.start("fenced", 2);
    private RemotingServer names;
    private RemotingServer other;
    private RemotingClient client;
    private volatile Map<Long, String> members = Map.of();
    private volatile Map<Long, String> membersAfterwards = Map.of();
    private volatile String registered = "";
    private volatile int sentEarly = NOT_SENT;

    @BeforeEach
    void start() throws Exception {
        client = new RemotingClient(ClientConfig.DEFAULT.withConnectTimeoutMs((int) CALL_MS), loops, Clock.system());
        names = server(HandlerTable.builder()
                .on(Rpcs.REGISTER_BROKER, this::register)
                .on(Rpcs.GET_BROKER_MEMBER_GROUP, this::members)
                .on(
                        Rpcs.GET_BROKER_CLUSTER_INFO,
                        (request, reply) ->
                                reply.ok(NoHeader.NONE, Payload.of(Json.write(new ClusterInfo(Map.of(), Map.of())))))
                .build());
        HaStatus slave = new HaStatus(false, 0, 0, List.of(), FollowState.NONE, "SLAVE", 0L, null, null);
        other = server(HandlerTable.builder()
                .on(Rpcs.GET_BROKER_RUNTIME_INFO, (request, reply) -> reply.ok(NoHeader.NONE))
                .on(
                        Rpcs.GET_BROKER_HA_STATUS,
                        (request, reply) -> reply.ok(NoHeader.NONE, Payload.of(Json.write(slave))))
                .build());
    }

    @AfterEach
    void stop() {
        client.close();
        names.close();
        other.close();
        loops.close();
    }

    private RemotingServer server(HandlerTable table) throws Exception {
        RemotingServer made = new RemotingServer(ServerConfig.of("127.0.0.1", 0), table, loops, Clock.system());
        made.start();
        return made;
    }

    private static String address(RemotingServer server) {
        return "127.0.0.1:" + server.boundPort();
    }

    private void register(Request<RegisterBrokerHeader> request, Reply<RegisterBrokerResponse> reply) {
        registered = request.header().brokerAddr();
        reply.ok(new RegisterBrokerResponse(null, null));
    }

    /** Once the broker is registered, only after somebody has sent it a message. */
    private void members(Request<MemberGroupHeader> request, Reply<NoHeader> reply) {
        String brokerName = request.header().brokerName();
        if (registered.isEmpty()) {
            answer(brokerName, members, reply);
            return;
        }
        CompletableFuture<?> unused = send(registered).whenComplete((answer, failure) -> {
            if (sentEarly != ResponseCode.SYSTEM_BUSY) { // a question that was given up may end later
                sentEarly = answer == null ? NOT_SENT : answer.code();
            }
            answer(brokerName, membersAfterwards, reply);
        });
    }

    private CompletableFuture<Answer<SendMessageResponse>> send(String to) {
        return client.call(
                to,
                Rpcs.SEND_MESSAGE_V2,
                TestBroker.sendHeader("T", 0, ""),
                new byte[1],
                Deadline.after(Clock.system(), CALL_MS));
    }

    private static void answer(String brokerName, Map<Long, String> known, Reply<NoHeader> reply) {
        MemberGroup group = new MemberGroup("DefaultCluster", brokerName, known);
        reply.ok(NoHeader.NONE, Payload.of(Json.write(new MemberGroupBody(group))));
    }

    private Broker broker(int round, String role, String id) {
        registered = "";
        sentEarly = NOT_SENT;
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "brokerRole",
                role,
                "brokerId",
                id,
                "brokerIP1",
                "127.0.0.1",
                "listenPort",
                "0",
                "haListenPort",
                Integer.toString(FreePorts.one()),
                "haAcceptLoss",
                "true",
                "namesrvAddr",
                address(names),
                "storePathRootDir",
                folder.resolve("round-" + round).toString()));
        return new Broker(BrokerConfig.read(properties), Clock.system());
    }

    /** Of a start whose broker answered a message so before it was refused. */
    private String refusal(String role, String id, int wantedEarly) throws Exception {
        for (int round = 0; round < MANY_ROUNDS; round++) {
            try (Broker started = broker(round, role, id)) {
                started.start();
            } catch (IOException e) {
                if (sentEarly == wantedEarly) {
                    return String.valueOf(e.getMessage());
                }
            }
        }
        return "in no round";
    }

    @Test
    void ofTwoMastersThatStartAtTheSameMomentOneGivesUpAndAcknowledgedNothing() throws Exception {
        membersAfterwards = Map.of(0L, address(other));
        assertThat(refusal("ASYNC_MASTER", "0", ResponseCode.SYSTEM_BUSY))
                .contains("has a master at " + address(other), address(names), "this one, 127.0.0.1:");
    }

    @Test
    void aMasterThatIsAloneTakesMessagesOnceItKnowsThat() throws Exception {
        int early = -1;
        for (int round = 0; round < MANY_ROUNDS && early != ResponseCode.SYSTEM_BUSY; round++) {
            try (Broker started = broker(round, "ASYNC_MASTER", "0")) {
                started.start();
                early = sentEarly;
                assertThat(send(started.address()).get().code()).isZero();
            }
        }
        assertThat(early).isEqualTo(ResponseCode.SYSTEM_BUSY);
    }

    @Test
    void aSlaveIsNotStartedWithTheIdOfOneThatAnswers() throws Exception {
        members = Map.of(1L, address(other));
        assertThat(refusal("SLAVE", "1", NOT_SENT)).contains("brokerId=1 at " + address(other), address(names));
    }
}
