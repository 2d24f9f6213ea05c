package dev.perigee.broker;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.BrokerRole;
import dev.perigee.broker.config.ReplicationSettings;
import dev.perigee.broker.offset.KeptOffsets;
import dev.perigee.broker.offset.KeptTakeOver;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.group.Group;
import dev.perigee.group.GroupFolder;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.NodeId;
import dev.perigee.replica.OldLog;
import dev.perigee.replica.ReplicaIdentity;
import dev.perigee.replica.feed.CommitLogSource;
import dev.perigee.replica.feed.RangeReader;
import dev.perigee.replica.follow.Restoring;
import dev.perigee.replica.follow.SlaveReplication;
import dev.perigee.replica.repair.OpenLogRepair;
import dev.perigee.replica.repair.RangeRepair;
import dev.perigee.replica.sync.MasterReplication;
import dev.perigee.replica.sync.ReplicaSlots;
import dev.perigee.store.Store;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.Replication;
import dev.perigee.store.append.SoloReplication;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.recovery.RecoveryReport;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A broker's part in replication, by its role: {@link MasterPart}, {@link SlavePart}, or none. Wiring only. */
@OwnedBy("starting thread")
final class BrokerReplication implements AutoCloseable {
    /** Longest time for opening a connection to another member of a group. */
    private static final int LINK_TIMEOUT_MS = 1_000;

    private final BrokerConfig config;
    private final ReplicationSettings settings;
    private final Clock clock;
    private final BrokerSeams seams;
    private final BrokerPeers peers;
    private final ReplicaSlots slots;
    private final Replication replication;
    private final @Nullable Group group;
    private ReplicationPart part;
    private @Nullable RangeReader ranges;
    private @Nullable OpenLogRepair repair;
    private @Nullable Store store;

    private BrokerReplication(
            BrokerConfig config,
            Clock clock,
            BrokerSeams seams,
            BrokerPeers peers,
            ReplicaSlots slots,
            Replication replication,
            @Nullable Group group) {
        this.config = config;
        this.settings = config.replication();
        this.clock = clock;
        this.seams = seams;
        this.peers = peers;
        this.slots = slots;
        this.replication = replication;
        this.group = group;
        this.part = ReplicationPart.NOT_CONNECTED;
    }

    /**
     * What the settings ask for. Blocks.
     *
     * @throws IOException when the folder cannot be read, or a log that is too old cannot be set aside
     */
    static BrokerReplication of(BrokerConfig config, Clock clock, BrokerSeams seams, BrokerPeers peers)
            throws IOException {
        ReplicationSettings settings = config.replication();
        FlushMode flushMode = config.storage().flushMode();
        ReplicaSlots slots = new ReplicaSlots();
        if (config.group().on()) {
            Group member = new Group(
                    config.group()
                            .config(
                                    config.identity().cluster(),
                                    config.identity().name(),
                                    settings.catchUpBytesPerSec()),
                    new Group.Seams(seams.disk(), seams.transport(), links(config), clock, seams.random()),
                    flushMode);
            return new BrokerReplication(config, clock, seams, peers, slots, member.replication(), member);
        }
        BrokerIdentity self = config.identity();
        GroupFolder.requireOfNoGroup(seams.disk(), self.cluster() + "/" + self.name() + "/" + self.id());
        Replication replication;
        if (settings.role() == BrokerRole.SLAVE) {
            OldLog.setAside(seams.disk(), Restoring.FILE);
            replication = SlaveReplication.of(seams.disk(), flushMode);
        } else if (settings.on()) {
            replication = MasterPart.replication(settings, seams, flushMode, slots);
        } else {
            replication = new SoloReplication(flushMode);
        }
        return new BrokerReplication(config, clock, seams, peers, slots, replication, null);
    }

    /** No election waits for a machine that is gone. */
    private static ClientConfig links(BrokerConfig config) {
        ClientConfig usual = ClientConfig.DEFAULT;
        return new ClientConfig(LINK_TIMEOUT_MS, config.network().clientTls(), usual.serialization(), usual.limits());
    }

    /** What confirms. */
    Replication replication() {
        return replication;
    }

    /** What replication is on a broker of this role; once it is connected. */
    ReplicationPart part() {
        return part;
    }

    /**
     * Opens the store, see {@link BrokerPeers#open}. Blocks.
     *
     * @throws IOException whatever opening fails of
     */
    Store open(RangeRepair.Opening<Store> opening) throws IOException {
        if (group != null) {
            return seams.threads() ? group.open(opening) : opening.open();
        }
        return settings.on() ? peers.open(opening) : opening.open();
    }

    /** Answers who mends a log with what this one holds; empty where nothing is replicated. Once it is connected. */
    Optional<RangeReader> ranges() {
        return Optional.ofNullable(ranges);
    }

    /** Told where a reader met damage; once it is connected. A broker alone can only say so. */
    LongConsumer onDamage() {
        if (group != null) {
            return group.onDamage();
        }
        OpenLogRepair repairing = repair;
        return repairing != null ? repairing : OpenLogRepair.reportOnly(clock);
    }

    private HaStatus alone(CommitLog log) {
        return new HaStatus(
                true,
                log.endOffset(),
                0,
                List.of(),
                HaStatus.FollowState.NONE,
                settings.role().name(),
                log.confirmOffset(),
                null,
                name(log));
    }

    /** Which log it is, in which epoch. Any thread. */
    static HaStatus.LogName name(CommitLog log) {
        String epochId = log.extent()
                .epochs()
                .last()
                .map(epoch -> Long.toHexString(epoch.id()))
                .orElse(null);
        return new HaStatus.LogName(Long.toHexString(log.logId()), log.epoch(), epochId);
    }

    /**
     * Has a broker that is no slave go on with the offsets that consumers committed to it when it was one. Blocks; before clients are
     * served, when the views show all that was found.
     *
     * @return what removes their file when they are logged
     * @throws IOException when the folder cannot be read
     */
    Optional<Duty> takeOverOffsets(OffsetCommits commits, OffsetView view, Store store) throws IOException {
        KeptOffsets file = new KeptOffsets(seams.disk());
        return settings.role() == BrokerRole.SLAVE || group != null || !file.exists()
                ? Optional.empty()
                : Optional.of(KeptTakeOver.begin(file, commits, view, store));
    }

    /**
     * Ties it to the open store; before its loops run. Blocks.
     *
     * @throws IOException when the folder has no name and takes none, a master's log is a slave's that is not full, or that of a broker
     *     alone another one's
     */
    void connect(Store store, BrokerIdentity identity) throws IOException {
        if (group != null) {
            part = new GroupPart(config, clock, seams, store, group, peers.client());
            return;
        }
        if (settings.role() != BrokerRole.SLAVE) {
            Restoring.requireFull(seams.disk());
            OldLog.requireNotWanted(seams.disk());
        }
        this.store = store;
        if (settings.on()) {
            part = partOf(store, identity);
        } else {
            requireOwn(store.recovery());
            part = () -> alone(store.log());
        }
    }

    private ReplicationPart partOf(Store store, BrokerIdentity identity) throws IOException {
        ReplicaIdentity self = new ReplicaIdentity(
                identity.cluster(), identity.name(), identity.id(), NodeId.of(seams.disk(), seams.random()));
        RangeReader reader =
                new RangeReader(new LogFacts(self, store.log()), new CommitLogSource(store.log()), store.coldReaders());
        OpenLogRepair mending = new OpenLogRepair(
                store.log(), store::mend, () -> part.others(), seams.transport().loop(0), clock);
        reader.onDamage(mending);
        ranges = reader;
        repair = mending;
        if (replication instanceof MasterReplication leads) {
            MasterPart made = new MasterPart(config, clock, seams, store, self, leads, slots);
            made.onDamage(mending);
            return made;
        }
        if (replication instanceof SlaveReplication follows) {
            return new SlavePart(config, clock, seams, store, self, follows, reader);
        }
        throw new IllegalStateException(replication + " with " + settings);
    }

    /** A broker alone asks nobody for what it lacks, so what it goes on with must be its own log. */
    private static void requireOwn(RecoveryReport found) throws IOException {
        if (found.followed()) {
            throw new IOException(
                    "the log in this folder was written last by another broker, whose slave this one was, and neither"
                            + " brokerRole nor haListenPort is set: set brokerRole=SLAVE to follow that one, or ASYNC_MASTER or SYNC_MASTER to take"
                            + " its place");
        }
    }

    /** Finds ids of brokers of this name that say that they have more than this log; once it is connected. Blocks. */
    List<Long> farther() {
        Store opened = store;
        return opened == null ? List.of() : peers.farther(opened);
    }

    /** Ends all connections of replication; before the store is closed. */
    @Override
    public void close() {
        part.close();
    }
}
