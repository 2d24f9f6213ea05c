package dev.perigee.broker.registration;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongPredicate;
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

    private final BrokerIdentity identity;
    private final Members members;
    /** The NameServers that answered when they were asked first. */
    private List<String> speaking = List.of();

    /** @param members asks the NameServers, and the brokers they name */
    public MasterFence(BrokerIdentity identity, Members members) {
        this.identity = identity;
        this.members = members;
    }

    /**
     * Looks for another master. Blocks, six times {@link #TIMEOUT_MS} at most.
     *
     * @param emptyLog whether this broker would begin a log
     * @throws IOException when there is one, a slave with a log where this one has none, or the name is another cluster's; the text names
     *     both
     */
    public void check(Collection<String> nameServers, boolean emptyLog) throws IOException {
        Map<String, Map<Long, String>> all = members.of(identity.cluster(), identity.name(), nameServers);
        speaking = List.copyOf(all.keySet());
        new OtherCluster(identity, members).refuse(all);
        refuseMasters(all);
        if (emptyLog) {
            checkSlaves(all);
        }
    }

    /**
     * Looks once more for another master, where NameServers answered the first time. Blocks, twice {@link #TIMEOUT_MS} at most.
     *
     * @throws IOException when there is one; the text names both
     */
    public void checkAgain() throws IOException {
        refuseMasters(members.askAll(speaking, each -> members.known(each, identity.cluster(), identity.name())));
    }

    private void refuseMasters(Map<String, Map<Long, String>> all) throws IOException {
        Map<String, String> others = others(all, id -> id == MASTER_ID);
        Set<String> alive = members.askAll(
                        others.keySet(), each -> members.ask(each, Rpcs.GET_BROKER_RUNTIME_INFO, NoHeader.NONE))
                .keySet();
        for (Map.Entry<String, String> other : others.entrySet()) {
            if (alive.contains(other.getKey())) {
                throw new IOException(
                        "broker " + identity.name() + " of cluster " + identity.cluster()
                                + " has a master at " + other.getKey() + ", says NameServer " + other.getValue()
                                + ", and that one answers; this one, " + identity.address()
                                + ", is not started with brokerId=0: stop the other, or give this one another brokerName or brokerRole=SLAVE");
            }
            LOG.info("event=former_master_gone address={} nameServer={}", other.getKey(), other.getValue());
        }
    }

    /** NameServers by the addresses of brokers that they know, this one aside. */
    private Map<String, String> others(Map<String, Map<Long, String>> all, LongPredicate ids) {
        Map<String, String> others = new TreeMap<>();
        all.forEach((nameServer, known) -> known.forEach((id, address) -> {
            if (ids.test(id) && !address.equals(identity.address())) {
                others.put(address, nameServer);
            }
        }));
        return others;
    }

    /** A slave with a log has what this broker would begin anew. */
    private void checkSlaves(Map<String, Map<Long, String>> all) throws IOException {
        Map<String, String> slaves = others(all, id -> id != MASTER_ID);
        Map<String, HaStatus> states = members.askAll(slaves.keySet(), members::status);
        for (Map.Entry<String, HaStatus> slave : states.entrySet()) {
            long bytes = slave.getValue().haClientRuntimeInfo().maxOffset();
            if (bytes > 0) {
                throw new IOException("broker " + identity.name() + " of cluster " + identity.cluster()
                        + " has a slave at " + slave.getKey() + ", says NameServer " + slaves.get(slave.getKey())
                        + ", whose log ends at " + bytes + ", and the folder of this one, " + identity.address()
                        + ", is empty: make that slave the master and start this one as its slave, or stop the slave to begin anew"
                        + " without what it has");
            }
        }
    }
}
