package dev.perigee.broker.transaction;

import dev.perigee.broker.query.FrameLookup;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.remoting.transport.FaultLog;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.log.SegmentLease;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The halves that are due to be checked, as a look into the store and the log found them. A look visits what is due and one entry
 * more, however many are undecided. A frame that cannot be read is told as such, and spoils no other.
 *
 * @param due they, in the order in which they are due
 * @param nextMs when the first half is due that is not among them; {@link Long#MAX_VALUE} when there is none
 */
@Immutable
record CheckRound(List<Due> due, long nextMs) {
    private static final Logger LOG = LoggerFactory.getLogger(CheckRound.class);

    /** Halves of one round at most; the next round takes the next ones. */
    static final int MAX_HALVES = 1_000;
    /** Bytes of halves of one round at most, beyond the first; the next round takes the next ones. */
    static final long MAX_BYTES = 16L << 20;

    /**
     * A half that is due.
     *
     * @param seen what its frame says; null when it cannot be read
     */
    @Immutable
    record Due(Half half, @Nullable Seen seen) {}

    /**
     * What the frame of a half says.
     *
     * @param group the group of its producers
     * @param uniqueKey its unique key
     * @param interval the seconds between checks it asks for, as text
     * @param maxTimes the checks it asks for at most, as text
     * @param shown the record that a producer is shown
     */
    @SuppressWarnings("ArrayRecordComponent") // made once, sent once, compared by nobody
    record Seen(
            String group,
            String uniqueKey,
            @Nullable String interval,
            @Nullable String maxTimes,
            byte[] shown) {}

    /** Looks for what is due at a time. Waits for the disk. */
    static CheckRound look(ViewStore store, FrameLookup frames, FaultLog faults, long fromMs, long nowMs)
            throws IOException {
        List<Half> halves = new ArrayList<>();
        long[] nextMs = {Long.MAX_VALUE};
        long[] bytes = {0};
        store.scan(HalfKeys.check(fromMs, 0), HalfKeys.checkEnd(), (key, value) -> {
            Half half = HalfKeys.half(value);
            bytes[0] += half.sizeBytes();
            boolean full = halves.size() >= MAX_HALVES || (!halves.isEmpty() && bytes[0] > MAX_BYTES);
            if (half.nextCheckMs() > nowMs || full) {
                nextMs[0] = half.nextCheckMs();
                return false;
            }
            halves.add(half);
            return true;
        });
        List<Due> due = new ArrayList<>(halves.size());
        for (Half half : halves) {
            due.add(new Due(half, seenOrNull(frames, half, faults)));
        }
        return new CheckRound(due, nextMs[0]);
    }

    private static @Nullable Seen seenOrNull(FrameLookup frames, Half half, FaultLog faults) {
        try {
            return seen(frames, half);
        } catch (RuntimeException | InternalError e) { // the latter when the disk does not give what is mapped
            if (faults.mayLog()) {
                LOG.error("event=half_not_read offset={} birth={}", half.offset(), half.birth(), e);
            }
            return null;
        }
    }

    private static @Nullable Seen seen(FrameLookup frames, Half half) {
        SegmentLease lease = frames.find(half.offset());
        if (lease == null) {
            return null;
        }
        try {
            MessageFrame frame = new MessageFrame().wrap(lease.bytes(), 0);
            return new Seen(
                    text(frame, PropertyKey.PRODUCER_GROUP),
                    text(frame, PropertyKey.UNIQ_KEY),
                    frame.property(PropertyKey.CHECK_INTERVAL),
                    frame.property(PropertyKey.CHECK_MAX_TIMES),
                    HalfFrames.shown(frame, half, half.checks() + 1));
        } finally {
            lease.release();
        }
    }

    private static String text(MessageFrame frame, String name) {
        return Objects.requireNonNullElse(frame.property(name), "");
    }
}
