package dev.perigee.client.listener;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageQueue;

/**
 * What a listener may say about one call besides its result. It is read once, when the call returns; what is set later
 * is ignored.
 */
@ThreadSafe
public final class ConsumeControl {
    private final MessageQueue queue;
    private volatile int retryDelayLevel;
    private volatile int ackUntil = Integer.MAX_VALUE;
    private volatile long suspendMs;

    ConsumeControl(MessageQueue queue, FailurePolicy policy) {
        this.queue = queue;
        this.retryDelayLevel = policy.retryDelayLevel();
        this.suspendMs = policy.suspendMs();
    }

    /** The queue the messages were read from; for retried messages one of the group's retry topic. */
    public MessageQueue queue() {
        return queue;
    }

    /**
     * When those messages come again that this call does not finish. Concurrent listeners only.
     *
     * @param level 1 to 18 for that delay, 0 for longer and longer ones, −1 to set them aside at once
     * @throws IllegalArgumentException for any other level
     */
    public void retryDelayLevel(int level) {
        this.retryDelayLevel = FailurePolicy.requireDelayLevel(level);
    }

    /**
     * Of a call that returns {@link ConsumeResult#SUCCESS} only the messages up to this one are finished; the rest come again
     * later. Concurrent listeners only.
     *
     * @param index of the last finished message, from 0; −1 for none of them
     * @throws IllegalArgumentException below −1
     */
    public void ackUntil(int index) {
        if (index < -1) {
            throw new IllegalArgumentException("index=" + index + ", must be -1 or more");
        }
        this.ackUntil = index;
    }

    /** How long the queue is held back when this call fails, in milliseconds, 10 to 30,000. Orderly listeners only. */
    public void suspendMs(long ms) {
        this.suspendMs = FailurePolicy.clampSuspendMs(ms);
    }

    Outcome outcome(ConsumeResult result, int messages) {
        int finished = result == ConsumeResult.SUCCESS ? (int) Math.min(messages, ackUntil + 1L) : 0;
        return new Outcome(result, finished, retryDelayLevel, suspendMs);
    }
}
