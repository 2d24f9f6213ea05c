package dev.perigee.store.view;

import dev.perigee.loop.Immutable;

/**
 * How the view loop paces itself.
 *
 * @param entriesPerPass entries applied at most before duties and waiters get their turn
 * @param checkpointBytes log applied since the last checkpoint that makes a new one due; bounds the replay at start
 * @param checkpointIntervalMs age of the last checkpoint that makes a new one due, when anything was applied since
 * @param maxWaiters waiters for an applied offset at most; beyond it they are refused
 */
@Immutable
public record ViewConfig(int entriesPerPass, long checkpointBytes, long checkpointIntervalMs, int maxWaiters) {
    public static final ViewConfig DEFAULT = new ViewConfig(2048, 256L << 20, 60_000, 65_536);

    public ViewConfig {
        if (entriesPerPass < 1 || checkpointBytes < 1 || checkpointIntervalMs < 1 || maxWaiters < 1) {
            throw new IllegalArgumentException("entriesPerPass " + entriesPerPass + ", checkpointBytes "
                    + checkpointBytes + ", checkpointIntervalMs " + checkpointIntervalMs + ", maxWaiters " + maxWaiters
                    + " must be positive");
        }
    }
}
