package dev.perigee.broker.check;

import dev.perigee.loop.Immutable;
import dev.perigee.remoting.Reply;

/**
 * Why a request is not carried out.
 *
 * @param code the response code
 * @param remark a text that names field, value and limit
 */
@Immutable
public record Refusal(int code, String remark) {
    /** Answers with it. */
    public void answer(Reply<?> reply) {
        reply.fail(code, remark);
    }
}
