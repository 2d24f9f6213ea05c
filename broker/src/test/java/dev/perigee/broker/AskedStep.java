package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.memory.MemoryTransport;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A server in memory whose every request is handled by one step of a test, and a client that asks it. */
public final class AskedStep {
    private final MemoryTransport network = new MemoryTransport(Clock.system());
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, Clock.system());
    private final String address;

    public AskedStep(Consumer<Reply<NoHeader>> step) throws RemotingException {
        RemotingServer server = new RemotingServer(
                ServerConfig.of("127.0.0.1", 0),
                HandlerTable.builder()
                        .on(Rpcs.CLEAN_UNUSED_TOPIC, (request, reply) -> step.accept(reply))
                        .build(),
                network,
                Clock.system());
        server.start();
        address = "127.0.0.1:" + server.boundPort();
    }

    /** Asks once; the step has run when this returns, and its answer is there if it gave one. */
    public CompletableFuture<Answer<NoHeader>> ask() {
        CompletableFuture<Answer<NoHeader>> answer = client.call(
                address, Rpcs.CLEAN_UNUSED_TOPIC, NoHeader.NONE, null, Deadline.after(Clock.system(), 60_000));
        settle();
        return answer;
    }

    /** Asks once, for an answer that is given at once. */
    public Answer<NoHeader> answer() throws Exception {
        CompletableFuture<Answer<NoHeader>> answer = ask();
        assertThat(answer).isDone();
        return answer.get();
    }

    /** Lets answers that were given meanwhile arrive. */
    public void settle() {
        network.runUntilIdle(100_000);
    }
}
