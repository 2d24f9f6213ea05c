package dev.perigee.replica.sync;

import dev.perigee.loop.Immutable;
import dev.perigee.store.append.FlushMode;

/**
 * What a master asks for before it confirms.
 *
 * @param flushMode when its own copy counts
 * @param synchronous whether replicas are waited for
 * @param inSyncReplicas copies, its own among them, that make a message acknowledged; under 2 counts as 2, for a synchronous
 *     master's word is always that a replica has it
 * @param minInSyncReplicas copies, its own among them, without which nothing is appended
 * @param maxGapBytes a replica that is farther behind is not in sync
 * @param timeoutMs how long what is appended waits for replicas before it is answered without them
 * @param maxSilenceMs a replica that was not heard for longer is not in sync
 */
@Immutable
public record ReplicationRules(
        FlushMode flushMode,
        boolean synchronous,
        int inSyncReplicas,
        int minInSyncReplicas,
        long timeoutMs,
        long maxGapBytes,
        long maxSilenceMs) {
    /** How many replicas must hold what is acknowledged. */
    int neededReplicas() {
        return synchronous ? Math.max(2, inSyncReplicas) - 1 : 0;
    }
}
