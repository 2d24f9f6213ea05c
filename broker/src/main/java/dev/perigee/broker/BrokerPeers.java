package dev.perigee.broker;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.BrokerRole;
import dev.perigee.broker.registration.MasterFence;
import dev.perigee.broker.registration.MasterNotice;
import dev.perigee.broker.registration.Members;
import dev.perigee.broker.registration.PeerEnds;
import dev.perigee.broker.registration.RegistrationDuty;
import dev.perigee.broker.registration.ReplacedMasterDuty;
import dev.perigee.broker.registration.ReplacedMasterException;
import dev.perigee.broker.registration.SlaveFence;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.address.AddressSettings;
import dev.perigee.replica.follow.MasterAddress;
import dev.perigee.replica.repair.PeerRange;
import dev.perigee.replica.repair.RangeRepair;
import dev.perigee.store.Store;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.tail.HeadFacts;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The others of a broker's name, as far as NameServers know them. Before it serves they are asked whether its place is free, for bytes that
 * are damaged here, and who has more; not in a simulation, where nothing may block. Later they are looked at by what is made here.
 */
@OwnedBy("starting thread")
final class BrokerPeers {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerPeers.class);

    private final BrokerConfig config;
    private final BrokerSeams seams;
    private final Clock clock;
    private final BrokerIdentity identity;
    private final Members members;
    private final RemotingClient client;

    BrokerPeers(BrokerConfig config, BrokerSeams seams, Clock clock, BrokerIdentity identity, RemotingClient client) {
        this.config = config;
        this.seams = seams;
        this.clock = clock;
        this.identity = identity;
        this.client = client;
        this.members = new Members(client, clock);
    }

    /** What they are asked with. */
    RemotingClient client() {
        return client;
    }

    /**
     * Asks whether another one has this broker's id. Blocks.
     *
     * @return of a master that others may follow: what asks once more when it has registered
     * @throws IOException when another one has it, or this disk may have been emptied
     */
    Optional<MasterFence> requireOwnId() throws IOException {
        List<String> nameServers = config.registration().nameServers();
        if (config.replication().role() == BrokerRole.SLAVE && seams.threads()) {
            new SlaveFence(identity, members).check(nameServers);
        }
        if (!config.replication().mayBeFollowed() || !seams.threads()) {
            return Optional.empty();
        }
        boolean emptyLog = !HeadFacts.isAnyByteIn(seams.disk());
        MasterFence fence = new MasterFence(identity, members);
        fence.check(nameServers, emptyLog);
        return Optional.of(fence);
    }

    /** A slave that was not told where its master is finds it by those whom NameServers know, and the start may wait for that slave. */
    MasterNotice notice() {
        return new MasterNotice(identity, config.registration(), members);
    }

    /**
     * Looks whether another master took this one's place; none where this is no master that others may follow.
     *
     * @param log this broker's
     * @param replaced told when it was, once
     */
    Optional<Duty> replacedMaster(
            CommitLog log, RegistrationDuty registration, Consumer<ReplacedMasterException> replaced) {
        return config.replication().mayBeFollowed()
                ? Optional.of(new ReplacedMasterDuty(
                        identity,
                        config.registration(),
                        members,
                        registration,
                        () -> BrokerReplication.name(log),
                        replaced))
                : Optional.empty();
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
                        BrokerReplication.name(store.log()),
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
