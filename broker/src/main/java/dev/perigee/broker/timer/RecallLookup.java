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
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks for the messages that a recall handle names. Reads the store and the log: waits for the disk. */
@Immutable
final class RecallLookup {
    /** Messages found at once; where there are more, the rest is looked for when these are taken back. */
    static final int MAX_FOUND = 64;

    /** Messages looked at for one handle, which may be others of its hash; beyond it the look fails. */
    static final int MAX_READ = 10_000;

    private final FrameLookup frames;

    RecallLookup(FrameLookup frames) {
        this.frames = frames;
    }

    /**
     * What there is of a handle.
     *
     * @param waiting the messages that wait under it
     * @param more whether more may wait than these
     * @param recalled whether one was taken back before
     * @param moved whether the frame of one was gone, because a copy took its place meanwhile
     * @param failure why it could not be told, null when it could
     */
    record Found(
            List<WaitingMessage> waiting,
            boolean more,
            boolean recalled,
            boolean moved,
            @Nullable String failure) {
        static final Found NOTHING = new Found(List.of(), false, false, false, null);

        static Found failed(String failure) {
            return new Found(List.of(), false, false, false, failure);
        }
    }

    /**
     * Where recalls are remembered.
     *
     * @param from below it none is
     * @param end no fact lies there or behind it
     */
    record Facts(long from, long end) {}

    /** Looks once. What fails fails for this handle only. */
    Found find(RecallHandle handle, ViewStore store, Facts facts) throws IOException {
        long hash = RecallHash.of(handle.topic(), handle.uniqueKey(), handle.timeMs() - 1);
        List<WaitingMessage> meant = new ArrayList<>();
        boolean moved = false;
        long from = 0;
        for (int read = 0; read < MAX_READ; read += MAX_FOUND) {
            List<WaitingMessage> named = named(store, hash, from);
            for (WaitingMessage each : named) {
                if (meant.size() == MAX_FOUND) {
                    return new Found(meant, true, false, moved, null);
                }
                SegmentLease lease = frames.find(each.offset());
                if (lease == null) {
                    if (isStillThere(store, each)) {
                        return Found.failed("a message that may be the one, at " + each.offset() + ", cannot be read");
                    }
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
            if (named.size() < MAX_FOUND) {
                return new Found(meant, false, wasRecalled(store, hash, facts), moved, null);
            }
            from = named.get(named.size() - 1).birth + 1;
        }
        return Found.failed("more than " + MAX_READ + " messages have the hash of this one");
    }

    private static List<WaitingMessage> named(ViewStore store, long hash, long fromBirth) throws IOException {
        List<WaitingMessage> named = new ArrayList<>();
        store.scan(TimerKeys.named(hash, fromBirth), TimerKeys.named(hash, Long.MAX_VALUE), (key, value) -> {
            named.add(TimerKeys.named(key, value));
            return named.size() < MAX_FOUND;
        });
        return named;
    }

    private static boolean isStillThere(ViewStore store, WaitingMessage message) throws IOException {
        return store.get(TimerKeys.named(message.recallHash, message.birth))
                .map(value -> Arrays.equals(value, TimerKeys.namedValue(message)))
                .orElse(false);
    }

    private static boolean wasRecalled(ViewStore store, long hash, Facts facts) throws IOException {
        boolean[] recalled = {false};
        long last = TimerKeys.stretch(facts.end());
        for (long stretch = TimerKeys.stretch(facts.from()); stretch <= last && !recalled[0]; stretch++) {
            store.scan(
                    TimerKeys.recalled(stretch, hash, facts.from()),
                    TimerKeys.recalled(stretch, hash, Long.MAX_VALUE),
                    (key, value) -> {
                        recalled[0] = true;
                        return false;
                    });
        }
        return recalled[0];
    }

    /** Another message may have the same hash. */
    private static boolean isMeant(MessageFrame frame, RecallHandle handle) {
        return handle.topic().equals(frame.property(PropertyKey.REAL_TOPIC))
                && handle.uniqueKey().equals(frame.property(PropertyKey.UNIQ_KEY));
    }
}
