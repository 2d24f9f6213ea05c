package dev.perigee.broker;

import dev.perigee.broker.config.BrokerRole;
import dev.perigee.broker.config.ReplicationSettings;
import dev.perigee.broker.replica.LogFacts;
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
import java.util.Optional;
import java.util.function.Consumer;

/**
 * From the open log of a master to the moment when it may serve: the replicas that the log names are asked for what they have
 * beyond it, the epoch begins, and what the log held until then is confirmed or given up, and in the views.
 */
@ThreadSafe
final class MasterStart {
    private final MasterReplication master;
    private final Store store;
    private final TailTakeover takeover;
    private volatile Consumer<String> onWait = line -> {};

    private MasterStart(
            MasterReplication master, Store store, LogFacts facts, Terms terms, LoopExecutor loop, Clock clock) {
        this.master = master;
        this.store = store;
        this.takeover = new TailTakeover(facts, store.log(), store.received(), terms, loop, clock, new Progress());
    }

    /** Of an open store, before its loops run; where the log names nobody, nobody is asked. */
    static MasterStart of(
            MasterReplication master,
            Store store,
            LogFacts facts,
            ReplicationSettings settings,
            LoopExecutor loop,
            Clock clock) {
        boolean insists = settings.role() == BrokerRole.SYNC_MASTER && !settings.acceptLoss();
        Terms terms = new Terms(
                insists ? Patience.ALL_MUST_COME : Patience.WHO_COMES,
                store.recovery().mayHaveLostTail());
        return new MasterStart(master, store, facts, terms, loop, clock);
    }

    /** Begins to ask; the store's loops run or are stepped, and the replication port is open. */
    void begin(Consumer<String> waitListener) {
        onWait = waitListener;
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

    private final class Progress implements TailTakeover.Listener {
        @Override
        public void waits(String line) {
            onWait.accept(line);
        }

        @Override
        public void whole(Optional<ReplicaSet> named, long endOffset) {
            master.begin(named);
            store.wakeLog();
        }
    }
}
