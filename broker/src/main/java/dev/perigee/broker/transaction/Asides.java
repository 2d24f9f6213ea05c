package dev.perigee.broker.transaction;

import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.log.SegmentLease;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sets halves aside that nobody decides about: copies them to {@code TRANS_CHECK_MAX_TIME_TOPIC}, with the reason. */
@ThreadSafe
final class Asides {
    private static final Logger LOG = LoggerFactory.getLogger(Asides.class);

    /** Told once how it ended with each half, on any thread. */
    interface Listener {
        /** It is in the log; the claim on it ends when that is applied. */
        void setAside(Half half, String reason);

        /** Nothing came of it, for this time. */
        void notSetAside(Half half, String why);
    }

    /**
     * What it works with.
     *
     * @param frames reads halves
     * @param sink takes what is set aside
     * @param background runs what waits for the disk elsewhere; false when too much waits there
     * @param stats counts what is set aside as stored
     */
    @Immutable
    record Parts(FrameLookup frames, FactSink sink, Predicate<Runnable> background, BrokerStats stats) {}

    private final Parts parts;
    private final Listener listener;

    Asides(Parts parts, Listener listener) {
        this.parts = parts;
        this.listener = listener;
    }

    /** Sets a claimed half aside. Does not block. */
    void put(Half half, String reason) {
        if (!parts.background().test(() -> append(half, reason))) {
            listener.notSetAside(half, "too many reads of old messages wait");
        }
    }

    /** On a cold reader. Whatever fails here, the listener hears of it. */
    private void append(Half half, String reason) {
        SegmentLease lease = null;
        try {
            lease = parts.frames().find(half.offset());
            if (lease == null) {
                listener.notSetAside(half, "it cannot be read");
                return;
            }
            FrameDraft draft = HalfFrames.setAside(new MessageFrame().wrap(lease.bytes(), 0), half, reason);
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
                                    listener.setAside(half, reason);
                                } else {
                                    listener.notSetAside(half, result.toString());
                                }
                            });
        } catch (RuntimeException | Error e) { // an InternalError when the disk does not give what is mapped
            LOG.error("event=half_not_set_aside offset={}", half.offset(), e);
            listener.notSetAside(half, e.toString());
        } finally {
            if (lease != null) {
                lease.release();
            }
        }
    }
}
