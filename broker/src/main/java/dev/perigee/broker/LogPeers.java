package dev.perigee.broker;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.registration.Members;
import dev.perigee.broker.registration.PeerEnds;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.address.AddressSettings;
import dev.perigee.replica.follow.MasterAddress;
import dev.perigee.replica.repair.PeerRange;
import dev.perigee.replica.repair.RangeRepair;
import dev.perigee.store.Store;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Those of a broker's name that are asked before it serves: for bytes that are damaged here, and who has more. Not in a simulation, where
 * nothing may block.
 */
@OwnedBy("starting thread")
final class LogPeers {
    private static final Logger LOG = LoggerFactory.getLogger(LogPeers.class);

    private final BrokerConfig config;
    private final BrokerSeams seams;
    private final Clock clock;
    private final BrokerIdentity identity;
    private final Members members;
    private final RemotingClient client;

    LogPeers(BrokerConfig config, BrokerSeams seams, Clock clock, BrokerIdentity identity, RemotingClient client) {
        this.config = config;
        this.seams = seams;
        this.clock = clock;
        this.identity = identity;
        this.client = client;
        this.members = new Members(client, clock);
    }

    /**
     * Opens the store; where its log is damaged, after that was mended with what another broker of the name holds. Blocks, while those
     * that are asked do not answer.
     *
     * @throws IOException whatever opening fails of
     */
    Store open(RangeRepair.Opening<Store> opening) throws IOException {
        return seams.threads()
                ? new RangeRepair(seams.disk(), new PeerRange(client, this::addresses, clock)).open(opening)
                : opening.open();
    }

    /**
     * R11: whoever becomes a master begins with the most advanced log of those that can be reached, whether its own names them or not. Asks
     * only where this node was a slave before. Blocks.
     */
    List<Long> farther(Store store) {
        if (!store.recovery().followed() || !seams.threads()) {
            return List.of();
        }
        return new PeerEnds(members)
                .farther(
                        known().values(),
                        identity.address(),
                        Long.toHexString(store.log().logId()),
                        store.log().endOffset());
    }

    /** Where others of the name may be asked for what is damaged here. Blocks. */
    private Collection<String> addresses() {
        Set<String> peers =
                new TreeSet<>(AddressSettings.list(config.replication().masterAddress()));
        known().values().forEach(some -> peers.addAll(some.values()));
        try {
            peers.add(MasterAddress.read(
                    seams.disk())); // its port of clients may be closed, for it waits for this very slave
        } catch (IOException e) {
            LOG.warn("event=master_address_unreadable", e);
        }
        peers.removeAll(List.of(identity.address(), ""));
        return peers;
    }

    private Map<String, Map<Long, String>> known() {
        return members.of(
                identity.cluster(), identity.name(), config.registration().nameServers());
    }
}
