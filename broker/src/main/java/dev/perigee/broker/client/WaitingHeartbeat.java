package dev.perigee.broker.client;

import dev.perigee.loop.ThreadSafe;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A heartbeat that waits for its groups, and the consumer groups its client has left meanwhile: those it must not bring it
 * back to.
 */
@ThreadSafe
final class WaitingHeartbeat {
    private final ConcurrentHashMap<String, Set<WaitingHeartbeat>> all;
    private final String clientId;
    private final Set<String> left = ConcurrentHashMap.newKeySet(1);

    /** @param all by client id, those that wait */
    WaitingHeartbeat(ConcurrentHashMap<String, Set<WaitingHeartbeat>> all, String clientId) {
        this.all = all;
        this.clientId = clientId;
        all.compute(clientId, (same, waiting) -> {
            Set<WaitingHeartbeat> joined = waiting == null ? ConcurrentHashMap.newKeySet(1) : waiting;
            joined.add(this);
            return joined;
        });
    }

    void leave(String group) {
        left.add(group);
    }

    boolean hasLeft(String group) {
        return left.contains(group);
    }

    /** It waits no longer. Idempotent. */
    void end() {
        all.computeIfPresent(clientId, (same, waiting) -> {
            waiting.remove(this);
            return waiting.isEmpty() ? null : waiting;
        });
    }
}
