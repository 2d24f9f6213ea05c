package dev.perigee.client.producer;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.InterruptedCallException;
import dev.perigee.loop.Immutable;
import dev.perigee.remoting.call.Deadline;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets messages in: while the producer runs, and as its memory allows.
 *
 * @param parts what units are made with
 * @param notRunning says why the producer takes no messages; empty while it does
 */
@Immutable
record Admission(LaneParts parts, Supplier<String> notRunning) {
    /** @param remainingMs what the call has left */
    void requireRunning(String topic, long remainingMs) throws ClosedException {
        String reason = notRunning.get();
        if (!reason.isEmpty()) {
            throw new ClosedException(reason, FailureSite.untried(topic, remainingMs));
        }
    }

    /**
     * Takes memory, waiting for it where the producer is set to and the thread may. Whoever waited into the closing of the
     * producer is sent away.
     *
     * @param deadline null for one that begins now, if it is needed at all
     */
    void takeMemory(int messages, int bytes, String topic, @Nullable Deadline deadline) throws ClientException {
        if (parts.memory().tryTake(messages, bytes)) {
            return;
        }
        Deadline end = deadline != null ? deadline : parts.deadline();
        if (parts.config().whenFull() == WhenFull.FAIL || parts.callbacks().isSet()) {
            throw parts.memory().full(messages, bytes, topic, end);
        }
        try {
            parts.memory().takeBlocking(messages, bytes, topic, end);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCallException(
                    "interrupted while waiting for producer memory", FailureSite.untried(topic, end.remainingMs()), e);
        }
        try {
            requireRunning(topic, end.remainingMs());
        } catch (ClosedException e) {
            parts.memory().give(messages, bytes);
            throw e;
        }
    }
}
