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
import dev.perigee.protocol.stats.HaStatus;
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
 * knows of nobody, so that a broker starts without NameServers. A master whose log is empty does not begin one beside slaves that hold
 * the former one (R6): a wiped disk is another node.
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
     * Looks for another master. Blocks, three times {@link #TIMEOUT_MS} at most.
     *
     * @param emptyLog whether this broker would begin a log
     * @throws IOException when there is one, or a slave with a log where this one has none; the text names both
     */
    public void check(Collection<String> nameServers, boolean emptyLog) throws IOException {
        Map<String, CompletableFuture<? extends Answer<?>>> asked = new TreeMap<>();
        MemberGroupHeader question = new MemberGroupHeader(identity.cluster(), identity.name());
        nameServers.forEach(each -> asked.put(each, ask(each, Rpcs.GET_BROKER_MEMBER_GROUP, question)));
        Map<String, String> others = new TreeMap<>();
        Map<String, String> slaves = new TreeMap<>();
        for (Map.Entry<String, CompletableFuture<? extends Answer<?>>> each : asked.entrySet()) {
            members(answered(each.getValue())).forEach((id, address) -> {
                if (!address.equals(identity.address())) {
                    (id == MASTER_ID ? others : slaves).put(address, each.getKey());
                }
            });
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
        if (emptyLog) {
            checkSlaves(slaves);
        }
    }

    /** A slave with a log has what this broker would begin anew. */
    private void checkSlaves(Map<String, String> slaves) throws IOException {
        for (Map.Entry<String, String> slave : slaves.entrySet()) {
            long bytes = answered(ask(slave.getKey(), Rpcs.GET_BROKER_HA_STATUS, NoHeader.NONE))
                    .map(MasterFence::logEnd)
                    .orElse(0L);
            if (bytes > 0) {
                throw new IOException("broker " + identity.name() + " of cluster " + identity.cluster()
                        + " has a slave at " + slave.getKey() + ", says NameServer " + slave.getValue()
                        + ", whose log ends at " + bytes + ", and the folder of this one, " + identity.address()
                        + ", is empty: make that slave the master and start this one as its slave, or stop the slave to begin anew"
                        + " without what it has");
            }
        }
    }

    private static long logEnd(Answer<?> answer) {
        try {
            return Json.read(answer.body(), HaStatus.class)
                    .haClientRuntimeInfo()
                    .maxOffset();
        } catch (BadBodyException e) {
            return 0;
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

    private static Map<Long, String> members(Optional<Answer<?>> answer) {
        if (answer.isEmpty()) {
            return Map.of();
        }
        try {
            MemberGroup group =
                    Json.read(answer.get().body(), MemberGroupBody.class).brokerMemberGroup();
            return group == null ? Map.of() : group.brokerAddrs();
        } catch (BadBodyException e) {
            return Map.of();
        }
    }
}
