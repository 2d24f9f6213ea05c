package dev.perigee.broker.registration;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.route.MemberGroupHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.MemberGroup;
import dev.perigee.protocol.route.MemberGroupBody;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a second master of one name from starting (R32): what one of them takes, the other has not got. Every NameServer is asked for the
 * name, all at once; another broker that holds id 0 counts when it answers itself. Who does not answer within {@link #TIMEOUT_MS}
 * knows of nobody, so that a broker starts without NameServers.
 */
@OwnedBy("starting thread")
public final class MasterFence {
    /** Longest wait for the NameServers, and then for the other broker. */
    static final long TIMEOUT_MS = 1_000;

    private static final long MASTER_ID = 0;
    private static final Logger LOG = LoggerFactory.getLogger(MasterFence.class);

    private final BrokerIdentity identity;
    private final RemotingClient client;
    private final Clock clock;

    public MasterFence(BrokerIdentity identity, RemotingClient client, Clock clock) {
        this.identity = identity;
        this.client = client;
        this.clock = clock;
    }

    /**
     * Looks for another master. Blocks, twice {@link #TIMEOUT_MS} at most.
     *
     * @throws IOException when there is one; the text names both
     */
    public void check(Collection<String> nameServers) throws IOException {
        Map<String, CompletableFuture<? extends Answer<?>>> asked = new TreeMap<>();
        MemberGroupHeader question = new MemberGroupHeader(identity.cluster(), identity.name());
        nameServers.forEach(each -> asked.put(each, ask(each, Rpcs.GET_BROKER_MEMBER_GROUP, question)));
        Map<String, String> others = new TreeMap<>();
        for (Map.Entry<String, CompletableFuture<? extends Answer<?>>> each : asked.entrySet()) {
            answered(each.getValue())
                    .flatMap(MasterFence::master)
                    .filter(address -> !address.equals(identity.address()))
                    .ifPresent(address -> others.put(address, each.getKey()));
        }
        for (Map.Entry<String, String> other : others.entrySet()) {
            if (answered(ask(other.getKey(), Rpcs.GET_BROKER_RUNTIME_INFO, NoHeader.NONE))
                    .isPresent()) {
                throw new IOException(
                        "broker " + identity.name() + " of cluster " + identity.cluster()
                                + " has a master at " + other.getKey() + ", says NameServer " + other.getValue()
                                + ", and that one answers; this one, " + identity.address()
                                + ", is not started with brokerId=0: stop the other, or give this one another brokerName or brokerRole=SLAVE");
            }
            LOG.info("event=former_master_gone address={} nameServer={}", other.getKey(), other.getValue());
        }
    }

    private <Q extends Record, R extends Record> CompletableFuture<Answer<R>> ask(
            String address, Rpc<Q, R> rpc, Q header) {
        return client.call(address, rpc, header, null, Deadline.after(clock, TIMEOUT_MS));
    }

    private static Optional<Answer<?>> answered(CompletableFuture<? extends Answer<?>> future) {
        try {
            Answer<?> answer = future.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
            return answer.isOk() ? Optional.of(answer) : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException | TimeoutException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> master(Answer<?> answer) {
        try {
            MemberGroup group = Json.read(answer.body(), MemberGroupBody.class).brokerMemberGroup();
            return group == null
                    ? Optional.empty()
                    : Optional.ofNullable(group.brokerAddrs().get(MASTER_ID));
        } catch (BadBodyException e) {
            return Optional.empty();
        }
    }
}
