package dev.perigee.broker;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerRole;
import dev.perigee.broker.config.ReplicationSettings;
import dev.perigee.broker.offset.OffsetsOfSlaves;
import dev.perigee.broker.start.MasterStart;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.ReplicaIdentity;
import dev.perigee.replica.Standing;
import dev.perigee.replica.feed.CommitLogSource;
import dev.perigee.replica.feed.FeedServer;
import dev.perigee.replica.follow.Confirmed;
import dev.perigee.replica.follow.ConfirmedDuty;
import dev.perigee.replica.follow.ConfirmedFile;
import dev.perigee.replica.follow.ConfirmedKeeper;
import dev.perigee.replica.repair.OpenLogRepair;
import dev.perigee.replica.sync.InSyncDuty;
import dev.perigee.replica.sync.MasterReplication;
import dev.perigee.replica.sync.MasterStanding;
import dev.perigee.replica.sync.ReplicaSlot;
import dev.perigee.replica.sync.ReplicaSlots;
import dev.perigee.replica.sync.ReplicationRules;
import dev.perigee.store.Store;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What replication is on a master: slaves are fed, and the log begins when they were asked. Wiring only. */
@OwnedBy("starting thread")
final class MasterPart implements ReplicationPart {
    private final BrokerConfig config;
    private final Clock clock;
    private final BrokerSeams seams;
    private final Store store;
    private final MasterReplication master;
    private final FeedServer feeds;
    private final MasterStart start;
    private @Nullable RemotingServer port;

    /**
     * Of an open store, before its loops run. Blocks.
     *
     * @throws IOException when what was confirmed once cannot be read
     */
    MasterPart(
            BrokerConfig config,
            Clock clock,
            BrokerSeams seams,
            Store store,
            ReplicaIdentity self,
            MasterReplication master,
            ReplicaSlots slots)
            throws IOException {
        this.config = config;
        this.clock = clock;
        this.seams = seams;
        this.store = store;
        this.master = master;
        ReplicationSettings settings = config.replication();
        LogFacts facts = new LogFacts(self, store.log());
        slots.keep(master::awaited);
        slots.onHeld(this::lookAt);
        feeds = new FeedServer(
                facts,
                new CommitLogSource(store.log()),
                slots,
                seams.transport(),
                store.coldReaders(),
                clock,
                settings.catchUpBytesPerSec());
        master.onChange(feeds::logGrew, store::wakeViews);
        start = new MasterStart(
                master,
                store,
                facts,
                MasterStart.terms(
                        settings,
                        store.recovery(),
                        ConfirmedFile.confirmedIn(seams.disk()),
                        facts.isEmpty() && seams.threads()), // the scenes of a simulation begin at once
                keeper(),
                seams.transport().loop(0),
                clock);
        feeds.whileStarting(start::hello);
    }

    /** What confirms on a master of these settings. Blocks. */
    static MasterReplication replication(
            ReplicationSettings settings, BrokerSeams seams, FlushMode flushMode, ReplicaSlots slots)
            throws IOException {
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

    /** Told where a feed meets damage. */
    void onDamage(OpenLogRepair repair) {
        feeds.onDamage(repair);
    }

    @Override
    public Standing standing() {
        return new MasterStanding(master, config.replication().slaveRead());
    }

    /** Connections to slaves, which may hold what is damaged here. */
    @Override
    public Collection<Connection> others() {
        return feeds.connections();
    }

    /** What tools are told of it. Any thread. */
    @Override
    public HaStatus status() {
        CommitLog log = store.log();
        long end = log.endOffset();
        List<InSyncMember> inSync = master.inSync();
        List<HaStatus.SlaveState> slaves = new ArrayList<>();
        feeds.connected().forEach((slot, from) -> slaves.add(state(slot, from, end, inSync.contains(slot.member()))));
        return new HaStatus(
                true,
                end,
                inSync.size(),
                slaves,
                HaStatus.FollowState.NONE,
                config.replication().role().name(),
                log.confirmOffset(),
                inSync.stream().map(InSyncMember::brokerId).toList(),
                BrokerReplication.name(log));
    }

    private HaStatus.SlaveState state(ReplicaSlot slot, String from, long logEndOffset, boolean inSync) {
        long held = Math.max(0, slot.heldOffset());
        return new HaStatus.SlaveState(
                from,
                held,
                Math.max(0, logEndOffset - held),
                inSync,
                slot.bytesPerSec(clock.monotonicMs()),
                held,
                slot.member().brokerId(),
                feeds.lagMs(slot));
    }

    /** What it appends on the view loop. */
    @Override
    public List<Duty> duties() {
        return List.of(new InSyncDuty(master, store.facts()), new ConfirmedDuty(keeper()));
    }

    private ConfirmedKeeper keeper() {
        return new ConfirmedKeeper(seams.disk(), store.log(), Confirmed.NOTHING, store::background);
    }

    /** What a replica in sync holds may confirm something, which is done at once; another one may have to be taken into the set, or out of it. */
    private void lookAt(ReplicaSlot slot) {
        if (master.awaits(slot.member()) && !slot.isLeaving()) {
            store.runLog();
        } else {
            store.wakeLog();
        }
    }

    @Override
    public void start(Begun begun) throws RemotingException {
        RemotingServer made = new RemotingServer(
                ReplicationPart.port(
                        config, config.clientPort().host(), begun.identity().haPort()),
                feeds.handlers(new OffsetsOfSlaves(begun.commits(), begun.gate(), start::handedUp, start::isOver)),
                seams.transport(),
                clock);
        port = made;
        made.start();
        start.begin(begun.farther().get(), begun.onWait(), begun.onFailure());
    }

    @Override
    public boolean startsAsMaster() {
        return true;
    }

    /** Whether it may serve, see {@link MasterStart#isOver}. Any thread. */
    @Override
    public boolean mayServe() {
        return start.isOver();
    }

    /** Whether no slave in sync lacks anything of the log, or does not know that it is confirmed. Any thread. */
    @Override
    public boolean areSlavesLevel() {
        return feeds.areLevel(master::awaits);
    }

    @Override
    public void close() {
        if (!areSlavesLevel()) {
            feeds.close("the master is stopping");
        }
        RemotingServer opened = port;
        if (opened != null) {
            opened.close(); // what was said last is still sent
        }
    }
}
