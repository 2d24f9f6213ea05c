package dev.perigee.broker.transaction;

import dev.perigee.broker.fact.Inbox;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.remoting.transport.FaultLog;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.log.SegmentLease;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets halves aside that nobody decides about: copies them to {@code TRANS_CHECK_MAX_TIME_TOPIC}, with the reason. All of one round are read
 * by one task of a cold reader, so that they take no place from other reads.
 *
 * <p>Those of which nothing comes are put off, so that they are not in front of others. While the log takes none that is ever longer, up to
 * {@value #LAST_WAIT_MS} ms; where the trouble is the half's own, only that one waits so long.
 */
@OwnedBy("view loop")
final class Asides {
    static final long FIRST_WAIT_MS = 1_000;
    static final long LAST_WAIT_MS = 300_000;

    /** Least time between two lines about halves that were set aside. */
    static final long TOLD_EVERY_MS = 1_000;

    /** So many of them are named in a line, with their reasons. */
    static final int NAMED = 3;

    private static final long QUIET_MS = 60_000;
    private static final Logger LOG = LoggerFactory.getLogger(Asides.class);

    /** Told of halves of which nothing came, when all of a round have ended; on the view loop. They are claimed still. */
    @FunctionalInterface
    interface Listener {
        /** They may be tried again after a while. */
        void putOff(List<Half> halves, long waitMs);
    }

    /**
     * What it works with.
     *
     * @param frames reads halves
     * @param sink takes what is set aside
     * @param background runs what waits for the disk elsewhere; false when too much waits there
     * @param stats counts what is set aside as stored
     * @param inbox runs what is to be done on the view loop
     * @param clock measures how long repetitions in the log are left out
     * @param faults bounds the lines about single halves
     */
    @Immutable
    record Parts(
            FrameLookup frames,
            FactSink sink,
            Predicate<Runnable> background,
            BrokerStats stats,
            Inbox inbox,
            Clock clock,
            FaultLog faults) {}

    /** A half, and why it is set aside. */
    private record Aside(Half half, String reason) {
        @Override
        public String toString() {
            return half.birth() + ": " + reason;
        }
    }

    private final Parts parts;
    private final Listener listener;
    private final List<Aside> gathered = new ArrayList<>();
    private final List<Half> refused = new ArrayList<>(); // by the log, in this round
    private final List<Half> troubled = new ArrayList<>(); // by what is their own
    private int underWay;
    private boolean someTaken;
    private long waitMs = FIRST_WAIT_MS;
    private long quietUntilMs = Long.MIN_VALUE;
    private final List<Aside> named = new ArrayList<>(); // of those set aside that no line has told of
    private int untold;
    private long silentUntilMs = Long.MIN_VALUE;

    Asides(Parts parts, Listener listener) {
        this.parts = parts;
        this.listener = listener;
    }

    /** A claimed half is to be set aside, with the others of its round. */
    void add(Half half, String reason) {
        gathered.add(new Aside(half, reason));
    }

    /** Whether it is not known yet what came of the last round. */
    boolean areUnderWay() {
        return underWay > 0;
    }

    /** Sets aside what was added, when nothing is under way. Does not block. */
    void start() {
        if (gathered.isEmpty()) {
            return;
        }
        List<Aside> together = List.copyOf(gathered);
        gathered.clear();
        underWay = together.size();
        someTaken = false;
        if (!parts.background().test(() -> together.forEach(this::append))) {
            together.forEach(each -> ended(each, AppendResult.BUSY));
        }
    }

    /** On a cold reader. Whatever fails here, it ends. */
    private void append(Aside aside) {
        SegmentLease lease = null;
        try {
            lease = parts.frames().find(aside.half().offset());
            if (lease == null) {
                end(aside, "its frame cannot be read");
            } else {
                append(aside, new MessageFrame().wrap(lease.bytes(), 0));
            }
        } catch (RuntimeException | Error e) { // an InternalError when the disk does not give what is mapped
            if (parts.faults().mayLog()) {
                LOG.error("event=half_not_set_aside offset={}", aside.half().offset(), e);
            }
            end(aside, e.toString());
        } finally {
            if (lease != null) {
                lease.release();
            }
        }
    }

    private void append(Aside aside, MessageFrame frame) {
        FrameDraft draft = HalfFrames.setAside(frame, aside.half(), aside.reason());
        int sizeBytes = draft.sizeBytes();
        parts.sink()
                .append(
                        SystemTopic.TRANSACTION_CHECK_MAX,
                        HalfFrames.QUEUE_ID,
                        draft,
                        FactSink.Room.ORDINARY,
                        (result, endOffset, queueOffset) -> {
                            if (endOffset >= 0) {
                                parts.stats().stored(SystemTopic.TRANSACTION_CHECK_MAX, 1, sizeBytes);
                                parts.inbox().post(() -> taken(aside));
                            } else {
                                parts.inbox().post(() -> ended(aside, result));
                            }
                        });
    }

    /** For a trouble that is the half's own. */
    private void end(Aside aside, String why) {
        parts.inbox().post(() -> {
            troubled.add(aside.half());
            notSetAside(aside, why);
        });
    }

    /** The claim ends when it is applied. */
    private void taken(Aside aside) {
        someTaken = true;
        untold++;
        if (named.size() < NAMED) {
            named.add(aside);
        }
        oneEnded();
    }

    private void ended(Aside aside, AppendResult result) {
        boolean isItsOwn = result == AppendResult.TOO_LARGE || result == AppendResult.TOPIC_DELETED;
        (isItsOwn ? troubled : refused).add(aside.half());
        notSetAside(aside, result.toString());
    }

    private void notSetAside(Aside aside, String why) {
        long nowMs = parts.clock().monotonicMs();
        if (nowMs >= quietUntilMs) {
            quietUntilMs = nowMs + QUIET_MS;
            LOG.warn(
                    "event=half_not_set_aside birth={} reason=\"{}\"",
                    aside.half().birth(),
                    why);
        }
        oneEnded();
    }

    private void oneEnded() {
        underWay--;
        if (underWay > 0) {
            return;
        }
        if (someTaken) {
            waitMs = FIRST_WAIT_MS;
        }
        putOff(refused, waitMs);
        putOff(troubled, LAST_WAIT_MS);
        if (!refused.isEmpty()) {
            waitMs = Math.min(LAST_WAIT_MS, 2 * waitMs);
        }
        refused.clear();
        troubled.clear();
    }

    /** Tells the operator of those set aside since it was told last, in one line, when there are any and it is time. */
    void tell(long nowMs) {
        if (nowMs < nextLineMs()) {
            return;
        }
        String first = named.stream().map(Aside::toString).collect(Collectors.joining("; "));
        LOG.warn("event=halves_set_aside count={} first=\"{}\"", untold, first);
        silentUntilMs = nowMs + TOLD_EVERY_MS;
        untold = 0;
        named.clear();
    }

    /** When {@link #tell} has something to tell, in monotonic milliseconds; {@link Long#MAX_VALUE} when it has not. */
    long nextLineMs() {
        return untold == 0 || areUnderWay() ? Long.MAX_VALUE : silentUntilMs;
    }

    private void putOff(List<Half> halves, long ms) {
        if (!halves.isEmpty()) {
            listener.putOff(List.copyOf(halves), ms);
        }
    }
}
