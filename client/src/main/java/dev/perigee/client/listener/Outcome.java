package dev.perigee.client.listener;

import dev.perigee.loop.Immutable;

/**
 * How a listener call ended.
 *
 * @param result what the listener said
 * @param finished how many of its messages are done, counted from the first; for concurrent listeners
 * @param retryDelayLevel when the others come again; for concurrent listeners
 * @param suspendMs how long the queue is held back after a failure; for orderly listeners
 */
@Immutable
public record Outcome(ConsumeResult result, int finished, int retryDelayLevel, long suspendMs) {
    /** Whether the listener finished the call as it should. */
    public boolean isSuccess() {
        return result == ConsumeResult.SUCCESS;
    }
}
