package dev.perigee.sim.question;

import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.LoneBroker;
import dev.perigee.sim.cluster.TurnedClock;
import java.util.concurrent.CompletableFuture;

/** How a broker is asked. */
public interface Questions {
    /**
     * The answer; time may pass until there is one.
     *
     * @throws NoAnswerException when there is none for so long as this one waits
     */
    <Q extends Record, R extends Record> Answer<R> ask(BrokerMachine machine, Rpc<Q, R> rpc, Q header);

    /** To a broker that is alone; no time passes. */
    static Questions to(LoneBroker lone, TurnedClock clock) {
        RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, lone.network(), clock);
        return new Questions() {
            @Override
            public <Q extends Record, R extends Record> Answer<R> ask(BrokerMachine machine, Rpc<Q, R> rpc, Q header) {
                CompletableFuture<Answer<R>> answer =
                        client.call(machine.address(), rpc, header, null, Deadline.after(clock, 1));
                lone.settle();
                return answer.join();
            }
        };
    }
}
