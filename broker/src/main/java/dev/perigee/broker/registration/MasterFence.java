package dev.perigee.broker.registration;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.call.Answer;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
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
    static final long TIMEOUT_MS = Members.TIMEOUT_MS;

    private static final long MASTER_ID = 0;
    private static final Logger LOG = LoggerFactory.getLogger(MasterFence.class);

    private record Asked(Map.Entry<String, String> other, CompletableFuture<? extends Answer<?>> answer) {}

    private final BrokerIdentity identity;
    private final Members members;

    /** @param members asks the NameServers, and the brokers they name */
    public MasterFence(BrokerIdentity identity, Members members) {
        this.identity = identity;
        this.members = members;
    }

    /**
     * Looks for another master. Blocks, four times {@link #TIMEOUT_MS} at most.
     *
     * @param emptyLog whether this broker would begin a log
     * @throws IOException when there is one, or a slave with a log where this one has none; the text names both
     */
    public void check(Collection<String> nameServers, boolean emptyLog) throws IOException {
        Map<String, String> others = new TreeMap<>();
        Map<String, String> slaves = new TreeMap<>();
        members.of(identity.cluster(), identity.name(), nameServers)
                .forEach((nameServer, known) -> known.forEach((id, address) -> {
                    if (!address.equals(identity.address())) {
                        (id == MASTER_ID ? others : slaves).put(address, nameServer);
                    }
                }));
        List<Asked> asked = others.entrySet().stream()
                .map(each -> new Asked(each, members.ask(each.getKey(), Rpcs.GET_BROKER_RUNTIME_INFO, NoHeader.NONE)))
                .toList();
        for (Asked one : asked) {
            Map.Entry<String, String> other = one.other();
            if (members.answered(one.answer()).isPresent()) {
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
            long bytes = members.answered(members.ask(slave.getKey(), Rpcs.GET_BROKER_HA_STATUS, NoHeader.NONE))
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
}
