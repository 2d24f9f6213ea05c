package dev.perigee.broker;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.BrokerRole;
import dev.perigee.broker.config.ReplicationSettings;
import dev.perigee.broker.fact.ReadGate;
import dev.perigee.broker.offset.KeptOffsets;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.offset.OffsetsOfSlaves;
import dev.perigee.broker.offset.OffsetsUpstream;
import dev.perigee.broker.registration.Members;
import dev.perigee.broker.registration.PeerEnds;
import dev.perigee.broker.registration.RegistrationDuty.MasterSearch;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.ConnectionLimits;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.address.AddressSettings;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.NodeId;
import dev.perigee.replica.OldLog;
import dev.perigee.replica.ReplicaIdentity;
import dev.perigee.replica.Standing;
import dev.perigee.replica.feed.CommitLogSource;
import dev.perigee.replica.feed.FeedServer;
import dev.perigee.replica.feed.RangeReader;
import dev.perigee.replica.follow.Confirmed;
import dev.perigee.replica.follow.ConfirmedDuty;
import dev.perigee.replica.follow.ConfirmedFile;
import dev.perigee.replica.follow.ConfirmedKeeper;
import dev.perigee.replica.follow.MasterAddress;
import dev.perigee.replica.follow.MasterLink;
import dev.perigee.replica.follow.ReplicaLog;
import dev.perigee.replica.follow.Restoring;
import dev.perigee.replica.follow.SlaveReplication;
import dev.perigee.replica.follow.SlaveStanding;
import dev.perigee.replica.repair.OpenLogRepair;
import dev.perigee.replica.repair.PeerRange;
import dev.perigee.replica.repair.RangeRepair;
import dev.perigee.replica.sync.InSyncDuty;
import dev.perigee.replica.sync.MasterReplication;
import dev.perigee.replica.sync.MasterStanding;
import dev.perigee.replica.sync.ReplicaSlot;
import dev.perigee.replica.sync.ReplicaSlots;
import dev.perigee.replica.sync.ReplicationRules;
import dev.perigee.store.Store;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.Replication;
import dev.perigee.store.append.SoloReplication;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.recovery.RecoveryReport;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A broker's part in replication, by its role: what confirms, who is fed, whom it follows. Wiring only. */
@OwnedBy("starting thread")
final class BrokerReplication implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerReplication.class);

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
    private @Nullable ReplicaLog replicaLog;
    private @Nullable RangeReader ranges;
    private @Nullable Restoring restoring;
    private @Nullable MasterAddress masterAddress;
    private Standing standing = Standing.ALONE;
    private @Nullable MasterStart masterStart;
    private @Nullable OpenLogRepair repair;
    private @Nullable RemotingClient client;
    private @Nullable Store store;
    private volatile Consumer<Throwable> mustStop = why -> {};

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
     * @throws IOException when the folder cannot be read, or a log that is too old cannot be set aside
     */
    static BrokerReplication of(BrokerConfig config, Clock clock, BrokerSeams seams, FlushMode flushMode)
            throws IOException {
        ReplicationSettings settings = config.replication();
        if (settings.role() == BrokerRole.SLAVE) {
            OldLog.setAside(seams.disk(), Restoring.FILE);
        }
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

    /** This broker's place among those of its name; once it is connected. */
    Standing standing() {
        return standing;
    }

    /**
     * Opens the store; where its log is damaged, after that was mended with what another broker of the name holds. Blocks, while those
     * that are asked do not answer. In a simulation, where nothing may block, nothing is mended.
     *
     * @throws IOException whatever opening fails of
     */
    Store open(BrokerIdentity identity, RemotingClient client, RangeRepair.Opening<Store> opening) throws IOException {
        this.client = client;
        if (!settings.on() || !seams.threads()) {
            return opening.open();
        }
        return new RangeRepair(seams.disk(), new PeerRange(client, () -> peers(identity, client), clock)).open(opening);
    }

    /**
     * R11: whoever becomes a master begins with the most advanced log of those that can be reached, whether its own names them or not. Asks
     * only where this node was a slave before, and not in a simulation. Blocks.
     */
    private List<Long> farther(BrokerIdentity identity) {
        RemotingClient asking = client;
        Store opened = store;
        if (asking == null || opened == null || !opened.recovery().followed() || !seams.threads()) {
            return List.of();
        }
        Members members = new Members(asking, clock);
        return new PeerEnds(members)
                .farther(
                        members.of(
                                        identity.cluster(),
                                        identity.name(),
                                        config.registration().nameServers())
                                .values(),
                        identity.address(),
                        Long.toHexString(opened.log().logId()),
                        opened.log().endOffset());
    }

    /** Where others of the name may be asked for what is damaged here. Blocks. */
    private Collection<String> peers(BrokerIdentity identity, RemotingClient client) {
        Set<String> peers = new TreeSet<>(AddressSettings.list(settings.masterAddress()));
        new Members(client, clock)
                .of(identity.cluster(), identity.name(), config.registration().nameServers())
                .values()
                .forEach(known -> peers.addAll(known.values()));
        try {
            peers.add(MasterAddress.read(
                    seams.disk())); // its port of clients may be closed, for it waits for this very slave
        } catch (IOException e) {
            LOG.warn("event=master_address_unreadable", e);
        }
        peers.removeAll(List.of(identity.address(), ""));
        return peers;
    }

    /** Answers who mends a log with what this one holds; empty where nothing is replicated. Once it is connected. */
    Optional<RangeReader> ranges() {
        return Optional.ofNullable(ranges);
    }

    /** Connections to those that may hold what is damaged here. */
    private Collection<Connection> others() {
        FeedServer feeding = feeds;
        MasterLink following = link;
        return feeding != null
                ? feeding.connections()
                : following != null ? following.connection().stream().toList() : List.of();
    }

    /** Told where a reader met damage; once it is connected. A broker alone can only say so. */
    LongConsumer onDamage() {
        OpenLogRepair repairing = repair;
        return repairing != null ? repairing : OpenLogRepair::reportOnly;
    }

    private ReplicaIdentity self(BrokerIdentity identity) throws IOException {
        return new ReplicaIdentity(
                identity.cluster(), identity.name(), identity.id(), NodeId.of(seams.disk(), seams.random()));
    }

    /** What tools are told of it; once it is connected. Any thread. */
    HaStatus status(CommitLog log) {
        MasterLink following = link;
        if (following != null) {
            return new HaStatus(
                    false,
                    0,
                    0,
                    List.of(),
                    following.state(),
                    settings.role().name(),
                    log.confirmOffset(),
                    null,
                    name(log));
        }
        long end = log.endOffset();
        List<InSyncMember> inSync = replication instanceof MasterReplication master ? master.inSync() : List.of();
        FeedServer feeding = feeds;
        List<HaStatus.SlaveState> slaves = new ArrayList<>();
        if (feeding != null) {
            feeding.connected()
                    .forEach((slot, from) ->
                            slaves.add(state(feeding, slot, from, end, inSync.contains(slot.member()))));
        }
        return new HaStatus(
                true,
                end,
                inSync.size(),
                slaves,
                HaStatus.FollowState.NONE,
                settings.role().name(),
                log.confirmOffset(),
                inSync.stream().map(InSyncMember::brokerId).toList(),
                name(log));
    }

    /** Which log it is, in which epoch. Any thread. */
    static HaStatus.LogName name(CommitLog log) {
        return new HaStatus.LogName(Long.toHexString(log.logId()), log.epoch());
    }

    private HaStatus.SlaveState state(
            FeedServer feeding, ReplicaSlot slot, String from, long logEndOffset, boolean inSync) {
        long held = Math.max(0, slot.heldOffset());
        return new HaStatus.SlaveState(
                from,
                held,
                Math.max(0, logEndOffset - held),
                inSync,
                slot.bytesPerSec(clock.monotonicMs()),
                held,
                slot.member().brokerId(),
                feeding.lagMs(slot));
    }

    /** What it appends on the view loop; the store is open. */
    List<Duty> duties(Store store) {
        return replication instanceof MasterReplication master
                ? List.of(new InSyncDuty(master, store.facts()), new ConfirmedDuty(keeper(store)))
                : List.of();
    }

    private ConfirmedKeeper keeper(Store store) {
        return new ConfirmedKeeper(seams.disk(), store.log(), Confirmed.NOTHING, store::background);
    }

    /**
     * Of a slave: what hands up the offsets that are committed to it, with those that were kept. Blocks; the views are level, and
     * the loops do not run.
     *
     * @throws IOException when those cannot be read
     */
    Optional<OffsetsUpstream> offsetsUpstream(OffsetCommits commits, OffsetView view, Store store) throws IOException {
        MasterLink following = link;
        if (following == null) {
            return Optional.empty();
        }
        KeptOffsets file = new KeptOffsets(seams.disk());
        OffsetsUpstream upstream = new OffsetsUpstream(
                commits,
                new OffsetsUpstream.Parts(
                        () -> following.hasShown(store.viewLoop().appliedOffset()),
                        following::passUp,
                        file,
                        store.log(),
                        store::background,
                        store::wakeViews));
        file.goOn(commits, store.log());
        view.onLoss(upstream);
        return Optional.of(upstream);
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
        Restoring watched = restoring;
        ReplicaLog kept = replicaLog;
        return watched == null || kept == null ? List.of() : List.of(watched, kept.keeping());
    }

    /** Where a slave begins to look for its master: by its settings, else where it was last. Blocks. */
    private String knownMaster() throws IOException {
        return settings.masterAddress().isEmpty() ? MasterAddress.read(seams.disk()) : settings.masterAddress();
    }

    /** A master that waits for its slaves says where it is; of use to a slave whose settings do not. Any thread. */
    void masterWaitsAt(String haAddress) {
        MasterLink following = link;
        if (following != null && settings.masterAddress().isEmpty()) {
            following.masterWaitsAt(haAddress);
        }
    }

    /** How a slave finds its master where its settings do not say, and what comes of it. */
    MasterSearch search() {
        MasterLink following = link;
        MasterAddress kept = masterAddress;
        if (following == null) {
            return MasterSearch.NONE;
        }
        boolean searches = settings.masterAddress().isEmpty();
        Standing self = standing;
        return new MasterSearch() {
            @Override
            public boolean isWanted() {
                return searches && !following.isFollowing();
            }

            @Override
            public boolean isTurnedAway() {
                return following.isTurnedAway();
            }

            @Override
            public boolean mayBeRead() {
                return self.notYet().isEmpty();
            }

            @Override
            public void foundAt(String haAddress) {
                if (searches) {
                    following.masterAt(haAddress);
                    if (kept != null) {
                        kept.keep(haAddress);
                    }
                }
            }
        };
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
        }
        if (!settings.on()) {
            requireOwn(store.recovery());
            return;
        }
        this.store = store;
        ReplicaIdentity self = self(identity);
        RangeReader rangeReader =
                new RangeReader(new LogFacts(self, store.log()), new CommitLogSource(store.log()), store.coldReaders());
        OpenLogRepair repairing = new OpenLogRepair(
                store.log(), store::mend, this::others, seams.transport().loop(0), clock);
        rangeReader.onDamage(repairing);
        ranges = rangeReader;
        repair = repairing;
        if (replication instanceof MasterReplication master) {
            slots.keep(master::awaited);
            slots.onHeld(slot -> lookAt(slot, master, store));
            LogFacts facts = new LogFacts(self, store.log());
            FeedServer made = new FeedServer(
                    facts,
                    new CommitLogSource(store.log()),
                    slots,
                    seams.transport(),
                    store.coldReaders(),
                    clock,
                    settings.catchUpBytesPerSec());
            master.onChange(made::logGrew, store::wakeViews);
            made.onDamage(repairing);
            feeds = made;
            standing = new MasterStanding(master, settings.slaveRead());
            MasterStart starting = new MasterStart(
                    master,
                    store,
                    facts,
                    MasterStart.terms(
                            settings,
                            store.recovery(),
                            ConfirmedFile.confirmedIn(seams.disk()),
                            facts.isEmpty() && seams.threads()), // the scenes of a simulation begin at once
                    keeper(store),
                    seams.transport().loop(0),
                    clock);
            made.whileStarting(starting::hello);
            masterStart = starting;
        } else if (replication instanceof SlaveReplication slave) {
            connectSlave(slave, self, store, rangeReader);
        }
    }

    private void connectSlave(SlaveReplication slave, ReplicaIdentity self, Store store, RangeReader rangeReader)
            throws IOException {
        ReplicaLog written =
                new ReplicaLog(self, store.log(), store.received(), slave, seams.disk(), store::background);
        written.recall();
        Restoring watched = Restoring.of(
                seams.disk(),
                store.log(),
                store.recovery().mayHaveLostTail() || written.endsBeforeConfirmed(),
                store.viewLoop()::appliedOffset,
                store::background);
        written.restoring(watched);
        written.onTooOld(why -> mustStop.accept(why));
        MasterLink following = new MasterLink(
                knownMaster(),
                written,
                seams.transport(),
                ClientConfig.DEFAULT.withTls(config.network().clientTls()),
                clock,
                seams.random());
        watched.onOver(() -> {
            store.restored();
            following.restored();
        });
        following.answerRanges(rangeReader);
        link = following;
        restoring = watched;
        replicaLog = written;
        masterAddress = new MasterAddress(seams.disk(), store::background);
        standing = new SlaveStanding(self.brokerId(), following, watched, settings.slaveRead());
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

    /** What a replica in sync holds may confirm something, which is done at once; another one may have to be taken into the set, or out of it. */
    private static void lookAt(ReplicaSlot slot, MasterReplication master, Store store) {
        if (master.awaits(slot.member()) && !slot.isLeaving()) {
            store.runLog();
        } else {
            store.wakeLog();
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
        FeedServer feeding = feeds;
        if (feeding != null) {
            RemotingServer port = new RemotingServer(
                    ServerConfig.of(config.clientPort().host(), identity.haPort())
                            .withTls(config.network().tls())
                            .withLimits(ConnectionLimits.DEFAULT.withWaterMarks(LOW_WATER_BYTES, HIGH_WATER_BYTES)),
                    feeding.handlers(new OffsetsOfSlaves(commits, gate, this::handedUp)),
                    seams.transport(),
                    clock);
            server = port;
            port.start();
        }
        MasterStart starting = masterStart;
        if (starting != null) {
            starting.begin(farther(identity), onWait, onFailure);
        }
        MasterLink following = link;
        if (following != null) {
            following.start();
        }
    }

    private void handedUp(Connection from) {
        MasterStart starting = masterStart;
        if (starting != null) {
            starting.handedUp(from);
        }
    }

    /** Whether this is a master that may have to wait for its replicas. */
    boolean startsAsMaster() {
        return masterStart != null;
    }

    /**
     * Whether clients may be served and duties decide: a master has asked the replicas its log names, and what its log held then is
     * confirmed, by them or a smaller set in sync, and in the views. Any thread.
     */
    boolean mayServe() {
        MasterStart starting = masterStart;
        return starting == null || starting.isOver();
    }

    /** A slave that stops in order tells its master, so that no send waits for it; completed soon. */
    CompletableFuture<?> leave() {
        MasterLink following = link;
        return following == null ? CompletableFuture.completedFuture(Boolean.TRUE) : following.leave();
    }

    /** Whether no slave in sync lacks anything of the log, or does not know that it is confirmed. Any thread. */
    boolean areSlavesLevel() {
        FeedServer feeding = feeds;
        return feeding == null
                || !(replication instanceof MasterReplication master)
                || feeding.areLevel(master::awaits);
    }

    /** Ends all connections of replication; before the store is closed. */
    @Override
    public void close() {
        MasterLink following = link;
        if (following != null) {
            following.close();
        }
        FeedServer feeding = feeds;
        RemotingServer port = server;
        if (feeding != null && !areSlavesLevel()) {
            feeding.close("the master is stopping");
        }
        if (port != null) {
            port.close(); // what was said last is still sent
        }
    }
}
