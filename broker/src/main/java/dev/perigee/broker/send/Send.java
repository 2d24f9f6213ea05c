package dev.perigee.broker.send;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.topic.RouteWaits;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import java.nio.ByteBuffer;

/**
 * One send on its way.
 *
 * @param request what is asked
 * @param reply where the answer goes
 * @param body the body; borrowed on the first try, owned once the send has waited
 * @param waited whether it has already waited for its topic
 */
@Immutable
record Send(Request<SendMessageHeader> request, Reply<SendMessageResponse> reply, ByteBuffer body, boolean waited) {
    static Send first(Request<SendMessageHeader> request, Reply<SendMessageResponse> reply) {
        return new Send(request, reply, request.body(), false);
    }

    SendMessageHeader header() {
        return request.header();
    }

    boolean isBatch() {
        return header().batch() || request.code() == RequestCode.SEND_BATCH_MESSAGE;
    }

    /** The same send with a body of its own, to be tried again after its topic was created. Only during the request. */
    Send afterWait() {
        return waited ? this : new Send(request, reply, ByteBuffer.wrap(request.copyBody()), true);
    }

    /** The same send, answered when the NameServers know of the topic that was made for it. */
    Send answeredBy(RouteWaits routes) {
        return new Send(request, routes.holding(reply), body, waited);
    }

    /** Answers with a refusal; region and trace switch are in every answer. */
    void refuse(Refusal refusal, StoreMarks marks, boolean traceOn) {
        reply.send(refusal.code(), refusal.remark(), marks.refused(traceOn), null);
    }
}
