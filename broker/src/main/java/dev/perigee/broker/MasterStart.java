package dev.perigee.broker;

import dev.perigee.broker.config.BrokerRole;
import dev.perigee.broker.config.ReplicationSettings;
import dev.perigee.broker.replica.LogFacts;
import dev.perigee.broker.replica.follow.Confirmed;
import dev.perigee.broker.replica.follow.ConfirmedKeeper;
import dev.perigee.broker.replica.follow.TailTakeover;
import dev.perigee.broker.replica.follow.TailTakeover.Patience;
import dev.perigee.broker.replica.follow.TailTakeover.Terms;
import dev.perigee.broker.replica.sync.MasterReplication;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.store.Store;
import dev.perigee.store.epoch.ReplicaSet;
import dev.perigee.store.recovery.RecoveryReport;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From the open log of a master to the moment when it may serve: the replicas that the log names are asked for what they have
 * beyond it, the epoch begins, and what the log held until then is confirmed or given up, and in the views.
 */
@ThreadSafe
final class MasterStart {
    private static final long RETRY_MS = 100;
    private static final Logger LOG = LoggerFactory.getLogger(MasterStart.class);

    private final MasterReplication master;
    private final Store store;
    private final Terms terms;
    private final ConfirmedKeeper confirmed;
    private final LoopExecutor loop;
    private final TailTakeover takeover;
    private volatile Consumer<String> onWait = line -> {};

    /**
     * Of an open store, before its loops run; where the log names nobody, nobody is asked.
     *
     * @param confirmed keeps less than it did before this node writes in place of what it lost
     */
    MasterStart(
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
        this.takeover = new TailTakeover(facts, store.log(), store.received(), terms, loop, clock, new Progress());
    }

    /**
     * For whom a master of these settings waits. One that was a slave when its log was written last insists whatever its role is now: what
     * its former master acknowledged may be with another slave alone (R11).
     */
    static Terms terms(ReplicationSettings settings, RecoveryReport found, Confirmed known) {
        boolean insists = (settings.role() == BrokerRole.SYNC_MASTER || found.followed()) && !settings.acceptLoss();
        return new Terms(
                insists ? Patience.ALL_MUST_COME : Patience.WHO_COMES,
                found.mayHaveLostTail() || found.followed(),
                found.isRestoring(),
                known.offset(),
                settings.acceptLoss());
    }

    /**
     * Begins to ask; the store's loops run or are stepped, and the replication port is open.
     *
     * @param farther ids of brokers of this name that say that they have more than this log
     */
    void begin(List<Long> farther, Consumer<String> waitListener) {
        onWait = waitListener;
        takeover.expect(farther);
        takeover.begin();
    }

    /** A replica said hello before the epoch has begun. */
    void hello(Connection connection, HelloHeader hello) {
        takeover.hello(connection, hello);
    }

    /** Whether clients may be served, and duties decide: the views show all that the log held at the start (R31). */
    boolean isOver() {
        return store.hasOwnEpoch();
    }

    private void beginWith(Optional<ReplicaSet> named) {
        master.begin(named);
        store.wakeLog();
    }

    /** What comes in place of what was confirmed and is lost is not confirmed: the kept offset falls, durably, before it is written. */
    private void forgetAndBegin(Optional<ReplicaSet> named) {
        boolean taken = store.background(() -> {
            try {
                confirmed.keepHere();
                beginWith(named);
            } catch (IOException e) {
                LOG.error("event=master_not_begun reason=\"the confirm offset cannot be kept\"", e);
            }
            return false;
        });
        if (!taken) {
            loop.schedule(RETRY_MS, () -> forgetAndBegin(named));
        }
    }

    private final class Progress implements TailTakeover.Listener {
        @Override
        public void waits(String line) {
            onWait.accept(line);
        }

        @Override
        public void whole(Optional<ReplicaSet> named, long endOffset) {
            if (terms.knownConfirmed() <= endOffset) {
                beginWith(named);
            } else {
                forgetAndBegin(named);
            }
        }
    }
}
