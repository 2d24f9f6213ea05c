package dev.perigee.broker.timer;

import dev.perigee.broker.query.FrameLookup;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.message.RecallHandle;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.log.SegmentLease;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Looks for the messages that a recall handle names. Reads the store and the log: waits for the disk. */
@Immutable
final class RecallLookup {
    /** Messages of one handle at most: more of one topic, key and due time are taken back by asking again. */
    static final int MAX_FOUND = 64;

    private final FrameLookup frames;

    RecallLookup(FrameLookup frames) {
        this.frames = frames;
    }

    /**
     * What there is of a handle.
     *
     * @param waiting the messages that wait under it
     * @param recalled whether one was taken back before
     * @param moved whether the frame of one was gone, because a copy took its place meanwhile
     */
    record Found(List<WaitingMessage> waiting, boolean recalled, boolean moved) {}

    /** Looks once. */
    Found find(RecallHandle handle, ViewStore store) throws IOException {
        long hash = RecallHash.of(handle.topic(), handle.uniqueKey(), handle.timeMs() - 1);
        List<WaitingMessage> named = new ArrayList<>();
        store.scan(TimerKeys.named(hash, 0), TimerKeys.named(hash, Long.MAX_VALUE), (key, value) -> {
            named.add(TimerKeys.named(key, value));
            return named.size() < MAX_FOUND;
        });
        boolean[] recalled = {false};
        store.scan(TimerKeys.recalled(hash, 0), TimerKeys.recalled(hash, Long.MAX_VALUE), (key, value) -> {
            recalled[0] = true;
            return false;
        });
        boolean moved = false;
        List<WaitingMessage> meant = new ArrayList<>();
        for (WaitingMessage each : named) {
            SegmentLease lease = frames.find(each.offset());
            if (lease == null) {
                moved = true;
                continue;
            }
            try {
                if (isMeant(new MessageFrame().wrap(lease.bytes(), 0), handle)) {
                    meant.add(each);
                }
            } finally {
                lease.release();
            }
        }
        return new Found(meant, recalled[0], moved);
    }

    /** Another message may have the same hash. */
    private static boolean isMeant(MessageFrame frame, RecallHandle handle) {
        return handle.topic().equals(frame.property(PropertyKey.REAL_TOPIC))
                && handle.uniqueKey().equals(frame.property(PropertyKey.UNIQ_KEY));
    }
}
