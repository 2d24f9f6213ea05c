package dev.perigee.client.error;

import dev.perigee.protocol.rpc.CodeNames;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.RemotingException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** Turns what the layers below report into this module's exceptions. */
public final class Failures {
    private Failures() {}

    /** The cause inside the wrappers futures put around it. */
    public static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /**
     * The typed form of a failed call. A failure that has its type already keeps address, topic and attempt of the place it
     * comes from; the time left is that of the whole operation.
     */
    public static ClientException of(Throwable failure, FailureSite site) {
        Throwable cause = unwrap(failure);
        if (cause instanceof ClientException known) {
            return known.withRemainingMs(site.remainingMs());
        }
        String text = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        if (cause instanceof RemotingException.CallTimeout) {
            return new DeadlineExceededException(text, site, cause);
        }
        if (cause instanceof RemotingException.AnswerUnreadable) {
            return new MalformedAnswerException(text, site, cause);
        }
        return new UnreachableException(text, site, cause);
    }

    /**
     * Waits for a result. Blocks the calling thread; the future must end by itself, as every call with a deadline does.
     *
     * @param what the operation, for the text when the thread is interrupted
     * @param where tells, when it fails, where the operation stands
     * @throws ClientException the typed form of the future's failure
     */
    public static <T> T await(CompletableFuture<T> future, String what, Supplier<FailureSite> where)
            throws ClientException {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCallException("interrupted during " + what, where.get(), e);
        } catch (ExecutionException | CancellationException e) {
            throw of(e, where.get());
        }
    }

    /** The typed form of an answer whose code is not 0. */
    public static RefusedException refused(Answer<?> answer, boolean retryable, FailureSite site) {
        return new RefusedException(
                answer.code(), CodeNames.response(answer.code()), answer.remarkText(), retryable, site);
    }
}
