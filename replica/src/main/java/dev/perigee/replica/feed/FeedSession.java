package dev.perigee.replica.feed;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.replica.HeldHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.StreamLimits;
import dev.perigee.replica.sync.ReplicaSlot;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One replica that was taken in, over one connection: its feed, what it holds, and when frames go. */
@OwnedBy("event loop")
final class FeedSession {
    /**
     * A replica that streams says something every {@link StreamLimits#HEARTBEAT_MS}; one that was not heard for so long is let go, so that
     * another machine may take its broker id although the network never said that this one is gone.
     */
    static final long SILENCE_MS = 15_000;

    private static final Logger LOG = LoggerFactory.getLogger(FeedSession.class);

    private final Connection connection;
    private final FeedLoops loops;
    private final LoopExecutor loop;
    private final Clock clock;
    private final LogFacts facts;
    private final ReplicaSlot slot;
    private final LogFeed feed;
    private final LongConsumer onDamage;
    private LoopExecutor.@Nullable Scheduled planned;
    private long plannedMs = Long.MAX_VALUE;
    /** A turn was asked for that has not come. */
    private boolean turnAsked;

    private boolean over;

    /** @param onDamage told where a frame of the log is damaged */
    FeedSession(
            Connection connection,
            FeedLoops loops,
            Clock clock,
            LogFacts facts,
            ReplicaSlot slot,
            LogFeed feed,
            LongConsumer onDamage) {
        this.onDamage = onDamage;
        this.connection = connection;
        this.loops = loops;
        this.loop = loops.of(connection);
        this.clock = clock;
        this.facts = facts;
        this.slot = slot;
        this.feed = feed;
    }

    /** Over which it is fed. Any thread. */
    Connection connection() {
        return connection;
    }

    /** Who it is, and what it holds. Any thread. */
    ReplicaSlot slot() {
        return slot;
    }

    /** Whether the replica holds all below an offset, and was told that it is confirmed. Any thread. */
    boolean isLevel(long endOffset) {
        return slot.heldOffset() >= endOffset && feed.toldConfirm() >= endOffset;
    }

    /** Where it comes from. Any thread. */
    String remoteAddress() {
        return connection.remoteAddress();
    }

    /** The number of its event loop. Any thread. */
    int loopIndex() {
        return connection.loopIndex();
    }

    /** The replica says what it holds; what another session held is passed over. */
    void held(HeldHeader header) {
        if (over || header.session() != slot.session()) {
            return;
        }
        long nowMs = clock.monotonicMs();
        if (header.isLeaving()) {
            leaves();
            return;
        }
        if (feed.isStarted()) {
            feed.held(header.endOffset(), nowMs);
        } else if (!begin(header, nowMs)) {
            return;
        }
        if (!endAtFault()) {
            slot.held(header.endOffset(), nowMs);
            slot.compare(facts.endOffset(), nowMs);
            pump();
        }
    }

    /** What it holds it has said: this is said beside that, and may come behind it. */
    private void leaves() {
        LOG.info(
                "event=replica_leaves {} node={} remote={}",
                slot.name(),
                slot.member().nodeId(),
                connection.remoteAddress());
        slot.leaves();
    }

    /** Where both logs are equal up to an offset, the same epoch wrote what lies before it; before its first byte this log knows of none. */
    private boolean begin(HeldHeader header, long nowMs) {
        long offset = header.endOffset();
        int own = facts.epochBefore(offset);
        boolean atStart = offset == facts.answer().startOffset();
        if (own != header.epoch() && !atStart) {
            connection.close(
                    "before offset " + offset + " the replica has epoch " + header.epoch() + ", this log " + own);
            return false;
        }
        feed.startAt(offset, header.epoch(), nowMs);
        LOG.info(
                "event=replica_follows {} node={} remote={} fromOffset={}",
                slot.name(),
                slot.member().nodeId(),
                connection.remoteAddress(),
                offset);
        return true;
    }

    /** Sends what may go in one turn, and sees to it that it is called again when more may. */
    void pump() {
        if (over) {
            return;
        }
        long nowMs = clock.monotonicMs();
        if (feed.isStarted() && nowMs - slot.heardMs() > SILENCE_MS) {
            end("the replica was not heard for " + (nowMs - slot.heardMs()) + " ms");
            return;
        }
        feed.beginTurn();
        for (Optional<FeedFrame> next = feed.next(nowMs); next.isPresent(); next = feed.next(nowMs)) {
            FeedFrame frame = next.get();
            connection.onewayLent(Rpcs.REPLICA_FETCHED, frame.header(), frame);
        }
        if (!endAtFault()) {
            feed.readElsewhere(nowMs).ifPresent(read -> readElsewhere(read, nowMs));
            if (feed.wantsTurn() && !turnAsked) {
                turnAsked = true;
                loop.schedule(0, this::turn); // and not a task: those may run one after the other, without what came in
            }
            plan(feed.nextDeadlineMs(nowMs), nowMs);
        }
    }

    private void turn() {
        turnAsked = false;
        pump();
    }

    private void readElsewhere(Runnable read, long nowMs) {
        if (!loops.readElsewhere(read, loop, this::readDone)) {
            feed.readRefused(nowMs);
        }
    }

    private void readDone() {
        feed.readDone();
        pump();
    }

    /** Tells the replica that its session is over. Any thread. */
    void end(String reason) {
        connection.close(reason);
    }

    /** The connection is gone. */
    void closed() {
        over = true;
        LoopExecutor.Scheduled before = planned;
        if (before != null) {
            before.cancel();
        }
        feed.close();
        slot.disconnected();
        LOG.info(
                "event=replica_gone {} node={} remote={} heldOffset={}",
                slot.name(),
                slot.member().nodeId(),
                connection.remoteAddress(),
                slot.heldOffset());
    }

    private boolean endAtFault() {
        Optional<String> fault = feed.fault();
        fault.ifPresent(reason -> {
            LOG.warn(
                    "event=replica_dropped {} node={} remote={} reason=\"{}\"",
                    slot.name(),
                    slot.member().nodeId(),
                    connection.remoteAddress(),
                    reason);
            connection.close(reason);
            if (feed.damagedAt() >= 0) {
                onDamage.accept(feed.damagedAt());
            }
        });
        return fault.isPresent();
    }

    private void plan(long dueMs, long nowMs) {
        LoopExecutor.Scheduled before = planned;
        if (dueMs >= plannedMs && plannedMs > nowMs) {
            return; // looked at again then, and planned anew
        }
        if (before != null) {
            before.cancel();
        }
        if (dueMs == Long.MAX_VALUE) {
            planned = null;
            plannedMs = Long.MAX_VALUE;
            return;
        }
        plannedMs = dueMs;
        planned = loop.schedule(Math.max(1, dueMs - nowMs), this::due);
    }

    private void due() {
        planned = null;
        plannedMs = Long.MAX_VALUE;
        pump();
    }
}
