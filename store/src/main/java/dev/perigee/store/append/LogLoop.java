package dev.perigee.store.append;

import dev.perigee.loop.LendableLoop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.epoch.MemberFacts;
import dev.perigee.store.log.LogHorizon;
import dev.perigee.store.receive.ReceiveInbox;
import dev.perigee.store.tail.Bell;
import dev.perigee.store.tail.Flusher;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The single writer of the log: drains the inbox, gives every frame its place, queue offset, time and stamp, writes the
 * drained batch at once, and completes requests as replication confirms them. Group commit is nothing more than draining
 * the inbox.
 */
@OwnedBy("log loop")
public final class LogLoop implements LendableLoop {
    /** Requests taken in one pass at most. */
    private static final int BATCH_REQUESTS = 1024;
    /** What a short pass takes at most. */
    private static final int SHORT_REQUESTS = 16;
    /** Larger units are left to the loop's own thread. */
    private static final int SHORT_BYTES = 64 << 10;
    /** And so much of what was received: what a replica's event loop hands over in one turn. */
    private static final int SHORT_RECEIVED_BYTES = 256 << 10;
    /** With more bytes appended and not forced, a write may have to wait for the disk: left to the loop's own thread. */
    private static final int SHORT_UNSYNCED_BYTES = 32 << 20;
    /** Units of clients that are appended and wait to be confirmed, at most, for each place in the inbox; then BUSY. */
    private static final int PENDING_FACTOR = 4;
    /** The preparer is woken every so many bytes. */
    private static final long PREPARER_STRIDE_BYTES = 1 << 20;
    /** What is received waits this long while the disk is full, and is tried again. */
    private static final long SPACE_CHECK_MS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(LogLoop.class);

    /** Whom the loop wakes: those that make durable, prepare, and read what is confirmed. */
    public record Bells(Bell flusher, Bell preparer, Bell readers) {}

    /** Told once, on the log loop, when the log can never be written again. The node must stop. */
    @FunctionalInterface
    public interface FaultListener {
        /**
         * The log cannot be written any more.
         *
         * @param cause why: what the disk said, or an invariant that does not hold
         */
        void logFailed(Throwable cause);
    }

    private final AppendGate gate;
    private final LogTail tail;
    private final LogHorizon horizon;
    private final Replication replication;
    private final Flusher flusher;
    private final Bells bells;
    private final FaultListener faultListener;
    private final ReceivePass receiving;

    /** Where the fact ends that named the members whom replication knows. */
    private long seenMembersEnd;

    private final List<AppendRequest> batch = new ArrayList<>();
    private final ArrayDeque<AppendRequest> pending = new ArrayDeque<>();
    private final CountDownLatch drained = new CountDownLatch(1);
    private Flusher.Flushed seenFlush;
    private long preparerRungAt;
    /** When a request last had to wait: because the disk is behind, or because many others came first. */
    private long congestedMs = Long.MIN_VALUE;

    private long receiveAgainMs = Long.MAX_VALUE;

    private boolean begun;
    /** The epoch is begun in the batch at hand. */
    private boolean epochUntold;

    private volatile long epochFrom = Long.MAX_VALUE;
    private boolean failed;

    public LogLoop(
            AppendGate gate,
            ReceiveInbox received,
            LogTail tail,
            Replication replication,
            Flusher flusher,
            Bells bells,
            FaultListener faultListener) {
        this.gate = gate;
        this.tail = tail;
        this.horizon = tail.horizon();
        this.replication = replication;
        this.flusher = flusher;
        this.bells = bells;
        this.faultListener = faultListener;
        this.receiving = new ReceivePass(received, tail, replication, flusher);
        this.seenFlush = flusher.flushed();
        this.seenMembersEnd = horizon.members().lastEnd();
        gate.mayAppend(replication.mayAppend());
    }

    @Override
    public String name() {
        return "perigee-log";
    }

    @Override
    public int doWork(long nowMs) {
        int work = failed ? refuseBatch() + receiving.refuseAll() : pass(nowMs);
        if (work == 0 && gate.closed() && pending.isEmpty() && gate.inbox().isEmpty() && receiving.isIdle()) {
            drained.countDown();
        }
        return work;
    }

    private int pass(long nowMs) {
        int work = takeFlushed();
        if (failed) {
            return work + refuseBatch();
        }
        replication.tick(nowMs);
        keepHolders();
        if (gate.mayAppend(replication.mayAppend())) {
            bells.readers().ring(); // duties begin, or end
        }
        work += replication.mayAppend() && receiving.isIdle() ? appendBatch(nowMs, false) : passOfAReplica(nowMs);
        if (!receiving.isCutting()) {
            work += advanceConfirm();
        }
        expire(nowMs);
        return work;
    }

    private void keepHolders() {
        Replication.Holders holders = replication.holders();
        if (holders != Replication.Holders.UNKNOWN && flusher.alone(holders == Replication.Holders.ALONE)) {
            bells.flusher().ring();
        }
        replication.keptAlone(flusher.isKeptAlone());
    }

    /** Not the pass of a writer alone: it follows another node, or has just begun or ceased to. */
    private int passOfAReplica(long nowMs) {
        if (receiving.isCutting()) {
            return refuseBatch();
        }
        if (replication.mayAppend()) {
            return receiving.refuseAll() + appendBatch(nowMs, false);
        }
        int work = stepDown() + refuseBatch();
        return work + (replication.mayReceive() && !gate.closed() ? receive(nowMs, false) : receiving.refuseAll());
    }

    /** The right to append is lost: whether what is pending stays in the log is for others to say (R2). */
    private int stepDown() {
        if (!begun) {
            return 0;
        }
        begun = false;
        epochFrom = Long.MAX_VALUE;
        LOG.info("event=append_right_lost endOffset={} pending={}", tail.end(), pending.size());
        completePending(AppendResult.OUTCOME_UNKNOWN);
        return 1;
    }

    private void completePending(AppendResult result) {
        while (!pending.isEmpty()) {
            complete(pending.removeFirst(), result);
        }
    }

    private int receive(long nowMs, boolean shortPass) {
        try {
            int work = shortPass ? receiving.takeShort(SHORT_RECEIVED_BYTES) : receiving.take();
            if (tail.end() > horizon.end()) {
                publishEnd();
            }
            tellMembers();
            receiving.tell();
            advanceConfirm();
            if (receiving.order()) {
                bells.flusher().ring();
            } else {
                hurryFlush();
            }
            receiveAgainMs = tail.isOutOfSpace() && !receiving.isIdle() ? nowMs + SPACE_CHECK_MS : Long.MAX_VALUE;
            return work;
        } catch (IOException e) {
            fail(e);
            return 1;
        }
    }

    /**
     * Appends a few small units that fit into the segment at hand and completes what is confirmed; where this node follows another
     * one, takes in a little of what came. Not before the epoch is begun, and not while a write may have to wait.
     */
    @Override
    public boolean doShortWork(long nowMs) {
        if (failed || gate.closed() || tail.end() - horizon.synced() > SHORT_UNSYNCED_BYTES) {
            return false;
        }
        if (!begun) {
            return receiveShortly(nowMs);
        }
        takeFlushed();
        if (failed || !replication.mayAppend()) {
            return false;
        }
        appendBatch(nowMs, true);
        advanceConfirm();
        return !failed && gate.inbox().isEmpty();
    }

    private boolean receiveShortly(long nowMs) {
        if (receiving.isCutting() || !replication.mayReceive()) {
            return false;
        }
        takeFlushed();
        if (failed) {
            return false;
        }
        receive(nowMs, true);
        return !failed && receiving.isIdle() && gate.inbox().isEmpty();
    }

    @Override
    public long nextDeadlineMs() {
        if (failed) {
            return Long.MAX_VALUE;
        }
        AppendRequest oldest = pending.peekFirst();
        long timeoutMs = oldest == null ? Long.MAX_VALUE : oldest.appendedMs() + patienceMs(oldest);
        long ownMs = Math.min(Math.min(timeoutMs, overdueFromMs()), receiveAgainMs);
        return Math.min(ownMs, replication.nextTickMs());
    }

    /** When the next request that may not be taken now has waited too long. */
    private long overdueFromMs() {
        AppendRequest oldest = tail.mayTakeMore() ? null : gate.inbox().peekOrdinary();
        return oldest == null || oldest.expiresMs() == Long.MAX_VALUE ? Long.MAX_VALUE : oldest.expiresMs() + 1;
    }

    /** Open once the gate is closed and every request is completed. */
    public CountDownLatch drained() {
        return drained;
    }

    /** Where the log ended when this node began the epoch it writes in; {@link Long#MAX_VALUE} when it writes in none. Any thread. */
    public long epochFrom() {
        return epochFrom;
    }

    /** Whether a write or a force failed, and nothing is written any more. Log loop, or once it has ended. */
    boolean hasFailed() {
        return failed;
    }

    private int takeFlushed() {
        IOException failure = flusher.failure();
        if (failure != null) {
            fail(failure);
            return 1;
        }
        if (receiving.isCutting()) {
            return takeCut();
        }
        Flusher.Flushed now = flusher.flushed();
        if (now.equals(seenFlush)) {
            return 0;
        }
        seenFlush = now;
        horizon.synced(now.endOffset());
        replication.flushed(now.generation(), now.endOffset());
        return 1;
    }

    /** What was flushed before a cut is of an older generation, and not looked at any more (R1). */
    private int takeCut() {
        Flusher.Flushed reached = receiving.finishCut();
        if (reached == null) {
            return 0;
        }
        seenFlush = reached;
        seenMembersEnd = horizon.members().lastEnd();
        return 1;
    }

    private int appendBatch(long nowMs, boolean shortPass) {
        int maxRequests = shortPass ? SHORT_REQUESTS : BATCH_REQUESTS;
        int taken = 0;
        try {
            if (!begun) {
                beginEpoch();
            }
            if (gate.isBusy() || !tail.mayTakeMore()) {
                congestedMs = nowMs;
            }
            while (taken < maxRequests && !tail.isBatchFull() && tail.mayTakeMore()) {
                if (shortPass && !isShort(gate.inbox().peek())) {
                    break;
                }
                AppendRequest request = gate.inbox().poll();
                if (request == null) {
                    break;
                }
                if (taken++ == 0) {
                    tail.beginBatch();
                }
                append(request, nowMs);
            }
            taken += dropOverdue(nowMs);
            if (tail.end() > horizon.end()) {
                tail.flushBatch();
                publish();
            }
            hurryFlush();
        } catch (IOException e) {
            fail(e);
        }
        return taken;
    }

    private void beginEpoch() throws IOException {
        begun = true;
        flusher.append(horizon.logId(), tail.end());
        epochFrom = tail.end();
        tail.beginEpoch(replication.epochToBegin(), replication.queueOffsetGap(tail.takeGap()));
        epochUntold = true;
    }

    /** Whether a request can be appended in a short pass: without a new segment, and soon. */
    private boolean isShort(@Nullable AppendRequest next) {
        return next != null && next.sizeBytes() <= SHORT_BYTES && tail.fits(next.sizeBytes());
    }

    /** Asynchronous flush waits for its deadline only while nobody has to wait for it. */
    private void hurryFlush() {
        if (horizon.synced() < tail.heldUntil() || tail.end() - horizon.synced() > Flusher.MAX_UNSYNCED_BYTES / 2) {
            flusher.hurry();
            bells.flusher().ring();
        }
    }

    private void append(AppendRequest request, long nowMs) throws IOException {
        AppendResult refusal = refusal(request, nowMs);
        if (refusal != AppendResult.APPENDED) {
            request.releaseSpace();
            complete(request, refusal);
            return;
        }
        batch.add(request);
        tail.append(request, nowMs);
        request.releaseSpace();
    }

    /** While nothing may be taken: who has waited too long is told so now, and not when the disk moves again. */
    private int dropOverdue(long nowMs) {
        int dropped = 0;
        AppendRequest oldest = tail.mayTakeMore() ? null : gate.inbox().peekOrdinary();
        while (oldest != null && isOverdue(oldest, nowMs)) {
            gate.inbox().pollOrdinary();
            oldest.releaseSpace();
            complete(oldest, AppendResult.EXPIRED);
            dropped++;
            oldest = dropped < BATCH_REQUESTS ? gate.inbox().peekOrdinary() : null;
        }
        return dropped;
    }

    /**
     * Whether a request waited too long, and that because of others: one that is late although nothing queued, on a machine
     * that stood still, is appended.
     */
    private boolean isOverdue(AppendRequest request, long nowMs) {
        return nowMs > request.expiresMs() && request.arrivedMs() <= congestedMs;
    }

    private AppendResult refusal(AppendRequest request, long nowMs) {
        if (isOverdue(request, nowMs)) {
            return AppendResult.EXPIRED;
        }
        if (request.sizeBytes() > gate.maxOwnUnitBytes()) {
            return AppendResult.TOO_LARGE;
        }
        if (tail.isForDeletedTopic(request)) {
            return AppendResult.TOPIC_DELETED;
        }
        if (tail.isOutOfSpace()) {
            return AppendResult.DISK_FULL;
        }
        AppendResult admission = request.isOwn() ? replication.ownAdmission() : replication.admission();
        if (admission != AppendResult.APPENDED) {
            return admission;
        }
        if (!request.isFor(horizon.epoch())) {
            return AppendResult.NOT_WRITABLE;
        }
        if (!request.isOwn() && pending.size() >= PENDING_FACTOR * gate.limits().inboxRequests()) {
            return AppendResult.BUSY;
        }
        return request.usesReserve() ? AppendResult.APPENDED : gate.pressure();
    }

    /** The batch is written: tells who waits for it. */
    private void publish() {
        publishEnd();
        if (epochUntold) {
            epochUntold = false;
            horizon.epochs().last().ifPresent(own -> replication.epochBegun(own, tail.epochBegunTo()));
        }
        tellMembers();
        replication.appended(tail.end());
        for (int i = 0; i < batch.size(); i++) {
            AppendRequest request = batch.get(i);
            if (request.waitForStore()) {
                pending.add(request);
            } else {
                complete(request, AppendResult.APPENDED);
            }
        }
        batch.clear();
    }

    private void tellMembers() {
        MemberFacts now = horizon.members();
        if (now.lastEnd() > seenMembersEnd) {
            now.behind(seenMembersEnd).forEach(replication::membersFound);
            seenMembersEnd = now.lastEnd();
            flusher.hurry(); // nobody answers for it before it is durable
            bells.flusher().ring();
        }
    }

    /** What was written is the log's, and is to be made durable. */
    private void publishEnd() {
        long end = tail.end();
        horizon.end(end);
        if (flusher.request(end, tail.epoch(), tail.lastTimestampMs())) {
            bells.flusher().ring();
        }
        if (Math.abs(end - preparerRungAt) >= PREPARER_STRIDE_BYTES) {
            preparerRungAt = end;
            bells.preparer().ring();
        }
    }

    private int advanceConfirm() {
        replication.advance();
        long confirm = replication.confirmOffset();
        if (failed || confirm <= horizon.confirm()) {
            return 0;
        }
        horizon.confirm(confirm);
        AppendRequest oldest = pending.peekFirst();
        while (oldest != null && oldest.endOffset() <= confirm) {
            pending.removeFirst();
            complete(oldest, oldest.isOwn() ? AppendResult.APPENDED : replication.confirmed(oldest.endOffset()));
            oldest = pending.peekFirst();
        }
        bells.readers().ringOrRun(); // after the replies: they go first
        return 1;
    }

    private void expire(long nowMs) {
        AppendRequest oldest = pending.peekFirst();
        while (oldest != null && nowMs - oldest.appendedMs() >= patienceMs(oldest)) {
            pending.removeFirst();
            complete(oldest, oldest.isOwn() ? AppendResult.FLUSH_TIMEOUT : replication.overdue(oldest.endOffset()));
            oldest = pending.peekFirst();
        }
    }

    private long patienceMs(AppendRequest request) {
        return replication.patienceMs(request.endOffset(), gate.limits().syncFlushTimeoutMs());
    }

    /** Stops acknowledging for good: nothing after a failed write or force can be trusted. */
    private void fail(IOException cause) {
        failed = true;
        gate.close();
        LOG.error("event=log_failed endOffset={} syncedOffset={}", horizon.end(), horizon.synced(), cause);
        for (int i = 0; i < batch.size(); i++) {
            complete(batch.get(i), AppendResult.OUTCOME_UNKNOWN);
        }
        batch.clear();
        completePending(AppendResult.OUTCOME_UNKNOWN);
        receiving.fail();
        faultListener.logFailed(cause);
    }

    private int refuseBatch() {
        int taken = 0;
        AppendRequest request = gate.inbox().poll();
        while (request != null) {
            taken++;
            request.releaseSpace();
            complete(request, AppendResult.NOT_WRITABLE);
            request = taken < BATCH_REQUESTS ? gate.inbox().poll() : null;
        }
        return taken;
    }

    /** A listener's failure is its own: the log goes on. */
    private static void complete(AppendRequest request, AppendResult result) {
        try {
            request.complete(result);
        } catch (RuntimeException e) {
            LOG.error("event=append_listener_failed topic={} result={}", request.topic(), result, e);
        }
    }
}
