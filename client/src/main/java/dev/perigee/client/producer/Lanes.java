package dev.perigee.client.producer;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a producer. One that is idle is kept for its next message, until there are too many: then idle ones are
 * retired, so that a producer that names ever new topics does not fill up with them.
 */
@ThreadSafe
final class Lanes {
    /** So many lanes are kept without asking whether they are idle. */
    static final int KEPT = 1_024;

    private final LaneParts parts;
    private final ConcurrentMap<SendLane.Key, SendLane> lanes = new ConcurrentHashMap<>();
    private volatile int sweepAt = KEPT;

    Lanes(LaneParts parts) {
        this.parts = parts;
    }

    /** The lane, if there is one. */
    @Nullable
    SendLane known(String topic, @Nullable MessageQueue queue) {
        return lanes.get(new SendLane.Key(topic, queue));
    }

    /** The lane, made when there is none. */
    SendLane of(String topic, @Nullable MessageQueue queue) {
        if (lanes.size() >= sweepAt) {
            sweep();
        }
        return lanes.computeIfAbsent(new SendLane.Key(topic, queue), key -> new SendLane(key, parts));
    }

    int count() {
        return lanes.size();
    }

    /** A lane is retired and removed in one step, so that whoever finds it retired finds the next one in the table. */
    private void sweep() {
        for (SendLane.Key key : lanes.keySet()) {
            lanes.computeIfPresent(key, (same, lane) -> lane.retireIfIdle() ? null : lane);
        }
        sweepAt = Math.max(KEPT, 2 * lanes.size()); // busy ones are not asked again and again
    }
}
