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
 * @param maySuspend whether it may wait; false once it has
 */
@Immutable
record Pull(Request<PullMessageHeader> request, Reply<PullMessageResponse> reply, boolean maySuspend) {
    PullMessageHeader header() {
        return request.header();
    }

    Pull lastTry() {
        return maySuspend ? new Pull(request, reply, false) : this;
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
