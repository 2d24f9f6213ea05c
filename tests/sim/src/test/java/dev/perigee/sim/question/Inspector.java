package dev.perigee.sim.question;

import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Asks brokers over a network without faults, with patience or at one instant. */
public final class Inspector implements Questions {
    private static final int TIMEOUT_MS = 3_000;
    private static final long PATIENCE_MS = 60_000;
    private static final long STEP_MS = 10;
    private static final int READ_AND_WRITE = 6;

    private final Cluster cluster;
    private final RemotingClient client;

    public Inspector(Cluster cluster) {
        this.cluster = cluster;
        this.client = new RemotingClient(ClientConfig.DEFAULT, cluster.network(), cluster.clock());
    }

    private <Q extends Record, R extends Record> CompletableFuture<Answer<R>> begin(
            BrokerMachine machine, Rpc<Q, R> rpc, Q header) {
        return begin(machine, rpc, header, null);
    }

    /** Begins to ask. The answer comes while time passes, with a failure when it does not. */
    public <Q extends Record, R extends Record> CompletableFuture<Answer<R>> begin(
            BrokerMachine machine, Rpc<Q, R> rpc, Q header, byte @Nullable [] body) {
        return client.call(machine.address(), rpc, header, body, Deadline.after(cluster.clock(), TIMEOUT_MS));
    }

    @Override
    public <Q extends Record, R extends Record> Answer<R> ask(BrokerMachine machine, Rpc<Q, R> rpc, Q header) {
        long limitMs = cluster.clock().monotonicMs() + PATIENCE_MS;
        while (cluster.clock().monotonicMs() < limitMs) {
            CompletableFuture<Answer<R>> answer = begin(machine, rpc, header);
            if (cluster.passUntil(answer::isDone, TIMEOUT_MS, STEP_MS) && !answer.isCompletedExceptionally()) {
                return answer.join();
            }
            cluster.pass(STEP_MS);
        }
        throw new NoAnswerException(machine.name() + " does not answer " + rpc + " " + header);
    }

    /** Makes a topic. */
    public void createTopic(BrokerMachine machine, String topic, int queues) {
        CreateTopicHeader header = new CreateTopicHeader(
                topic, "TBW102", queues, queues, READ_AND_WRITE, "SINGLE_TAG", 0, false, null, null);
        Answer<?> answer = ask(machine, Rpcs.UPDATE_AND_CREATE_TOPIC, header);
        if (!answer.isOk()) {
            throw new IllegalStateException(machine.name() + " does not make topic " + topic + ": " + answer);
        }
    }

    /** The answer, unless the broker does not give one at once: no time passes. */
    public <Q extends Record, R extends Record> Optional<Answer<R>> askNow(
            BrokerMachine machine, Rpc<Q, R> rpc, Q header) {
        CompletableFuture<Answer<R>> answer = begin(machine, rpc, header);
        cluster.settle();
        return answer.isDone() && !answer.isCompletedExceptionally() ? Optional.of(answer.join()) : Optional.empty();
    }

    /** The same questions, for brokers that may not serve: no time passes, and who does not answer at once does not answer. */
    public Questions atOnce() {
        return new Questions() {
            @Override
            public <Q extends Record, R extends Record> Answer<R> ask(BrokerMachine machine, Rpc<Q, R> rpc, Q header) {
                return askNow(machine, rpc, header)
                        .orElseThrow(() -> new NoAnswerException(machine.name() + " does not answer now: " + rpc));
            }
        };
    }

    /** Whether a broker answers clients, whatever it answers, and is up afterwards; one that waits for its slaves does not. */
    public boolean serves(BrokerMachine machine) {
        return machine.isUp()
                && askNow(machine, Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("reader", "nothing", 0, false))
                        .isPresent()
                && machine.isUp();
    }

    /** Where a group stands, if it does and the broker says so at once. */
    public OptionalLong offset(BrokerMachine machine, String group, String topic, int queueId) {
        return askNow(machine, Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader(group, topic, queueId, false))
                .filter(Answer::isOk)
                .map(answer -> OptionalLong.of(answer.require().offset()))
                .orElse(OptionalLong.empty());
    }
}
