package dev.perigee.replica.follow;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.replica.KeptRefusal;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.OldLog;
import dev.perigee.replica.ReplicaIdentity;
import dev.perigee.replica.Speed;
import dev.perigee.replica.feed.CommitLogSource;
import dev.perigee.replica.feed.TailReader;
import dev.perigee.store.Store;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.epoch.LogExtent;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.receive.CutOrder;
import dev.perigee.store.receive.ReceiveInbox;
import dev.perigee.store.receive.ReceiveRefusedException;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a replica as the sessions that write it see it: what it has, up to where it is answered for, and the ways in.
 * Counts what was handed to it and not taken yet, of whichever session: before it is taken, nobody may say where the log ends.
 */
@ThreadSafe
public final class ReplicaLog {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaLog.class);

    private final CommitLog log;
    private final ReceiveInbox inbox;
    private final SlaveReplication replication;
    private final LogFacts facts;
    private final ConfirmedKeeper confirmed;
    private final TailAnswers answers;
    /** The number of the first session, by which this process is known from one over a copy of its folder; 0 before. */
    private final AtomicLong run = new AtomicLong();

    private final AtomicInteger underWay = new AtomicInteger();
    private final Speed speed = new Speed();
    private final RefillRates refill = new RefillRates();
    private final KeptRefusal refusal;
    private final Disk disk;
    private final Predicate<PacedTask> background;
    private volatile @Nullable Restoring restoring;
    private volatile boolean tooOld;
    private volatile long notUnderstoodAt = -1;
    private volatile Consumer<Throwable> onTooOld = why -> {};

    /**
     * Of a store that is open.
     *
     * @param inbox the log loop's, for what is received
     * @param disk where the confirm offset is kept
     * @param background takes a task to the preparer; false when too many wait
     */
    public ReplicaLog(
            ReplicaIdentity self,
            CommitLog log,
            ReceiveInbox inbox,
            SlaveReplication replication,
            Disk disk,
            Predicate<PacedTask> background) {
        this.disk = disk;
        this.background = background;
        this.log = log;
        this.inbox = inbox;
        this.replication = replication;
        this.facts = new LogFacts(self, log);
        this.answers = new TailAnswers(facts, new TailReader(new CommitLogSource(log)), background);
        this.refusal = new KeptRefusal(disk, background);
        this.confirmed = new ConfirmedKeeper(disk, log, replication.confirmedBefore(), background);
    }

    /**
     * Takes up what was kept of this log and its master. Where this node may have confirmed it alone, to its end, keeps that as confirmed,
     * durably, unless more was kept, which a loss of power took. Blocks; before it is followed.
     *
     * @param store of this log
     * @throws IOException when the folder cannot be read or does not take it
     */
    public void recall(Store store) throws IOException {
        refusal.recall();
        if (store.confirmedAlone()) {
            if (confirmed.isBehind()) {
                confirmed.keepHere();
            }
            store.confirmedIsKept();
        }
    }

    /** Whether this log and its master's fit. */
    KeptRefusal refusal() {
        return refusal;
    }

    /** Names who is told on the log loop that {@link #heldOffset} has moved; must not block. Before the loop runs. */
    void onHeld(Runnable listener) {
        replication.onHeld(listener);
    }

    /** Names what says whether this log may have forgotten something. Before it is followed. */
    public void restoring(Restoring watched) {
        restoring = watched;
    }

    /** The log of a master that takes this replica in ends there. */
    void greeted(long masterEndOffset) {
        Restoring now = restoring;
        if (now != null) {
            now.greeted(masterEndOffset);
        }
    }

    /** Names who hears, once, that this log is too old and the next start sets it aside; on the preparer. Before it is followed. */
    public void onTooOld(Consumer<Throwable> listener) {
        onTooOld = listener;
    }

    /** The master has nothing any more of what follows this log: the next start, which is asked for, begins anew. */
    void mustRefill(String reason) {
        if (!tooOld) {
            String why = isFilling()
                    ? reason + refill.inWords().map(ReplicaLog::tooSlow).orElse("")
                    : reason;
            tooOld = background.test(() -> {
                if (!why.equals(reason)) {
                    LOG.error("event=refill_does_not_keep_up reason=\"{}\"", why);
                }
                OldLog.wantRefill(disk, why);
                onTooOld.accept(new IOException(why + " (what is here is set aside in " + OldLog.FOLDER + ")"));
                return false;
            });
        }
    }

    /** R35: whoever fills it slower than its master deletes will never be full. */
    private static String tooSlow(String rates) {
        return "; this log was being filled and did not keep up with what its master deletes: " + rates
                + ": where that stays so it is never full; give this node a faster network or disk, or let the master keep more";
    }

    private boolean isFilling() {
        Restoring now = restoring;
        return now != null && now.isFilling();
    }

    /** Whether this log may have forgotten something, so that it counts for nobody. */
    boolean isRestoring() {
        Restoring now = restoring;
        return now != null && now.isOn();
    }

    /** Whether this log, as it was found, ends before what this replica was told to be confirmed. Before it is followed. */
    public boolean endsBeforeConfirmed() {
        return confirmedBeyondEnd().isPresent();
    }

    /** Whether everything handed over is taken and answered for, so that the log's end is one. */
    boolean isSettled() {
        return underWay.get() == 0 && heldOffset() >= log.endOffset();
    }

    /** What this replica says of itself: as confirmed all it ever knew to be, also what is gone since (R10). */
    HelloHeader hello(long session) {
        run.compareAndSet(0, session);
        return facts.hello(
                session,
                run.get(),
                Math.max(replication.confirmedBefore().offset(), log.confirmOffset()),
                isRestoring());
    }

    /** What was confirmed here and is not here any more, after a loss of power: whoever is to be followed must have it. */
    Optional<Confirmed> confirmedBeyondEnd() {
        Confirmed before = replication.confirmedBefore();
        return before.offset() > log.endOffset() ? Optional.of(before) : Optional.empty();
    }

    /** Whether there is not a byte in the log. */
    boolean isEmpty() {
        return facts.isEmpty();
    }

    /** What the log holds, for the search for where another parts from it. */
    LogExtent extent() {
        return log.extent();
    }

    /** Where the log ends. */
    long endOffset() {
        return log.endOffset();
    }

    /** How fast it grows. */
    long bytesPerSec(long nowMs) {
        return speed.bytesPerSec(nowMs);
    }

    /** How far the log may be seen: below nothing is given up (R10). */
    long confirmOffset() {
        return log.confirmOffset();
    }

    /** The byte up to which this replica answers for everything. */
    long heldOffset() {
        return replication.heldOffset();
    }

    /** The epoch of the unit that ends at an offset; 0 at the start of the log. */
    int epochBefore(long offset) {
        return facts.epochBefore(offset);
    }

    /** What is answered to a master that starts. */
    TailAnswers answers() {
        return answers;
    }

    /** What keeps the confirm offset also while nobody is followed, on the view loop. */
    public Duty keeping() {
        return new ConfirmedDuty(confirmed);
    }

    /** Sees to it that what is confirmed now is kept soon, and notes how fast the log grows. */
    void keepConfirmed(long masterConfirmOffset, long nowMs) {
        confirmed.keep();
        refill.at(log.endOffset(), masterConfirmOffset, nowMs);
        speed.at(log.endOffset(), nowMs);
    }

    /** The way in for units of one session, offered by one event loop. */
    LogHandover handover(Executor turn, long session, int senderEpoch, LogHandover.Watcher watcher) {
        return new LogHandover(inbox, turn, session, senderEpoch, underWay, watcher);
    }

    /** Has the log cut; false when too much waits for it, and the listener hears nothing then. */
    boolean cut(long session, long endOffset, CutOrder.CutListener listener) {
        underWay.incrementAndGet();
        boolean taken = inbox.offer(new CutOrder(session, endOffset, new Counted(listener)));
        if (!taken) {
            underWay.decrementAndGet();
        }
        return taken;
    }

    private final class Counted implements CutOrder.CutListener {
        private final CutOrder.CutListener listener;

        Counted(CutOrder.CutListener listener) {
            this.listener = listener;
        }

        @Override
        public void cut(CutOrder order) {
            underWay.decrementAndGet();
            listener.cut(order);
        }

        @Override
        public void refused(CutOrder order, ReceiveRefusedException why) {
            underWay.decrementAndGet();
            listener.refused(order, why);
        }
    }

    /** A fact that follows is one of a later release, which this one may not pass over (R22). Any thread. */
    void notUnderstood(long offset) {
        notUnderstoodAt = offset;
    }

    /** Whether such a fact is still to come. Any thread. */
    boolean isNotUnderstood() {
        return endOffset() <= notUnderstoodAt;
    }
}
