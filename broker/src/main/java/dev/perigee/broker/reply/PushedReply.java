package dev.perigee.broker.reply;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.transport.Payload;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answer about a reply that its requester has: a success, whatever becomes of the stored copy, for a responder that
 * tried again would reach the requester twice.
 *
 * @param reply the way back
 * @param notStored what is answered when there is no stored copy
 */
@Immutable
record PushedReply(Reply<SendMessageResponse> reply, SendMessageResponse notStored)
        implements Reply<SendMessageResponse> {
    private static final Logger LOG = LoggerFactory.getLogger(PushedReply.class);

    @Override
    public void send(int code, @Nullable String remark, @Nullable SendMessageResponse header, @Nullable Payload body) {
        if (body != null) {
            body.release();
        }
        reply.ok(header != null && header.msgId() != null ? header : notStored);
    }

    /** Only the stored copy failed. */
    @Override
    public void failed(RuntimeException cause) {
        LOG.warn("event=reply_not_stored queueId={}", notStored.queueId(), cause);
        reply.ok(notStored);
    }

    @Override
    public void resume(Runnable step) {
        reply.resume(step);
    }
}
