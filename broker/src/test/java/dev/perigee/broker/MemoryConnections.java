package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.ConnectionLimits;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.remoting.transport.TlsConfig;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Open connections in memory, for whoever keeps something for connections. */
public final class MemoryConnections {
    private static final int MANY_STEPS = 1_000_000;

    private final MemoryTransport network = new MemoryTransport(Clock.system());
    private final List<Connection> all = new ArrayList<>();

    /** Opens that many. */
    public MemoryConnections(int count) throws Exception {
        RemotingServer server = new RemotingServer(
                new ServerConfig(
                        "127.0.0.1", Collections.nCopies(count, 0), TlsConfig.OFF, count, ConnectionLimits.DEFAULT),
                HandlerTable.builder()
                        .on(Rpcs.CLEAN_UNUSED_TOPIC, (request, reply) -> reply.ok(NoHeader.NONE))
                        .build(),
                network,
                Clock.system());
        server.start();
        RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, Clock.system());
        for (int port : server.boundPorts()) {
            String address = "127.0.0.1:" + port;
            CompletableFuture<?> called = client.call(
                    address, Rpcs.CLEAN_UNUSED_TOPIC, NoHeader.NONE, null, Deadline.after(Clock.system(), 60_000));
            network.runUntilIdle(MANY_STEPS);
            assertThat(called).isDone();
            all.add(client.connection(address).orElseThrow());
        }
    }

    /** One of them. */
    public Connection get(int index) {
        return all.get(index);
    }

    /** Closes one of them, and everybody hears of it. */
    public void close(int index) {
        all.get(index).close("on purpose");
        network.runUntilIdle(MANY_STEPS);
    }
}
