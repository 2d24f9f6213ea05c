package dev.perigee.broker.timer;

import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers one waiting message: reads its frame and appends it to the queue it is for, with the mark that closes it. On the
 * view loop or on a cold reader.
 */
@ThreadSafe
final class TimerDelivery {
    private static final Logger LOG = LoggerFactory.getLogger(TimerDelivery.class);

    /** Told how a delivery ended, on any thread. */
    interface Outcome {
        /** It is in the log; the claim on it ends when that is applied. */
        void delivered();

        /** Nobody can get it any more: its topic or its frame is gone. */
        void pointless(WaitingMessage message);

        /** It came not to be for a trouble of its own. */
        void failedAlone(WaitingMessage message);

        /** It came not to be, and others would not now either. */
        void failed(WaitingMessage message, AppendResult result);
    }

    /**
     * What it works with.
     *
     * @param topics which topics there are
     * @param log tells how far back it goes
     * @param frames reads frames
     * @param sink takes deliveries
     * @param stats counts deliveries as stored
     * @param clock tells what delivered messages say of their time
     */
    record Parts(TopicView topics, CommitLog log, FrameLookup frames, FactSink sink, BrokerStats stats, Clock clock) {}

    private final Parts parts;
    private final Outcome outcome;

    TimerDelivery(Parts parts, Outcome outcome) {
        this.parts = parts;
        this.outcome = outcome;
    }

    /** Whatever fails here, the claim on the message ends one day. */
    void deliver(WaitingMessage message, TimerMark mark) {
        try {
            read(message, mark);
        } catch (RuntimeException | Error e) { // an InternalError when the disk does not give what is mapped
            LOG.error("event=waiting_message_not_delivered offset={} dueMs={}", mark.readAt(), mark.dueMs(), e);
            outcome.failedAlone(message);
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
                outcome.pointless(message);
                return;
            }
            append(
                    message,
                    home,
                    WaitingFrames.delivery(frame, home, mark, parts.clock().wallMs()));
        } finally {
            lease.release();
        }
    }

    /** Closed only when the log no longer reaches back to it; what lies there may be readable another time. */
    private void unreadable(WaitingMessage message, TimerMark mark) {
        LOG.error("event=waiting_message_unreadable offset={} dueMs={}", mark.readAt(), mark.dueMs());
        if (mark.readAt() < parts.log().startOffset()) {
            outcome.pointless(message);
        } else {
            outcome.failedAlone(message);
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
                                outcome.delivered();
                            } else if (result == AppendResult.TOPIC_DELETED) {
                                outcome.pointless(message);
                            } else if (result == AppendResult.TOO_LARGE) {
                                outcome.failedAlone(message);
                            } else {
                                outcome.failed(message, result);
                            }
                        });
    }
}
