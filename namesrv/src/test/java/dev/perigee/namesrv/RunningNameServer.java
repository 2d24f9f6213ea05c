package dev.perigee.namesrv;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.nio.file.Path;

/** A name server on a free port with a client at its side. */
final class RunningNameServer implements AutoCloseable {
    private static final long CALL_MS = 60_000;

    private final EventLoops loops = EventLoops.start("namesrv-test", 1);
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
    private final NameServer server;

    /** Keeps its files in a folder of its own, {@code kv}. */
    RunningNameServer(Path folder) throws Exception {
        server = new NameServer(
                NameServerConfig.defaults().listenOn("127.0.0.1", 0).keepKvIn(folder.resolve("kv/kvConfig.json")),
                loops,
                Clock.system());
        try {
            server.start();
        } catch (Exception e) {
            client.close();
            loops.close();
            throw e;
        }
    }

    <Q extends Record, R extends Record> Answer<R> ask(Rpc<Q, R> rpc, Q header, byte[] body) throws Exception {
        return client.callBlocking(
                "127.0.0.1:" + server.port(), rpc, header, body, Deadline.after(Clock.system(), CALL_MS));
    }

    @Override
    public void close() {
        client.close();
        server.close();
        loops.close();
    }
}
