package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import java.util.ArrayList;
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

    /** The addresses of those that say that they are the master. */
    private final List<String> masters = new ArrayList<>();

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
        }
        reply.ok(new RegisterBrokerResponse(null, null));
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
