package dev.perigee.broker;

import dev.perigee.broker.check.SlaveGate;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.offset.KeptOffsets;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.offset.OffsetsUpstream;
import dev.perigee.broker.registration.RefillWantedException;
import dev.perigee.broker.registration.RegistrationDuty.MasterSearch;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.Gate;
import dev.perigee.replica.ReplicaIdentity;
import dev.perigee.replica.Standing;
import dev.perigee.replica.feed.RangeReader;
import dev.perigee.replica.follow.MasterAddress;
import dev.perigee.replica.follow.MasterLink;
import dev.perigee.replica.follow.ReplicaLog;
import dev.perigee.replica.follow.Restoring;
import dev.perigee.replica.follow.SlaveReplication;
import dev.perigee.replica.follow.SlaveStanding;
import dev.perigee.store.Store;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What replication is on a slave: its master is looked for and followed. Wiring only. */
@OwnedBy("starting thread")
final class SlavePart implements ReplicationPart {
    private final BrokerConfig config;
    private final BrokerSeams seams;
    private final Store store;
    private final ReplicaLog written;
    private final Restoring restoring;
    private final MasterLink link;
    private final MasterAddress masterAddress;
    private final Standing standing;

    /**
     * Of an open store, before its loops run. Blocks.
     *
     * @param ranges answers a master whose log is damaged
     * @throws IOException when what a slave keeps cannot be read
     */
    SlavePart(
            BrokerConfig config,
            Clock clock,
            BrokerSeams seams,
            Store store,
            ReplicaIdentity self,
            SlaveReplication slave,
            RangeReader ranges)
            throws IOException {
        this.config = config;
        this.seams = seams;
        this.store = store;
        written = new ReplicaLog(self, store.log(), store.received(), slave, seams.disk(), store::background);
        written.recall(store);
        restoring = Restoring.of(
                seams.disk(),
                store.log(),
                store.recovery().mayHaveLostTail() || written.endsBeforeConfirmed(),
                store.viewLoop()::appliedOffset,
                store::background);
        written.restoring(restoring);
        link = new MasterLink(
                knownMaster(),
                written,
                seams.transport(),
                ClientConfig.DEFAULT.withTls(config.network().clientTls()),
                clock,
                seams.random());
        restoring.onOver(() -> {
            store.restored();
            link.restored();
        });
        link.answerRanges(ranges);
        masterAddress = new MasterAddress(seams.disk(), store::background);
        standing = new SlaveStanding(
                self.brokerId(), link, restoring, config.replication().slaveRead());
    }

    /** Where it begins to look for its master: by its settings, else where it was last. Blocks. */
    private String knownMaster() throws IOException {
        String set = config.replication().masterAddress();
        return set.isEmpty() ? MasterAddress.read(seams.disk()) : set;
    }

    private boolean searches() {
        return config.replication().masterAddress().isEmpty();
    }

    @Override
    public Standing standing() {
        return standing;
    }

    /** The connection to its master, which may hold what is damaged here. */
    @Override
    public Gate gate(BrokerCore core) {
        return new SlaveGate(standing, core.identity, core.admission);
    }

    @Override
    public Collection<Connection> others() {
        return link.connection().stream().toList();
    }

    /** What tools are told of it. Any thread. */
    @Override
    public HaStatus status() {
        CommitLog log = store.log();
        return new HaStatus(
                false,
                0,
                0,
                List.of(),
                link.state(),
                config.replication().role().name(),
                log.confirmOffset(),
                null,
                BrokerReplication.name(log));
    }

    /**
     * What hands up the offsets that are committed to it, with those that were kept. Blocks; the views are level, and the loops do not run.
     *
     * @throws IOException when those cannot be read
     */
    @Override
    public Optional<OffsetsUpstream> offsetsUpstream(OffsetCommits commits, OffsetView view) throws IOException {
        KeptOffsets file = new KeptOffsets(seams.disk());
        OffsetsUpstream upstream = new OffsetsUpstream(
                commits,
                new OffsetsUpstream.Parts(
                        () -> link.hasShown(store.viewLoop().appliedOffset()),
                        link::passUp,
                        file,
                        store.log(),
                        () -> store.viewLoop().appliedOffset(),
                        store::background,
                        store::wakeViews));
        file.goOn(commits, store.log(), view.replayedResets());
        view.onLoss(upstream);
        return Optional.of(upstream);
    }

    /** What it does on the view loop besides. */
    @Override
    public List<Duty> dutiesEverywhere() {
        return List.of(restoring, written.keeping());
    }

    /** A master that waits for its slaves says where it is; of use where the settings do not. Any thread. */
    @Override
    public void masterWaitsAt(String haAddress) {
        if (searches()) {
            link.masterWaitsAt(haAddress);
        }
    }

    /** How it finds its master where its settings do not say, and what comes of it. */
    @Override
    public MasterSearch search() {
        return new MasterSearch() {
            @Override
            public boolean isWanted() {
                return searches() && !link.isFollowing();
            }

            @Override
            public boolean isTurnedAway() {
                return link.isTurnedAway();
            }

            @Override
            public boolean mayBeRead() {
                return standing.notYet().isEmpty();
            }

            @Override
            public void foundAt(String haAddress) {
                if (searches()) {
                    link.masterAt(haAddress);
                    masterAddress.keep(haAddress);
                }
            }
        };
    }

    @Override
    public void start(Begun begun) {
        written.onTooOld(why -> begun.onFailure().accept(new RefillWantedException("slave", why)));
        link.start();
    }

    /** Tells its master that it stops, so that no send waits for it; completed soon. */
    @Override
    public CompletableFuture<?> leave() {
        return link.leave();
    }

    @Override
    public void close() {
        link.close();
    }
}
