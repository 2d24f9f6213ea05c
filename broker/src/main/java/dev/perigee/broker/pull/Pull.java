package dev.perigee.broker.pull;

import dev.perigee.broker.check.Refusal;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;

/**
 * One pull on its way.
 *
 * @param request what is asked
 * @param reply where the answer goes
 * @param fromOffset where to read on: what was asked for, or behind messages that came while it waited and were not for it
 * @param hasWaited whether it has waited for messages
 * @param deadlineMs until when it may wait, monotonic; {@link #NO_WAIT} when it is to be answered now
 */
@Immutable
record Pull(
        Request<PullMessageHeader> request,
        Reply<PullMessageResponse> reply,
        long fromOffset,
        boolean hasWaited,
        long deadlineMs) {
    static final long NO_WAIT = Long.MIN_VALUE;

    /** A pull that has just come. */
    static Pull of(Request<PullMessageHeader> request, Reply<PullMessageResponse> reply, long deadlineMs) {
        return new Pull(request, reply, request.header().queueOffset(), false, deadlineMs);
    }

    PullMessageHeader header() {
        return request.header();
    }

    boolean mayWait() {
        return deadlineMs != NO_WAIT;
    }

    /** Whether it has waited, and messages went by. */
    boolean hasPassedMessages() {
        return fromOffset > header().queueOffset();
    }

    Pull lastTry() {
        return new Pull(request, reply, fromOffset, hasWaited, NO_WAIT);
    }

    /** Goes on from there, after it has waited. */
    Pull goneOn(long offset) {
        return new Pull(request, reply, offset, true, deadlineMs);
    }

    void refuse(PullChecks.Plan plan) {
        Refusal refusal = plan.refusal();
        if (refusal == null) {
            throw new IllegalStateException("plan of " + header() + " is no refusal");
        }
        if (plan.forbiddenType() == 0) {
            refusal.answer(reply);
        } else {
            PullMessageResponse header =
                    new PullMessageResponse(0, header().queueOffset(), 0, 0, null, null, null, plan.forbiddenType());
            reply.send(refusal.code(), refusal.remark(), header, null);
        }
    }
}
