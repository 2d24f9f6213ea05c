package dev.perigee.broker.registration;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.stats.HaStatus;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a slave from starting with an id that another one has: a NameServer goes by the id, so readers of that one would be sent to this one,
 * whatever is in its log, also where no master is there to refuse it. Another broker counts when it answers itself, as a slave: one
 * that was made the master meanwhile has left the id free. Who does not answer knows of nobody, so that a slave starts without NameServers.
 */
@OwnedBy("starting thread")
public final class SlaveFence {
    private static final Logger LOG = LoggerFactory.getLogger(SlaveFence.class);

    private final BrokerIdentity identity;
    private final Members members;

    /** @param members asks the NameServers, and the brokers they name */
    public SlaveFence(BrokerIdentity identity, Members members) {
        this.identity = identity;
        this.members = members;
    }

    /**
     * Looks for another broker with this one's id. Blocks, five times {@link Members#TIMEOUT_MS} at most.
     *
     * @throws IOException when there is one, or the name is another cluster's; the text names both
     */
    public void check(Collection<String> nameServers) throws IOException {
        Map<String, String> others = new TreeMap<>();
        Map<String, Map<Long, String>> all = members.of(identity.cluster(), identity.name(), nameServers);
        new OtherCluster(identity, members).refuse(all);
        all.forEach((nameServer, known) -> {
            String address = known.get(identity.id());
            if (address != null && !address.equals(identity.address())) {
                others.put(address, nameServer);
            }
        });
        Map<String, HaStatus> states = members.askAll(others.keySet(), members::status);
        for (Map.Entry<String, String> other : others.entrySet()) {
            HaStatus status = states.get(other.getKey());
            if (status != null && !status.master()) {
                throw new IOException("broker " + identity.name() + " of cluster " + identity.cluster()
                        + " has a slave with brokerId="
                        + identity.id() + " at " + other.getKey() + ", says NameServer " + other.getValue()
                        + ", and that one answers; this one, " + identity.address()
                        + ", is not started with that id: give it another brokerId, or stop the other");
            }
            LOG.info(
                    "event=former_slave_gone brokerId={} address={} nameServer={}",
                    identity.id(),
                    other.getKey(),
                    other.getValue());
        }
    }
}
