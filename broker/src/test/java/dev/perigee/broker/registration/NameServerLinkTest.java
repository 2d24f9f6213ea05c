package dev.perigee.broker.registration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.RegistrationSettings;
import dev.perigee.broker.view.Topics;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.route.KvTable;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.ManualClock;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.memory.MemoryTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a NameServer is told that does not answer, on a network in memory. */
final class NameServerLinkTest {
    private static final int PORT = 9_876;
    private static final int STEPS = 100_000;

    private final ManualClock clock = new ManualClock();
    private final MemoryTransport network = new MemoryTransport(clock);
    private final List<Long> told = new ArrayList<>();
    private final List<Reply<RegisterBrokerResponse>> open = new ArrayList<>();
    private final NameServerLink link = new NameServerLink(
            "127.0.0.1:" + PORT,
            new BrokerIdentity("c", "broker-a", 2, "127.0.0.1", 10_911, 0),
            new RegistrationSettings(List.of("127.0.0.1:" + PORT), 30_000, 24_000, false, false),
            new RemotingClient(ClientConfig.DEFAULT, network, clock),
            clock,
            new NameServerLink.Watcher() {
                @Override
                public void told() {
                    // It is asked for what it knows.
                }

                @Override
                public void orderTopics(KvTable table) {
                    // There are none.
                }

                @Override
                public void masterAt(String haAddress) {
                    // Nobody looks for one.
                }
            });

    @BeforeEach
    void serve() throws Exception {
        HandlerTable table =
                HandlerTable.builder().on(Rpcs.REGISTER_BROKER, this::register).build();
        new RemotingServer(ServerConfig.of("127.0.0.1", PORT), table, network, clock).start();
    }

    private void register(Request<RegisterBrokerHeader> request, Reply<RegisterBrokerResponse> reply) {
        told.add(request.header().brokerId());
        open.add(reply);
    }

    private static Offer as(long brokerId) {
        return new Offer(new Topics(Map.of(), DataVersion.NONE), 6, 0, 0, 0, brokerId, true);
    }

    private void settle() {
        network.runUntilIdle(STEPS);
    }

    @Test
    void whatCameMeanwhileIsToldAtOnceWhenACallFails() {
        link.tellAll(as(2));
        settle();
        assertThat(told).containsExactly(2L);
        link.tellAll(as(0));
        settle();
        assertThat(told).as("one call at a time").containsExactly(2L);

        network.breakConnectionsTo(PORT);
        settle();

        assertThat(told).containsExactly(2L, 0L);
        assertThat(link.isOwed()).as("before it has answered").isTrue();
        open.get(1).ok(new RegisterBrokerResponse(null, null));
        settle();
        assertThat(link.isOwed()).isFalse();
        assertThat(link.isKnownAs(0)).isTrue();
    }

    @Test
    void theSameIsNotToldAgainAtOnceWhenACallFails() {
        link.tellAll(as(2));
        settle();
        link.tellAll(as(2));

        network.breakConnectionsTo(PORT);
        settle();

        assertThat(told).containsExactly(2L);
        assertThat(link.isOwed()).isTrue();
    }
}
