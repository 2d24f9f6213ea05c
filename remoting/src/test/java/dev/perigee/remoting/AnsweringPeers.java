package dev.perigee.remoting;

import dev.perigee.loop.Clock;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.netty.EventLoops;
import java.util.ArrayList;
import java.util.List;

/** Servers on this machine that answer as a test says, and a client that asks them. One test's. */
public final class AnsweringPeers implements AutoCloseable {
    private static final String HOST = "127.0.0.1";

    private final EventLoops loops = EventLoops.start("peers", 1);
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
    private final List<RemotingServer> servers = new ArrayList<>();

    /** Asks them. */
    public RemotingClient client() {
        return client;
    }

    /**
     * Starts one more, on a port that the system chooses.
     *
     * @return its address
     */
    public String add(HandlerTable answers) throws RemotingException {
        RemotingServer server = new RemotingServer(ServerConfig.of(HOST, 0), answers, loops, Clock.system());
        server.start();
        servers.add(server);
        return HOST + ":" + server.boundPort();
    }

    @Override
    public void close() {
        client.close();
        servers.forEach(RemotingServer::close);
        loops.close();
    }
}
