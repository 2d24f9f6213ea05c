package dev.perigee.broker.start;

import dev.perigee.broker.config.BrokerRole;
import dev.perigee.broker.config.ReplicationSettings;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.follow.Confirmed;
import dev.perigee.replica.follow.ConfirmedKeeper;
import dev.perigee.replica.sync.MasterReplication;
import dev.perigee.replica.takeover.TailTakeover;
import dev.perigee.replica.takeover.TailTakeover.Patience;
import dev.perigee.replica.takeover.TailTakeover.Terms;
import dev.perigee.store.Store;
import dev.perigee.store.epoch.ReplicaSet;
import dev.perigee.store.recovery.RecoveryReport;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * From the open log of a master to the moment when it may serve: the replicas that the log names are asked for what they have
 * beyond it, the epoch begins, and what the log held until then is confirmed or given up, and in the views.
 */
@ThreadSafe
public final class MasterStart {
    /** So long after its epoch began, at most, the replicas it asked may take to hand up what consumers committed to them. */
    static final long OFFSETS_MS = 3_000;

    private static final long RETRY_MS = 100;

    private final MasterReplication master;
    private final Store store;
    private final Terms terms;
    private final ConfirmedKeeper confirmed;
    private final LoopExecutor loop;
    private final TailTakeover takeover;
    private volatile Consumer<String> onWait = line -> {};
    private volatile Consumer<Throwable> onFailure = cause -> {};
    private final Clock clock;
    /** Of replicas that said hello before the epoch began and have not handed up yet. */
    private final Set<Connection> kept = ConcurrentHashMap.newKeySet();

    private final AtomicLong begunMs = new AtomicLong(Long.MAX_VALUE);

    /**
     * Of an open store, before its loops run; where the log names nobody, nobody is asked.
     *
     * @param confirmed keeps less than it did before this node writes in place of what it lost
     */
    public MasterStart(
            MasterReplication master,
            Store store,
            LogFacts facts,
            Terms terms,
            ConfirmedKeeper confirmed,
            LoopExecutor loop,
            Clock clock) {
        this.master = master;
        this.store = store;
        this.terms = terms;
        this.confirmed = confirmed;
        this.loop = loop;
        this.clock = clock;
        this.takeover = new TailTakeover(facts, store.log(), store.received(), terms, loop, clock, new Progress());
    }

    /**
     * For whom a master of these settings waits. One that was a slave when its log was written last insists whatever its role is now: what
     * its former master acknowledged may be with another slave alone (R11).
     *
     * @param beginsLog whether this node has no log, so that its disk may have been emptied (R6)
     */
    public static Terms terms(ReplicationSettings settings, RecoveryReport found, Confirmed known, boolean beginsLog) {
        boolean insists = (settings.role() == BrokerRole.SYNC_MASTER || found.followed()) && !settings.acceptLoss();
        return new Terms(
                insists ? Patience.ALL_MUST_COME : Patience.WHO_COMES,
                found.mayHaveLostTail() || found.followed(),
                found.isRestoring(),
                known.offset(),
                settings.acceptLoss(),
                found.followed(),
                beginsLog && !settings.acceptLoss());
    }

    /**
     * Begins to ask; the store's loops run or are stepped, and the replication port is open.
     *
     * @param farther ids of brokers of this name that say that they have more than this log
     * @param failure told when this node cannot begin its epoch
     */
    public void begin(List<Long> farther, Consumer<String> waitListener, Consumer<Throwable> failure) {
        onWait = waitListener;
        onFailure = failure;
        takeover.expect(farther);
        takeover.begin();
    }

    /** A replica said hello before the epoch has begun. */
    public void hello(Connection connection, HelloHeader hello) {
        kept.add(connection);
        takeover.hello(connection, hello);
    }

    /** A replica handed up all that consumers committed to it. */
    public void handedUp(Connection connection) {
        kept.remove(connection);
    }

    /**
     * Whether clients may be served, and duties decide: the views show all that the log held at the start (R31), and the replicas that were
     * asked have handed up the offsets that consumers committed to them, so that nobody who was there goes back (R27); for those they have
     * {@link #OFFSETS_MS}.
     */
    public boolean isOver() {
        return store.hasOwnEpoch() && hasOffsets();
    }

    private boolean hasOffsets() {
        kept.removeIf(connection -> !connection.isOpen());
        if (kept.isEmpty()) {
            return true;
        }
        long nowMs = clock.monotonicMs();
        begunMs.compareAndSet(Long.MAX_VALUE, nowMs);
        return nowMs - begunMs.get() >= OFFSETS_MS;
    }

    private void beginWith(Optional<ReplicaSet> named, boolean givesUp, int epoch) {
        master.begin(named, givesUp, epoch);
        store.wakeLog();
    }

    /** What comes in place of what was confirmed and is lost is not confirmed: the kept offset falls, durably, before it is written. */
    private void forgetAndBegin(Optional<ReplicaSet> named, boolean givesUp, int epoch) {
        boolean taken = store.background(() -> {
            try {
                confirmed.keepHere();
                beginWith(named, givesUp, epoch);
            } catch (IOException e) {
                onFailure.accept(new IOException("the confirm offset cannot be kept, and so no epoch can be begun", e));
            }
            return false;
        });
        if (!taken) {
            loop.schedule(RETRY_MS, () -> forgetAndBegin(named, givesUp, epoch));
        }
    }

    private final class Progress implements TailTakeover.Listener {
        @Override
        public void waits(String line) {
            onWait.accept(line);
        }

        @Override
        public void whole(Optional<ReplicaSet> named, long endOffset, boolean givesUp, int epoch) {
            if (terms.knownConfirmed() <= endOffset) {
                beginWith(named, givesUp, epoch);
            } else {
                forgetAndBegin(named, givesUp, epoch);
            }
        }
    }
}
