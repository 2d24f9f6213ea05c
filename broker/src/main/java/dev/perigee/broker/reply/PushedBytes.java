package dev.perigee.broker.reply;

import dev.perigee.loop.ThreadSafe;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the replies on their way to requesters hold, together and for each requester: one that takes nothing leaves room for the
 * others.
 */
@ThreadSafe
final class PushedBytes {
    private final long limit;
    private final long limitPerClient;

    // Guarded by this: both sums change in one step, on the event loops of responders and requesters; a hand-over would
    // cost more.
    private final Map<String, Long> byClient = new HashMap<>();
    private long all;

    PushedBytes(long limit, long limitPerClient) {
        this.limit = limit;
        this.limitPerClient = limitPerClient;
    }

    /** Takes room for a reply; otherwise tells, as the end of a sentence, what is full. */
    synchronized @Nullable String take(String client, int bytes) {
        long ofClient = byClient.getOrDefault(client, 0L);
        if (ofClient + bytes > limitPerClient) {
            return "those on their way to <" + client + "> hold " + ofClient + " bytes, limit " + limitPerClient;
        }
        if (all + bytes > limit) {
            return "those on their way hold " + all + " bytes, limit " + limit;
        }
        byClient.put(client, ofClient + bytes);
        all += bytes;
        return null;
    }

    /** Gives the room of a reply back. */
    synchronized void give(String client, int bytes) {
        all -= bytes;
        byClient.computeIfPresent(client, (same, held) -> held == bytes ? null : held - bytes);
    }
}
