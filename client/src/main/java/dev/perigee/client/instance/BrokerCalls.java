package dev.perigee.client.instance;

import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Calls to one address, with failures as typed client exceptions. Futures are completed on an event loop. */
@ThreadSafe
public final class BrokerCalls {
    private final RemotingClient remoting;
    private final Clock clock;
    private final long defaultTimeoutMs;

    BrokerCalls(RemotingClient remoting, Clock clock, long defaultTimeoutMs) {
        this.remoting = remoting;
        this.clock = clock;
        this.defaultTimeoutMs = defaultTimeoutMs;
    }

    /** What is asked of whom.
     *
     * @param topic for the text of failures; {@code "-"} when none is concerned
     * @param timeoutMs 0 for the default
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Question<Q extends Record, R extends Record>(
            String address, Rpc<Q, R> rpc, Q header, byte @Nullable [] body, String topic, long timeoutMs) {
        /** A question without a body, under the default deadline. */
        public static <Q extends Record, R extends Record> Question<Q, R> of(
                String address, Rpc<Q, R> rpc, Q header, String topic) {
            return new Question<>(address, rpc, header, null, topic, 0);
        }

        /** The same question with a body. */
        public Question<Q, R> withBody(byte[] bytes) {
            return new Question<>(address, rpc, header, bytes, topic, timeoutMs);
        }

        /** The same question under another deadline. */
        public Question<Q, R> withTimeoutMs(long limitMs) {
            return new Question<>(address, rpc, header, body, topic, limitMs);
        }
    }

    /** Gives the answer, whatever its code. */
    public <Q extends Record, R extends Record> CompletableFuture<Answer<R>> ask(Question<Q, R> question) {
        return ask(question, deadlineOf(question));
    }

    private Deadline deadlineOf(Question<?, ?> question) {
        return Deadline.after(clock, question.timeoutMs > 0 ? question.timeoutMs : defaultTimeoutMs);
    }

    private <Q extends Record, R extends Record> CompletableFuture<Answer<R>> ask(
            Question<Q, R> question, Deadline deadline) {
        CompletableFuture<Answer<R>> result = new CompletableFuture<>();
        Completion.on(
                remoting.call(question.address, question.rpc, question.header, question.body, deadline),
                (answer, failure) -> {
                    if (failure == null) {
                        result.complete(answer);
                    } else {
                        result.completeExceptionally(Failures.of(failure, site(question, deadline)));
                    }
                });
        return result;
    }

    /** Gives the answer when its code is 0, else fails with a {@link dev.perigee.client.error.RefusedException}. */
    public <Q extends Record, R extends Record> CompletableFuture<Answer<R>> demand(Question<Q, R> question) {
        return demand(question, deadlineOf(question));
    }

    private <Q extends Record, R extends Record> CompletableFuture<Answer<R>> demand(
            Question<Q, R> question, Deadline deadline) {
        CompletableFuture<Answer<R>> result = new CompletableFuture<>();
        Completion.on(ask(question, deadline), (answer, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (answer.isOk()) {
                result.complete(answer);
            } else {
                result.completeExceptionally(Failures.refused(answer, false, site(question, deadline)));
            }
        });
        return result;
    }

    /** Gives the answer's body read as JSON; fails as {@link #demand}, or when the body is not of the type. */
    public <Q extends Record, R extends Record, T> CompletableFuture<T> demandBody(
            Question<Q, R> question, Class<T> type) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Deadline deadline = deadlineOf(question);
        Completion.on(demand(question, deadline), (answer, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
                return;
            }
            try {
                result.complete(Json.read(answer.body(), type));
            } catch (BadBodyException e) {
                result.completeExceptionally(Failures.malformed(e, site(question, deadline)));
            }
        });
        return result;
    }

    /** Sends without waiting for an answer; dropped when there is no way to send it. */
    public <Q extends Record, R extends Record> void tell(Question<Q, R> question) {
        remoting.oneway(question.address, question.rpc, question.header, question.body);
    }

    private static FailureSite site(Question<?, ?> question, Deadline deadline) {
        return new FailureSite(question.address, question.topic, 1, deadline.remainingMs());
    }
}
