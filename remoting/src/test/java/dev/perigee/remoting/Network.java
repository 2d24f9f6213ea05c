package dev.perigee.remoting;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.netty.EventLoops;
import java.util.ArrayDeque;
import java.util.Deque;

/** Servers and clients over real sockets on free ports, closed in reverse order. */
final class Network {
    /** How long a call or a connection may take on the slowest machine. */
    private static final int PATIENCE_MS = 60_000;

    private final Clock clock;
    private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
    private final EventLoops loops;

    Network() {
        this(Clock.system());
    }

    Network(Clock clock) {
        this.clock = clock;
        this.loops = opened(EventLoops.start("test", 2));
    }

    EventLoops loops() {
        return loops;
    }

    RemotingServer server(HandlerTable table) throws RemotingException {
        return server(ServerConfig.of("127.0.0.1", 0), table);
    }

    RemotingServer server(ServerConfig config, HandlerTable table) throws RemotingException {
        RemotingServer server = opened(new RemotingServer(config, table, loops, clock));
        server.start();
        return server;
    }

    RemotingClient client() {
        return client(ClientConfig.DEFAULT);
    }

    RemotingClient client(HeaderSerialization serialization) {
        return client(ClientConfig.DEFAULT.withSerialization(serialization));
    }

    RemotingClient client(ClientConfig config) {
        return opened(new RemotingClient(config.withConnectTimeoutMs(PATIENCE_MS), loops, clock));
    }

    Deadline soon() {
        return Deadline.after(clock, PATIENCE_MS);
    }

    static String addressOf(RemotingServer server) {
        return "127.0.0.1:" + server.boundPort();
    }

    void close() throws Exception {
        for (AutoCloseable resource : toClose) {
            resource.close();
        }
    }

    private <T extends AutoCloseable> T opened(T resource) {
        toClose.push(resource);
        return resource;
    }
}
