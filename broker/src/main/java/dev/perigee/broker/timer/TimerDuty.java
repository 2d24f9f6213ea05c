package dev.perigee.broker.timer;

import dev.perigee.broker.fact.FactAppender;
import dev.perigee.broker.fact.Inbox;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.timer.TimerHorizon.Scan;
import dev.perigee.broker.timer.TimerHorizon.Scanned;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.fact.TimerClosed.TimerRef;
import dev.perigee.protocol.fact.TimerShifted;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers waiting messages when they are due, never earlier: appends each to its queue with a mark that closes it. A message
 * is claimed from then until the delivery is applied or has failed, so that a slow disk does not make it come twice (R13).
 *
 * <p>At most {@link TimerWindow#MAX_FIRING} deliveries and {@link TimerWindow#MAX_FIRING_BYTES} are on their way; others
 * wait. When the log takes none, all are tried again after a moment, and ever more seldom up to half a minute; where the trouble
 * is the message's own, only that one waits. Frames that are not in memory are read elsewhere, many together, and hold up no
 * others. A message whose topic is gone is closed and counted. When the {@link TimerClock} took up a step, the log is told.
 */
@OwnedBy("view loop")
public final class TimerDuty implements Duty {
    private static final Logger LOG = LoggerFactory.getLogger(TimerDuty.class);
    private static final int MAX_PER_PASS = 64;
    /** Also of what no cold reader took, and of a look into the store that failed. */
    private static final long FIRST_RETRY_MS = 10;

    private static final long LAST_RETRY_MS = 30_000;
    private static final long SCAN_AGAIN_MS = 1_000;
    private static final long QUIET_MS = 60_000;

    /** The log is told of the clock's shift no more often. */
    private static final long TELL_AGAIN_MS = 1_000;

    /**
     * What it works with.
     *
     * @param view which messages wait
     * @param topics which topics there are
     * @param log gives frames
     * @param memory tells whether a frame can be read without waiting
     * @param frames reads frames
     * @param sink takes deliveries
     * @param background runs what may wait for the disk elsewhere; false when too much waits there
     * @param stats counts deliveries as stored
     * @param timer what due times are compared with
     * @param clock measures pauses
     * @param wake makes the view loop run soon
     */
    public record Parts(
            TimerView view,
            TopicView topics,
            CommitLog log,
            Memory memory,
            FrameLookup frames,
            FactSink sink,
            Predicate<Runnable> background,
            BrokerStats stats,
            TimerClock timer,
            Clock clock,
            Runnable wake) {}

    /** What is in memory. */
    @FunctionalInterface
    public interface Memory {
        /** Whether a range of the log could be read now without waiting for the disk. */
        boolean holds(long offset, int sizeBytes);
    }

    private final Parts parts;
    private final TimerDelivery delivery;
    private final WarmAhead warm;
    private final Inbox inbox;
    private final FactAppender facts;
    private final List<WaitingMessage> toClose = new ArrayList<>();
    private final List<WaitingMessage> cold = new ArrayList<>(); // of this pass
    /** Since the last failure; set by whoever hears of a delivery. */
    private volatile boolean delivers = true;

    private long retryMs = FIRST_RETRY_MS;
    private long retryAtMs = Long.MIN_VALUE;
    private long scanAgainMs = Long.MIN_VALUE;
    private long closedCount;
    private long quietUntilMs = Long.MIN_VALUE;
    private boolean telling;
    private long tellAgainMs = Long.MIN_VALUE;

    public TimerDuty(Parts parts) {
        this.parts = parts;
        this.inbox = new Inbox("timers", parts.wake());
        this.facts = parts.sink()::append;
        this.delivery = new TimerDelivery(
                new TimerDelivery.Parts(
                        parts.topics(), parts.log(), parts.frames(), parts.sink(), parts.stats(), parts.clock()),
                new Ended());
        this.warm = new WarmAhead(parts.log(), parts.background(), parts.wake());
    }

    @Override
    public int doWork(long nowMs) {
        TimerWindow window = parts.view().window();
        int work = inbox.run(Integer.MAX_VALUE);
        work += scan(window, nowMs);
        long timerMs = parts.timer().nowMs();
        for (int i = 0; i < MAX_PER_PASS; i++) {
            WaitingMessage next = window.next(timerMs, nowMs);
            if (next == null) {
                break;
            }
            fire(next);
            work++;
        }
        fireCold(nowMs);
        work += warm.doWork(window, timerMs, nowMs);
        closeGathered();
        return work + tellShift(nowMs);
    }

    /**
     * Has the log know of a step that the clock took up, so that a restart goes on with it: new messages say so too, but none may
     * come.
     */
    private int tellShift(long nowMs) {
        if (telling || nowMs < tellAgainMs || !isShiftUntold()) {
            return 0;
        }
        TimerClock.Moment now = parts.timer().now();
        telling = true;
        facts.appendGuarded(
                new TimerShifted(now.shiftMs(), now.timerMs()),
                (result, endOffset) -> inbox.post(() -> {
                    telling = false;
                    tellAgainMs = parts.clock().monotonicMs() + TELL_AGAIN_MS;
                }));
        return 1;
    }

    private boolean isShiftUntold() {
        return parts.view().store() != null
                && parts.timer().now().shiftMs() != parts.view().told().shiftMs();
    }

    @Override
    public long nextDeadlineMs() {
        TimerWindow window = parts.view().window();
        long pausedMs = window.pausedUntilMs();
        long deadlineMs = Math.max(monotonic(window.nextDueMs()), pausedMs);
        deadlineMs = Math.min(deadlineMs, Math.max(window.nextRetryMs(), pausedMs));
        deadlineMs = Math.min(deadlineMs, Math.max(monotonic(window.nextLoadMs()), scanAgainMs));
        if (!telling && isShiftUntold()) {
            deadlineMs = Math.min(deadlineMs, tellAgainMs);
        }
        return Math.min(deadlineMs, Math.max(monotonic(warm.nextMs(window)), warm.againMs()));
    }

    /** When the monotonic clock says what the clock of waiting messages will say then. */
    private long monotonic(long timerMs) {
        return timerMs == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : parts.clock().monotonicMs()
                        + Math.max(0, timerMs - parts.timer().nowMs());
    }

    /** Everything applied is in the store here, for duties run between passes. */
    private int scan(TimerWindow window, long nowMs) {
        ViewStore store = parts.view().store();
        if (store == null || nowMs < scanAgainMs) {
            return 0;
        }
        Scan scan = window.beginScan(parts.timer().nowMs());
        if (scan == null) {
            return 0;
        }
        if (!parts.background().test(() -> run(scan, store))) {
            scanFailed(scan, FIRST_RETRY_MS);
        }
        return 1;
    }

    private void scanFailed(Scan scan, long againMs) {
        scanAgainMs = parts.clock().monotonicMs() + againMs;
        parts.view().window().scanFailed(scan);
    }

    /** On a cold reader. */
    private void run(Scan scan, ViewStore store) {
        try {
            Scanned scanned = scan(scan, store);
            inbox.post(() -> parts.view().window().endScan(scanned));
        } catch (IOException | RuntimeException | Error e) { // whatever it is, the scan ends
            LOG.error("event=timer_scan_failed retryMs={}", SCAN_AGAIN_MS, e);
            inbox.post(() -> scanFailed(scan, SCAN_AGAIN_MS));
        }
    }

    private static Scanned scan(Scan scan, ViewStore store) throws IOException {
        List<WaitingMessage> found = new ArrayList<>();
        TimerHorizon.Due[] end = {scan.to()};
        long[] nextDueMs = {Long.MAX_VALUE};
        byte[] from = TimerKeys.due(scan.from().dueMs(), scan.from().birth());
        store.scan(from, TimerKeys.dueEnd(), (key, value) -> {
            TimerHorizon.Due due = new TimerHorizon.Due(
                    TimerKeys.longAt(key, TimerKeys.DUE_AT), TimerKeys.longAt(key, TimerKeys.BIRTH_AT));
            if (due.compareTo(scan.to()) >= 0 || found.size() >= scan.room()) {
                end[0] = due.compareTo(scan.to()) < 0 ? due : scan.to();
                nextDueMs[0] = due.dueMs();
                return false;
            }
            found.add(TimerKeys.dueOne(key, value));
            return true;
        });
        return new Scanned(found, end[0], nextDueMs[0]);
    }

    private static TimerMark mark(WaitingMessage message) {
        return new TimerMark(message.dueMs, message.birth, message.offset(), message.recallHash);
    }

    private void fire(WaitingMessage message) {
        if (parts.memory().holds(message.offset(), message.sizeBytes())) {
            delivery.deliver(message, mark(message));
        } else {
            cold.add(message);
        }
    }

    private void fireCold(long nowMs) {
        if (cold.isEmpty()) {
            return;
        }
        List<WaitingMessage> together = List.copyOf(cold);
        List<TimerMark> marks = together.stream().map(TimerDuty::mark).toList();
        cold.clear();
        boolean taken = parts.background().test(() -> {
            for (int i = 0; i < together.size(); i++) {
                delivery.deliver(together.get(i), marks.get(i));
            }
        });
        if (!taken) {
            together.forEach(each -> parts.view().window().failed(each, nowMs + FIRST_RETRY_MS));
        }
    }

    /** Hears of deliveries, on any thread. */
    private final class Ended implements TimerDelivery.Outcome {
        @Override
        public void delivered() {
            if (!delivers) {
                delivers = true;
            }
        }

        @Override
        public void pointless(WaitingMessage message) {
            inbox.post(() -> toClose.add(message));
        }

        @Override
        public void failedAlone(WaitingMessage message) {
            inbox.post(() -> parts.view().window().failed(message, parts.clock().monotonicMs() + LAST_RETRY_MS));
        }

        @Override
        public void failed(WaitingMessage message, AppendResult result) {
            inbox.post(() -> refused(message, result));
        }
    }

    private void refused(WaitingMessage message, AppendResult result) {
        long nowMs = parts.clock().monotonicMs();
        if (nowMs >= retryAtMs) { // what fails until then is of the same trouble
            retryMs = delivers ? FIRST_RETRY_MS : Math.min(LAST_RETRY_MS, 2 * retryMs);
            delivers = false;
            retryAtMs = nowMs + retryMs;
            parts.view().window().pause(retryAtMs);
        }
        if (nowMs >= quietUntilMs) {
            quietUntilMs = nowMs + QUIET_MS;
            LOG.warn("event=waiting_message_not_delivered result={} retryMs={}", result, retryMs);
        }
        parts.view().window().failed(message, retryAtMs);
    }

    /** Says in the log that nobody can get them any more. They stay claimed until that is applied. */
    private void closeGathered() {
        if (toClose.isEmpty()) {
            return;
        }
        List<WaitingMessage> part = List.copyOf(toClose.subList(0, Math.min(toClose.size(), TimerClosed.MAX_ENTRIES)));
        toClose.subList(0, part.size()).clear();
        closedCount += part.size();
        LOG.warn(
                "event=waiting_messages_closed count={} sinceStart={} reason=topic_gone_or_unreadable",
                part.size(),
                closedCount);
        List<TimerRef> refs = part.stream().map(WaitingMessage::ref).toList();
        facts.appendGuarded(TimerClosed.lost(refs, "topic gone or unreadable"), (result, endOffset) -> {
            if (endOffset < 0) {
                inbox.post(() -> part.forEach(each -> refused(each, result)));
            }
        });
    }
}
