package dev.perigee.broker;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.BrokerRole;
import dev.perigee.broker.config.ReplicationSettings;
import dev.perigee.broker.fact.ReadGate;
import dev.perigee.broker.offset.KeptOffsets;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.offset.OffsetsUpstream;
import dev.perigee.broker.registration.RegistrationDuty.MasterSearch;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.NodeId;
import dev.perigee.replica.OldLog;
import dev.perigee.replica.ReplicaIdentity;
import dev.perigee.replica.Standing;
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
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A broker's part in replication, by its role: {@link MasterPart}, {@link SlavePart}, or none. Wiring only. */
@OwnedBy("starting thread")
final class BrokerReplication implements AutoCloseable {
    private final BrokerConfig config;
    private final ReplicationSettings settings;
    private final Clock clock;
    private final BrokerSeams seams;
    private final ReplicaSlots slots;
    private final Replication replication;
    private @Nullable LogPeers peers;
    private @Nullable MasterPart master;
    private @Nullable SlavePart slave;
    private @Nullable RangeReader ranges;
    private @Nullable OpenLogRepair repair;
    private @Nullable Store store;
    private volatile Consumer<Throwable> mustStop = why -> {};

    private BrokerReplication(
            BrokerConfig config, Clock clock, BrokerSeams seams, ReplicaSlots slots, Replication replication) {
        this.config = config;
        this.settings = config.replication();
        this.clock = clock;
        this.seams = seams;
        this.slots = slots;
        this.replication = replication;
    }

    /**
     * What the settings ask for. Blocks.
     *
     * @throws IOException when the folder cannot be read, or a log that is too old cannot be set aside
     */
    static BrokerReplication of(BrokerConfig config, Clock clock, BrokerSeams seams, FlushMode flushMode)
            throws IOException {
        ReplicationSettings settings = config.replication();
        ReplicaSlots slots = new ReplicaSlots();
        Replication replication;
        if (settings.role() == BrokerRole.SLAVE) {
            OldLog.setAside(seams.disk(), Restoring.FILE);
            replication = SlaveReplication.of(seams.disk(), flushMode);
        } else if (settings.on()) {
            replication = MasterPart.replication(settings, seams, flushMode, slots);
        } else {
            replication = new SoloReplication(flushMode);
        }
        return new BrokerReplication(config, clock, seams, slots, replication);
    }

    /** What confirms. */
    Replication replication() {
        return replication;
    }

    /** This broker's place among those of its name; once it is connected. */
    Standing standing() {
        return master != null ? master.standing() : slave != null ? slave.standing() : Standing.ALONE;
    }

    /**
     * Opens the store, see {@link LogPeers#open}. Blocks.
     *
     * @throws IOException whatever opening fails of
     */
    Store open(BrokerIdentity identity, RemotingClient client, RangeRepair.Opening<Store> opening) throws IOException {
        LogPeers asked = new LogPeers(config, seams, clock, identity, client);
        peers = asked;
        return settings.on() ? asked.open(opening) : opening.open();
    }

    /** Answers who mends a log with what this one holds; empty where nothing is replicated. Once it is connected. */
    Optional<RangeReader> ranges() {
        return Optional.ofNullable(ranges);
    }

    /** Connections to those that may hold what is damaged here. */
    private Collection<Connection> others() {
        return master != null ? master.others() : slave != null ? slave.others() : List.of();
    }

    /** Told where a reader met damage; once it is connected. A broker alone can only say so. */
    LongConsumer onDamage() {
        OpenLogRepair repairing = repair;
        return repairing != null ? repairing : OpenLogRepair.reportOnly(clock);
    }

    /** What tools are told of it; once it is connected. Any thread. */
    HaStatus status(CommitLog log) {
        return master != null ? master.status() : slave != null ? slave.status() : alone(log);
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
        return new HaStatus.LogName(Long.toHexString(log.logId()), log.epoch());
    }

    /** What a master appends on the view loop; once it is connected. */
    List<Duty> duties() {
        return master == null ? List.of() : master.duties();
    }

    /**
     * Of a slave: see {@link SlavePart#offsetsUpstream}. Blocks; the views are level, and the loops do not run.
     *
     * @throws IOException when those cannot be read
     */
    Optional<OffsetsUpstream> offsetsUpstream(OffsetCommits commits, OffsetView view) throws IOException {
        return slave == null ? Optional.empty() : Optional.of(slave.offsetsUpstream(commits, view));
    }

    /**
     * Has a broker that is no slave go on with the offsets that consumers committed to it when it was one. Blocks; before clients are
     * served, when the views show all that was found.
     *
     * @throws IOException when the folder cannot be read
     */
    void takeOverOffsets(OffsetCommits commits, Store store) throws IOException {
        if (settings.role() != BrokerRole.SLAVE) {
            new KeptOffsets(seams.disk()).takeOver(commits, store.log(), store::background);
        }
    }

    /** What a slave does on the view loop besides. */
    List<Duty> slaveDuties() {
        return slave == null ? List.of() : slave.duties();
    }

    /** A master that waits for its slaves says where it is, see {@link SlavePart#masterWaitsAt}. Any thread. */
    void masterWaitsAt(String haAddress) {
        if (slave != null) {
            slave.masterWaitsAt(haAddress);
        }
    }

    /** How a slave finds its master where its settings do not say, and what comes of it. */
    MasterSearch search() {
        return slave == null ? MasterSearch.NONE : slave.search();
    }

    /**
     * Ties it to the open store; before its loops run. Blocks.
     *
     * @throws IOException when the folder has no name and takes none, a master's log is a slave's that is not full, or that of a broker
     *     alone another one's
     */
    void connect(Store store, BrokerIdentity identity) throws IOException {
        if (settings.role() != BrokerRole.SLAVE) {
            Restoring.requireFull(seams.disk());
            OldLog.requireNotWanted(seams.disk());
        }
        if (!settings.on()) {
            requireOwn(store.recovery());
            return;
        }
        this.store = store;
        ReplicaIdentity self = new ReplicaIdentity(
                identity.cluster(), identity.name(), identity.id(), NodeId.of(seams.disk(), seams.random()));
        RangeReader reader =
                new RangeReader(new LogFacts(self, store.log()), new CommitLogSource(store.log()), store.coldReaders());
        OpenLogRepair mending = new OpenLogRepair(
                store.log(), store::mend, this::others, seams.transport().loop(0), clock);
        reader.onDamage(mending);
        ranges = reader;
        repair = mending;
        if (replication instanceof MasterReplication leads) {
            MasterPart part = new MasterPart(config, clock, seams, store, self, leads, slots);
            part.onDamage(mending);
            master = part;
        } else if (replication instanceof SlaveReplication follows) {
            SlavePart part = new SlavePart(config, clock, seams, store, self, follows, reader);
            part.onMustStop(why -> mustStop.accept(why));
            slave = part;
        }
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

    /**
     * Opens the replication port, or begins to follow; the store's loops run, or are stepped.
     *
     * @param commits take what consumers committed to slaves
     * @param gate keeps that back until the views show its queues
     * @param onWait hears in one line what a master waits for, again each minute; on an event loop
     * @param onFailure hears that a master cannot begin, or why a slave must be started anew
     * @throws RemotingException when the port cannot be opened
     */
    void start(
            BrokerIdentity identity,
            OffsetCommits commits,
            ReadGate gate,
            Consumer<String> onWait,
            Consumer<Throwable> onFailure)
            throws RemotingException {
        mustStop = onFailure;
        if (master != null) {
            master.start(identity, commits, gate, this::farther, onWait, onFailure);
        } else if (slave != null) {
            slave.start();
        }
    }

    private List<Long> farther() {
        return peers == null || store == null ? List.of() : peers.farther(store);
    }

    /** Whether this is a master that may have to wait for its replicas. */
    boolean startsAsMaster() {
        return master != null;
    }

    /**
     * Whether clients may be served and duties decide: a master has asked the replicas its log names, and what its log held then is
     * confirmed, by them or a smaller set in sync, and in the views. Any thread.
     */
    boolean mayServe() {
        return master == null || master.mayServe();
    }

    /** A slave that stops in order tells its master, so that no send waits for it; completed soon. */
    CompletableFuture<?> leave() {
        return slave == null ? CompletableFuture.completedFuture(Boolean.TRUE) : slave.leave();
    }

    /** Whether no slave in sync lacks anything of the log, or does not know that it is confirmed. Any thread. */
    boolean areSlavesLevel() {
        return master == null || master.areSlavesLevel();
    }

    /** Ends all connections of replication; before the store is closed. */
    @Override
    public void close() {
        if (slave != null) {
            slave.close();
        }
        if (master != null) {
            master.close();
        }
    }
}
