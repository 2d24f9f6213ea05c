package dev.perigee.client.error;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.remoting.call.Answer;

/**
 * What a peer answered.
 *
 * @param answer the answer, whatever its code
 * @param site who gave it and how it was got, for the text of failures found in it
 * @param <R> response header type
 */
@Immutable
public record Answered<R>(Answer<R> answer, FailureSite site) {
    /** Whether the code is 0. */
    public boolean isOk() {
        return answer.isOk();
    }

    /** The response code. */
    public int code() {
        return answer.code();
    }

    /**
     * The typed form of an answer whose code is not 0.
     *
     * @param retryable whether another try, maybe elsewhere, may succeed
     */
    public RefusedException refused(boolean retryable) {
        return Failures.refused(answer, retryable, site);
    }

    /** The body read as JSON. */
    public <T> T read(Class<T> type) throws MalformedAnswerException {
        try {
            return Json.read(answer.body(), type);
        } catch (BadBodyException e) {
            throw new MalformedAnswerException(String.valueOf(e.getMessage()), site, e);
        }
    }
}
