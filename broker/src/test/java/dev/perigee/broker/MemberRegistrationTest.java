package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.RegisterBrokerBody;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a NameServer hears of the members of a group: three whole brokers on one thread. */
final class MemberRegistrationTest {
    private static final int PORT = 9_876;
    private static final int DEAD_PORT = 9_877;
    private static final int MINUTE_MS = 60_000;
    private static final int AWAY_MS = 3_000;
    /** The period of registrations is half a minute. */
    private static final long SOON_MS = 12_000;

    /** The addresses of those that say that they are a slave. */
    private final List<String> others = new ArrayList<>();

    /** The addresses of those that say that they are the master. */
    private final List<String> masters = new ArrayList<>();
    /** What state version each of them told last. */
    private final Map<String, Long> versions = new HashMap<>();

    private void serve(SteppedMembers members) throws Exception {
        HandlerTable table = HandlerTable.builder()
                .on(Rpcs.REGISTER_BROKER, this::register)
                .on(Rpcs.UNREGISTER_BROKER, (request, reply) -> reply.ok(NoHeader.NONE))
                .build();
        new RemotingServer(ServerConfig.of("127.0.0.1", PORT), table, members.network, members.clock).start();
    }

    private void register(Request<RegisterBrokerHeader> request, Reply<RegisterBrokerResponse> reply) {
        if (request.header().brokerId() == 0) {
            masters.add(request.header().brokerAddr());
            versions.put(request.header().brokerAddr(), stateVersion(request));
        } else {
            others.add(request.header().brokerAddr());
        }
        reply.ok(new RegisterBrokerResponse(null, null));
    }

    private static long stateVersion(Request<RegisterBrokerHeader> request) {
        try {
            return Json.read(request.copyBody(), RegisterBrokerBody.class)
                    .topicConfigSerializeWrapper()
                    .dataVersion()
                    .stateVersion();
        } catch (BadBodyException e) {
            throw new AssertionError(e);
        }
    }

    /** R32: NameServers leave a name with who has the larger one, so what the one before still says changes no route. */
    @Test
    void eachMasterTellsALargerStateVersionAndTheOneBeforeIsASlaveWhenItKnows() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of("namesrvAddr", "127.0.0.1:" + PORT));
        serve(members);
        int first = members.master();
        String firstAt = "127.0.0.1:" + members.port(first);
        members.until(() -> masters.contains(firstAt));
        members.freeze(first);
        int second = members.masterBut(first);
        String secondAt = "127.0.0.1:" + members.port(second);
        members.until(() -> masters.contains(secondAt));
        assertThat(versions.get(secondAt))
                .isGreaterThan(versions.get(firstAt))
                .isEqualTo(members.status(second).term());

        masters.clear();
        others.clear();
        members.thaw(first);
        members.until(() -> others.contains(firstAt));
        members.pass(MINUTE_MS);
        assertThat(masters).contains(secondAt).doesNotContain(firstAt);
    }

    @Test
    void aNameServerThatWasAwayDuringAnElectionHearsOfTheNextMasterSoon() throws Exception {
        hearsOfTheNextMasterSoon(new SteppedMembers(3, Map.of("namesrvAddr", "127.0.0.1:" + PORT)), 0);
    }

    /** One that has been dead for long is tried seldom. */
    @Test
    void soItDoesBesideOneThatHasBeenDeadForAMinute() throws Exception {
        String both = "127.0.0.1:" + PORT + ";127.0.0.1:" + DEAD_PORT;
        hearsOfTheNextMasterSoon(new SteppedMembers(3, Map.of("namesrvAddr", both)), MINUTE_MS);
    }

    private void hearsOfTheNextMasterSoon(SteppedMembers members, int beforeMs) throws Exception {
        serve(members);
        int first = members.master();
        members.until(() -> masters.contains("127.0.0.1:" + members.port(first)));
        members.pass(beforeMs);

        members.network.unplug(PORT);
        members.network.breakConnectionsTo(PORT);
        members.kill(first);
        int second = members.master();
        members.pass(AWAY_MS);
        masters.clear();
        serve(members);
        long sinceMs = members.clock.monotonicMs();
        members.until(() -> masters.contains("127.0.0.1:" + members.port(second)));

        assertThat(members.clock.monotonicMs() - sinceMs).isLessThan(SOON_MS);
    }
}
