package dev.perigee.client.request;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.work.CallbackMark;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import dev.perigee.remoting.call.Deadline;
import java.util.concurrent.CompletableFuture;

/** The requests of a producer, as its users call them, and what waits for their replies. */
@ThreadSafe
public final class RequestCalls implements AutoCloseable {
    private final Requests requests;
    private final Replies replies;
    private final InflatingThread inflating;
    private final CallbackMark callbacks;
    private final Clock clock;

    /** @param inflating closed with this */
    public RequestCalls(
            Requests requests, Replies replies, InflatingThread inflating, CallbackMark callbacks, Clock clock) {
        this.requests = requests;
        this.replies = replies;
        this.inflating = inflating;
        this.callbacks = callbacks;
        this.clock = clock;
    }

    /** Sends a request and waits for its reply. Blocks. */
    public Message await(Message message, long timeoutMs) throws ClientException {
        Deadline deadline = deadline(timeoutMs);
        return Failures.await(
                requests.request(message, timeoutMs, deadline),
                "request",
                () -> FailureSite.untried(message.topic(), deadline.remainingMs()));
    }

    /** Sends a request; the future is completed in a callback of the producer. */
    public CompletableFuture<Message> begin(Message message, long timeoutMs) {
        CompletableFuture<Message> reply = new CompletableFuture<>();
        Completion.on(
                requests.request(message, timeoutMs, deadline(timeoutMs)),
                (value, failure) -> callbacks.during(() -> {
                    if (failure == null) {
                        reply.complete(value);
                    } else {
                        reply.completeExceptionally(failure);
                    }
                }));
        return reply;
    }

    private Deadline deadline(long timeoutMs) {
        if (timeoutMs <= 0) {
            throw new IllegalArgumentException("timeoutMs=" + timeoutMs + ", must be above 0");
        }
        return Deadline.after(clock, timeoutMs);
    }

    /** How many wait for a reply. */
    public int waiting() {
        return replies.waiting();
    }

    /** How many replies came when nobody waited for them. */
    public long late() {
        return replies.late();
    }

    @Override
    public void close() {
        inflating.close();
    }
}
