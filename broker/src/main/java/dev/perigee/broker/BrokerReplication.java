package dev.perigee.broker;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.BrokerRole;
import dev.perigee.broker.config.ReplicationSettings;
import dev.perigee.broker.replica.LogFacts;
import dev.perigee.broker.replica.NodeId;
import dev.perigee.broker.replica.ReplicaIdentity;
import dev.perigee.broker.replica.feed.CommitLogSource;
import dev.perigee.broker.replica.feed.FeedServer;
import dev.perigee.broker.replica.follow.Confirmed;
import dev.perigee.broker.replica.follow.ConfirmedDuty;
import dev.perigee.broker.replica.follow.ConfirmedFile;
import dev.perigee.broker.replica.follow.ConfirmedKeeper;
import dev.perigee.broker.replica.follow.MasterLink;
import dev.perigee.broker.replica.follow.MasterRange;
import dev.perigee.broker.replica.follow.RangeRepair;
import dev.perigee.broker.replica.follow.ReplicaLog;
import dev.perigee.broker.replica.follow.SlaveReplication;
import dev.perigee.broker.replica.sync.InSyncDuty;
import dev.perigee.broker.replica.sync.MasterReplication;
import dev.perigee.broker.replica.sync.ReplicaSlot;
import dev.perigee.broker.replica.sync.ReplicaSlots;
import dev.perigee.broker.replica.sync.ReplicationRules;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.ConnectionLimits;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.store.Store;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.Replication;
import dev.perigee.store.append.SoloReplication;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A broker's part in replication, by its role: what confirms, who is fed, whom it follows. Wiring only. */
@OwnedBy("starting thread")
final class BrokerReplication implements AutoCloseable {
    /** More than the window and a unit: what a replica holds must be heard however much is queued towards it. */
    private static final int HIGH_WATER_BYTES = 32 << 20;

    private static final int LOW_WATER_BYTES = 16 << 20;

    private final BrokerConfig config;
    private final ReplicationSettings settings;
    private final Clock clock;
    private final BrokerSeams seams;
    private final FlushMode flushMode;
    private final ReplicaSlots slots = new ReplicaSlots();
    private final Replication replication;
    private @Nullable RemotingServer server;
    private @Nullable FeedServer feeds;
    private @Nullable MasterLink link;

    private BrokerReplication(
            BrokerConfig config, Clock clock, BrokerSeams seams, FlushMode flushMode, Optional<Replication> other)
            throws IOException {
        this.config = config;
        this.settings = config.replication();
        this.clock = clock;
        this.seams = seams;
        this.flushMode = flushMode;
        this.replication = other.isPresent() ? other.get() : ofMaster();
    }

    /**
     * What the settings ask for. Blocks.
     *
     * @throws IOException when the folder cannot be read
     */
    static BrokerReplication of(BrokerConfig config, Clock clock, BrokerSeams seams, FlushMode flushMode)
            throws IOException {
        ReplicationSettings settings = config.replication();
        Optional<Replication> other = settings.role() == BrokerRole.SLAVE
                ? Optional.of(SlaveReplication.of(seams.disk(), flushMode))
                : settings.on() ? Optional.empty() : Optional.of(new SoloReplication(flushMode));
        return new BrokerReplication(config, clock, seams, flushMode, other);
    }

    private MasterReplication ofMaster() throws IOException {
        return new MasterReplication(
                new ReplicationRules(
                        flushMode,
                        settings.role() == BrokerRole.SYNC_MASTER,
                        settings.inSyncReplicas(),
                        settings.minInSyncReplicas(),
                        settings.timeoutMs(),
                        settings.maxGapBytes(),
                        settings.maxSilenceMs()),
                slots,
                ConfirmedFile.confirmedIn(seams.disk()).offset());
    }

    /** What confirms. */
    Replication replication() {
        return replication;
    }

    /** Whether this broker follows another one and serves nobody. */
    boolean isFollower() {
        return replication instanceof SlaveReplication;
    }

    /**
     * Opens the store; where a slave's log is damaged, after that was mended with what its master holds. Blocks, while a master that
     * is asked does not answer. In a simulation, where nothing may block, nothing is mended.
     *
     * @throws IOException whatever opening fails of
     */
    Store open(RangeRepair.Opening<Store> opening) throws IOException {
        if (!isFollower() || !seams.threads()) {
            return opening.open();
        }
        try (RemotingClient client = new RemotingClient(
                ClientConfig.DEFAULT.withTls(config.network().clientTls()), seams.transport(), clock)) {
            return new RangeRepair(seams.disk(), new MasterRange(client, settings.masterAddress(), clock))
                    .open(opening);
        }
    }

    /** What it does on the view loop; the store is open. */
    List<Duty> duties(Store store) {
        return replication instanceof MasterReplication master
                ? List.of(new InSyncDuty(master, store.facts()), new ConfirmedDuty(keeper(store)))
                : List.of();
    }

    private ConfirmedKeeper keeper(Store store) {
        return new ConfirmedKeeper(seams.disk(), store.log(), Confirmed.NOTHING, store::background);
    }

    /**
     * Ties it to the open store; before its loops run. Blocks.
     *
     * @throws IOException when the folder has no name and takes none
     */
    void connect(Store store, BrokerIdentity identity) throws IOException {
        if (!settings.on()) {
            return;
        }
        ReplicaIdentity self = new ReplicaIdentity(
                identity.cluster(), identity.name(), identity.id(), NodeId.of(seams.disk(), seams.random()));
        if (replication instanceof MasterReplication master) {
            slots.onHeld(slot -> lookAt(slot, master, store));
            FeedServer made = new FeedServer(
                    new LogFacts(self, store.log()),
                    new CommitLogSource(store.log()),
                    slots,
                    seams.transport(),
                    store.coldReaders(),
                    clock,
                    settings.catchUpBytesPerSec());
            master.onChange(made::logGrew, store::wakeViews);
            keeper(store).keepHere();
            master.named(store.log().replicaSet(store.log().endOffset()));
            feeds = made;
            server = new RemotingServer(
                    ServerConfig.of(config.clientPort().host(), identity.haPort())
                            .withTls(config.network().tls())
                            .withLimits(ConnectionLimits.DEFAULT.withWaterMarks(LOW_WATER_BYTES, HIGH_WATER_BYTES)),
                    made.handlers(),
                    seams.transport(),
                    clock);
        } else if (replication instanceof SlaveReplication slave) {
            link = new MasterLink(
                    settings.masterAddress(),
                    new ReplicaLog(self, store.log(), store.received(), slave, seams.disk(), store::background),
                    seams.transport(),
                    ClientConfig.DEFAULT.withTls(config.network().clientTls()),
                    clock,
                    seams.random());
        }
    }

    /** What a replica in sync holds may confirm something, which is done at once; another one may have to be taken into the set. */
    private static void lookAt(ReplicaSlot slot, MasterReplication master, Store store) {
        if (master.awaits(slot.member())) {
            store.runLog();
        } else {
            store.wakeLog();
        }
    }

    /**
     * Opens the replication port, or begins to follow; the store's loops run, or are stepped.
     *
     * @throws RemotingException when the port cannot be opened
     */
    void start() throws RemotingException {
        RemotingServer port = server;
        if (port != null) {
            port.start();
        }
        MasterLink following = link;
        if (following != null) {
            following.start();
        }
    }

    /** Ends all connections of replication; before the store is closed. */
    @Override
    public void close() {
        MasterLink following = link;
        if (following != null) {
            following.close();
        }
        FeedServer feeding = feeds;
        if (feeding != null) {
            feeding.close("the master is stopping");
        }
        RemotingServer port = server;
        if (port != null) {
            port.close();
        }
    }
}
