package dev.perigee.broker.transaction;

import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.ReadGate;
import dev.perigee.broker.fact.WaitingRequests;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.timer.DueTimes;
import dev.perigee.broker.transaction.producer.CheckTargets;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.remoting.transport.FaultLog;
import dev.perigee.store.Store;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.view.Duty;
import java.util.function.Predicate;

/** All that acts on transactions, wired together: deciding, checking, and what tools ask. One per broker. */
@OwnedBy("view loop")
public final class Transactions implements Duty {
    private final TransactionView view;
    private final TransactionDesk desk;
    private final TransactionCheckDuty checks;
    private final EndTransactionHandler end;
    private final HalfHandlers tools;

    /**
     * What it works with.
     *
     * @param identity who asks producers
     * @param view which halves are undecided
     * @param topics which topics there are
     * @param clients which producers are connected
     * @param frames reads halves
     * @param store where halves lie
     * @param sink takes what is decided
     * @param times when halves are checked
     * @param due when committed messages are due that wait
     * @param stats counts
     * @param clock measures pauses
     */
    public record Parts(
            BrokerIdentity identity,
            TransactionView view,
            TopicView topics,
            ClientRegistry clients,
            FrameLookup frames,
            Store store,
            FactSink sink,
            HalfTimes times,
            DueTimes due,
            BrokerStats stats,
            Clock clock) {}

    /**
     * How it waits.
     *
     * @param desk goes on when facts are applied
     * @param gate lets questions wait for the views
     * @param waiting the limit of requests that wait
     * @param background runs what may wait for the disk elsewhere; false when too much waits there
     */
    public record Waiting(FactDesk desk, ReadGate gate, WaitingRequests waiting, Predicate<Runnable> background) {}

    public Transactions(Parts parts, Waiting waiting) {
        Store store = parts.store();
        this.view = parts.view();
        CheckTargets targets = new CheckTargets();
        FaultLog faults = new FaultLog("halves", parts.clock());
        this.desk = new TransactionDesk(new TransactionDesk.Parts(
                parts.view(),
                parts.topics(),
                parts.frames(),
                parts.sink(),
                waiting.background(),
                parts.times(),
                parts.due(),
                parts.stats(),
                store::diskSpace,
                waiting.desk()::wake));
        this.checks = new TransactionCheckDuty(new TransactionCheckDuty.Parts(
                parts.view(),
                parts.clients()::producers,
                store.log(),
                parts.frames(),
                parts.sink(),
                waiting.desk(),
                waiting.background(),
                parts.times(),
                targets,
                parts.identity(),
                parts.stats(),
                faults,
                parts.clock(),
                waiting.desk()::wake));
        this.end = new EndTransactionHandler(desk, targets, store.log(), waiting.gate(), waiting.waiting());
        this.tools = new HalfHandlers(
                parts.view(), parts.frames(), parts.sink(), parts.times(), waiting.gate(), store.coldReaders(), faults);
    }

    /** What answers 37. */
    public RequestHandler<EndTransactionHeader, NoHeader> end() {
        return end;
    }

    /** What answers the questions of tools. */
    public HalfHandlers tools() {
        return tools;
    }

    /** Another broker was the master meanwhile: ends every claim of before, and what is heard of them later. On the view loop. */
    public void beginAnew() {
        view.endClaims();
        checks.drain();
        desk.begin();
    }

    /** Another broker is to be the master: who waits for a decision is told so. On the view loop. */
    public void masterNoMore() {
        desk.end();
    }

    @Override
    public int doWork(long nowMs) {
        return desk.doWork(nowMs) + checks.doWork(nowMs);
    }

    @Override
    public long nextDeadlineMs() {
        return Math.min(desk.nextDeadlineMs(), checks.nextDeadlineMs());
    }
}
