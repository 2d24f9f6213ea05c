package dev.perigee.broker.timer;

import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.timer.TimerWindow.Scan;
import dev.perigee.broker.timer.TimerWindow.Scanned;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.fact.TimerRef;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers waiting messages when they are due, never earlier: appends each to its queue with a mark that closes it. A message
 * is claimed from then until the delivery is applied or has failed, so that a slow disk does not make it come twice (R13).
 *
 * <p>At most {@link TimerWindow#MAX_FIRING} deliveries and {@link TimerWindow#MAX_FIRING_BYTES} are on their way; others
 * wait. When one fails all are tried again after a second, and ever more seldom up to half a minute; where the trouble is the
 * message's own, only that one waits. A message whose topic is gone
 * is closed and counted.
 */
@OwnedBy("view loop")
public final class TimerDuty implements Duty {
    private static final Logger LOG = LoggerFactory.getLogger(TimerDuty.class);
    private static final int MAX_PER_PASS = 64;
    private static final long FIRST_RETRY_MS = 1_000;
    private static final long LAST_RETRY_MS = 30_000;
    private static final long QUIET_MS = 60_000;

    /**
     * What it works with.
     *
     * @param view which messages wait
     * @param topics which topics there are
     * @param log tells whether a frame can be read without waiting
     * @param frames reads frames
     * @param sink takes deliveries
     * @param background runs what may wait for the disk elsewhere; false when too much waits there
     * @param stats counts deliveries as stored
     * @param clock its wall time is what due times are compared with
     * @param wake makes the view loop run soon
     */
    public record Parts(
            TimerView view,
            TopicView topics,
            CommitLog log,
            FrameLookup frames,
            FactSink sink,
            Predicate<Runnable> background,
            BrokerStats stats,
            Clock clock,
            Runnable wake) {}

    private final Parts parts;
    private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    private final List<WaitingMessage> toClose = new ArrayList<>();
    private long retryMs = FIRST_RETRY_MS;
    private long retryAtMs = Long.MIN_VALUE;
    private long scanAgainMs = Long.MIN_VALUE;
    private long closedCount;
    private long quietUntilMs = Long.MIN_VALUE;

    public TimerDuty(Parts parts) {
        this.parts = parts;
    }

    @Override
    public int doWork(long nowMs) {
        TimerWindow window = parts.view().window();
        int work = 0;
        for (Runnable task = inbox.poll(); task != null; task = inbox.poll()) {
            task.run();
            work++;
        }
        work += scan(window, nowMs);
        long wallMs = parts.clock().wallMs();
        for (int i = 0; i < MAX_PER_PASS; i++) {
            WaitingMessage next = window.next(wallMs, nowMs);
            if (next == null) {
                break;
            }
            fire(next);
            work++;
        }
        closeGathered();
        return work;
    }

    @Override
    public long nextDeadlineMs() {
        TimerWindow window = parts.view().window();
        long nowMs = parts.clock().monotonicMs();
        long nextWallMs = window.nextWallMs();
        long waitMs = nextWallMs == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : nextWallMs - parts.clock().wallMs();
        long dueMs = waitMs == Long.MAX_VALUE ? Long.MAX_VALUE : nowMs + Math.max(0, waitMs);
        long pausedMs = window.pausedUntilMs();
        return Math.min(Math.max(dueMs, Math.max(scanAgainMs, pausedMs)), Math.max(window.nextRetryMs(), pausedMs));
    }

    private void post(Runnable task) {
        inbox.add(task);
        parts.wake().run();
    }

    /** Everything applied is in the store here, for duties run between passes. */
    private int scan(TimerWindow window, long nowMs) {
        ViewStore store = parts.view().store();
        if (store == null || nowMs < scanAgainMs) {
            return 0;
        }
        Scan scan = window.beginScan(parts.clock().wallMs());
        if (scan == null) {
            return 0;
        }
        if (!parts.background().test(() -> run(scan, store))) {
            scanFailed(scan);
        }
        return 1;
    }

    private void scanFailed(Scan scan) {
        scanAgainMs = parts.clock().monotonicMs() + FIRST_RETRY_MS;
        parts.view().window().scanFailed(scan);
    }

    /** On a cold reader. */
    private void run(Scan scan, ViewStore store) {
        try {
            Scanned scanned = scan(scan, store);
            post(() -> parts.view().window().endScan(scanned));
        } catch (IOException | RuntimeException | Error e) { // whatever it is, the scan ends
            LOG.error("event=timer_scan_failed retryMs={}", FIRST_RETRY_MS, e);
            post(() -> scanFailed(scan));
        }
    }

    private static Scanned scan(Scan scan, ViewStore store) throws IOException {
        List<WaitingMessage> found = new ArrayList<>();
        TimerWindow.Due[] end = {scan.to()};
        long[] nextDueMs = {Long.MAX_VALUE};
        byte[] from = TimerKeys.due(scan.from().dueMs(), scan.from().birth());
        store.scan(from, TimerKeys.dueEnd(), (key, value) -> {
            TimerWindow.Due due = new TimerWindow.Due(
                    TimerKeys.longAt(key, TimerKeys.DUE_AT), TimerKeys.longAt(key, TimerKeys.BIRTH_AT));
            if (due.compareTo(scan.to()) >= 0 || found.size() >= scan.room()) {
                end[0] = due.compareTo(scan.to()) < 0 ? due : scan.to();
                nextDueMs[0] = due.dueMs();
                return false;
            }
            found.add(new WaitingMessage(
                    due.dueMs(), due.birth(), TimerKeys.longAt(value, 0), TimerKeys.intAt(value, TimerKeys.SIZE_AT)));
            return true;
        });
        return new Scanned(found, end[0], nextDueMs[0]);
    }

    private void fire(WaitingMessage message) {
        TimerMark mark = new TimerMark(message.dueMs, message.birth, message.offset());
        Runnable delivery = () -> deliver(message, mark);
        if (parts.log().isLoaded(message.offset(), message.sizeBytes())) {
            delivery.run();
        } else if (!parts.background().test(delivery)) {
            failed(message, AppendResult.BUSY);
        }
    }

    /** On the view loop or a cold reader. Whatever fails here, the claim on the message ends one day. */
    private void deliver(WaitingMessage message, TimerMark mark) {
        try {
            read(message, mark);
        } catch (RuntimeException | Error e) { // an InternalError when the disk does not give what is mapped
            LOG.error("event=waiting_message_not_delivered offset={} dueMs={}", mark.readAt(), mark.dueMs(), e);
            post(() -> failedAlone(message));
        }
    }

    private void read(WaitingMessage message, TimerMark mark) {
        SegmentLease lease = parts.frames().find(mark.readAt());
        if (lease == null) {
            unreadable(message, mark);
            return;
        }
        try {
            MessageFrame frame = new MessageFrame().wrap(lease.bytes(), 0);
            WaitingFrames.Home home = home(frame);
            if (home == null) {
                post(() -> toClose.add(message));
                return;
            }
            append(message, home, WaitingFrames.delivery(frame, home, mark));
        } finally {
            lease.release();
        }
    }

    /** Closed only when the log no longer reaches back to it; what lies there may be readable another time. */
    private void unreadable(WaitingMessage message, TimerMark mark) {
        LOG.error("event=waiting_message_unreadable offset={} dueMs={}", mark.readAt(), mark.dueMs());
        if (mark.readAt() < parts.log().startOffset()) {
            post(() -> toClose.add(message));
        } else {
            post(() -> failedAlone(message));
        }
    }

    /** The queue a message belongs to, one that is there; null when its topic is gone. */
    private WaitingFrames.@Nullable Home home(MessageFrame frame) {
        WaitingFrames.Home told = WaitingFrames.home(frame);
        TopicConfig topic = parts.topics().current().find(told.topic());
        if (topic == null) {
            return null;
        }
        int queues = Math.max(1, topic.writeQueueNums());
        return told.queueId() < queues ? told : new WaitingFrames.Home(told.topic(), told.queueId() % queues);
    }

    private void append(WaitingMessage message, WaitingFrames.Home home, FrameDraft draft) {
        int sizeBytes = draft.sizeBytes();
        parts.sink()
                .append(
                        home.topic(),
                        home.queueId(),
                        draft,
                        FactSink.Room.ORDINARY,
                        (result, endOffset, queueOffset) -> {
                            if (endOffset >= 0) {
                                parts.stats().stored(home.topic(), 1, sizeBytes);
                                post(() -> retryMs = FIRST_RETRY_MS); // the claim ends when it is applied
                            } else if (result == AppendResult.TOPIC_DELETED) {
                                post(() -> toClose.add(message));
                            } else if (result == AppendResult.TOO_LARGE) {
                                post(() -> failedAlone(message));
                            } else {
                                post(() -> failed(message, result));
                            }
                        });
    }

    private void failed(WaitingMessage message, AppendResult result) {
        long nowMs = parts.clock().monotonicMs();
        if (nowMs >= quietUntilMs) {
            quietUntilMs = nowMs + QUIET_MS;
            LOG.warn("event=waiting_message_not_delivered result={} retryMs={}", result, retryMs);
        }
        if (nowMs >= retryAtMs) { // what fails until then is of the same trouble
            retryAtMs = nowMs + retryMs;
            retryMs = Math.min(LAST_RETRY_MS, 2 * retryMs);
            parts.view().window().pause(retryAtMs);
        }
        parts.view().window().failed(message, retryAtMs);
    }

    /** As above, for a trouble that is not that of the others. */
    private void failedAlone(WaitingMessage message) {
        parts.view().window().failed(message, parts.clock().monotonicMs() + LAST_RETRY_MS);
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
        List<TimerRef> refs = part.stream()
                .map(each -> new TimerRef(each.dueMs, each.birth, each.offset()))
                .toList();
        parts.sink().append(new TimerClosed(refs, "topic gone or unreadable"), (result, endOffset) -> {
            if (endOffset < 0) {
                post(() -> part.forEach(each -> failed(each, result)));
            }
        });
    }
}
