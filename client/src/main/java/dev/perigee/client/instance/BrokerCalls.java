package dev.perigee.client.instance;

import dev.perigee.client.error.Answered;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.client.route.RouteLooks;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.Connection;
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
    private final RouteLooks looks;

    /** @param looks told of each address that did not answer, or answered that it is in no state to */
    BrokerCalls(RemotingClient remoting, Clock clock, long defaultTimeoutMs, RouteLooks looks) {
        this.remoting = remoting;
        this.clock = clock;
        this.defaultTimeoutMs = defaultTimeoutMs;
        this.looks = looks;
    }

    /**
     * What is asked of whom.
     *
     * @param topic for the text of failures; {@code "-"} when none is concerned
     * @param deadline null for the default, counted from the call
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Question<Q extends Record, R extends Record>(
            String address,
            Rpc<Q, R> rpc,
            Q header,
            byte @Nullable [] body,
            String topic,
            @Nullable Deadline deadline) {
        /** A question without a body, under the default deadline. */
        public static <Q extends Record, R extends Record> Question<Q, R> of(
                String address, Rpc<Q, R> rpc, Q header, String topic) {
            return new Question<>(address, rpc, header, null, topic, null);
        }

        /** The same question with a body; null for none. */
        public Question<Q, R> withBody(byte @Nullable [] bytes) {
            return new Question<>(address, rpc, header, bytes, topic, deadline);
        }

        /** The same question under another deadline. */
        public Question<Q, R> until(Deadline end) {
            return new Question<>(address, rpc, header, body, topic, end);
        }

        /** Where the question stands when so much time is left. */
        FailureSite site(Deadline end) {
            return new FailureSite(address, topic, 1, end.remainingMs());
        }
    }

    /**
     * A question on its way.
     *
     * @param call its call; cancelled before it is written, it never is
     * @param answered the answer, whatever its code
     */
    record Asked<R extends Record>(CompletableFuture<Answer<R>> call, CompletableFuture<Answered<R>> answered) {}

    /** Gives the answer, whatever its code. */
    public <Q extends Record, R extends Record> CompletableFuture<Answered<R>> ask(Question<Q, R> question) {
        return put(question).answered();
    }

    /** The default deadline of a call that begins now. */
    public Deadline deadline() {
        return Deadline.after(clock, defaultTimeoutMs);
    }

    private Deadline deadlineOf(Question<?, ?> question) {
        Deadline given = question.deadline;
        return given != null ? given : deadline();
    }

    /** As {@link #ask}, for who may want to take the question back. */
    <Q extends Record, R extends Record> Asked<R> put(Question<Q, R> question) {
        Deadline deadline = deadlineOf(question);
        return asked(
                question,
                deadline,
                remoting.call(question.address, question.rpc, question.header, question.body, deadline));
    }

    private <R extends Record> Asked<R> asked(
            Question<?, R> question, Deadline deadline, CompletableFuture<Answer<R>> call) {
        CompletableFuture<Answered<R>> result = new CompletableFuture<>();
        Completion.on(call, (answer, failure) -> {
            if (failure != null || answer.code() == ResponseCode.SYSTEM_BUSY) {
                looks.failed(question.address, question.topic);
            }
            if (failure == null) {
                result.complete(new Answered<>(answer, question.site(deadline)));
            } else {
                result.completeExceptionally(Failures.of(failure, question.site(deadline)));
            }
        });
        return new Asked<>(call, result);
    }

    /** Gives the answer when its code is 0, else fails with a {@link dev.perigee.client.error.RefusedException}. */
    public <Q extends Record, R extends Record> CompletableFuture<Answer<R>> demand(Question<Q, R> question) {
        return answer(demandAnswered(question));
    }

    /** As {@link #demand(Question)}, over this connection and no other: the question's address is for texts only. */
    public <Q extends Record, R extends Record> CompletableFuture<Answer<R>> demand(
            Question<Q, R> question, Connection over) {
        Deadline deadline = deadlineOf(question);
        CompletableFuture<Answer<R>> call = over.call(question.rpc, question.header, question.body, deadline);
        return answer(accepted(asked(question, deadline, call).answered()));
    }

    private static <R extends Record> CompletableFuture<Answer<R>> answer(CompletableFuture<Answered<R>> question) {
        CompletableFuture<Answer<R>> result = new CompletableFuture<>();
        Completion.on(question, (answered, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else {
                result.complete(answered.answer());
            }
        });
        return result;
    }

    /** As {@link #demand}, with the place the answer comes from. */
    public <Q extends Record, R extends Record> CompletableFuture<Answered<R>> demandAnswered(Question<Q, R> question) {
        return accepted(ask(question));
    }

    private static <R extends Record> CompletableFuture<Answered<R>> accepted(CompletableFuture<Answered<R>> question) {
        CompletableFuture<Answered<R>> result = new CompletableFuture<>();
        Completion.on(question, (answered, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (answered.isOk()) {
                result.complete(answered);
            } else {
                result.completeExceptionally(answered.refused(false));
            }
        });
        return result;
    }

    /** Gives the answer's body read as JSON; fails as {@link #demand}, or when the body is not of the type. */
    public <Q extends Record, R extends Record, T> CompletableFuture<T> demandBody(
            Question<Q, R> question, Class<T> type) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Completion.on(demandAnswered(question), (answered, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
                return;
            }
            try {
                result.complete(answered.read(type));
            } catch (MalformedAnswerException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    /** Sends without waiting for an answer; dropped when there is no way to send it. */
    public <Q extends Record, R extends Record> void tell(Question<Q, R> question) {
        remoting.oneway(question.address, question.rpc, question.header, question.body);
    }
}
