package dev.perigee.broker.send;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Sends in two steps, for a message that has to reach somebody before it is stored: checked like any send first, stored
 * later. Neither step makes a topic. Every method runs on the event loop of the request's connection.
 */
@ThreadSafe
public final class CheckedSends {
    /** The message id in the answer about a message that was taken and is not stored. */
    public static final String NO_MESSAGE_ID = "0";

    private final SendParts parts;
    private final TopicView topics;
    private final LiveConfig config;

    /** Shares the parts of the {@link SendHandler}. */
    public CheckedSends(SendParts parts, TopicView topics, LiveConfig config) {
        this.parts = parts;
        this.topics = topics;
        this.config = config;
    }

    /** Why the message would be refused now; null when it would not be. */
    public @Nullable Refusal check(Request<SendMessageHeader> request, Reply<SendMessageResponse> reply) {
        SendMessageHeader header = request.header();
        TopicConfig topic = topics.current().find(header.topic());
        Send send = Send.first(request, reply);
        Refusal refusal = parts.checks().beforeTopic(send, config.settings(), topic);
        if (refusal == null) {
            refusal = parts.checks().content(header, request.body().remaining(), false);
        }
        if (refusal == null) {
            refusal = topic == null ? missing(header) : parts.checks().againstTopic(header, topic);
        }
        if (refusal != null || topic == null) {
            return refusal;
        }
        return parts.writing().refuse(send, topic, null, traceOn());
    }

    /** Answers with a refusal, as a send does. */
    public void refuse(Refusal refusal, Reply<SendMessageResponse> reply) {
        parts.stats().refused();
        reply.send(refusal.code(), refusal.remark(), parts.writing().marks().refused(traceOn()), null);
    }

    /** The header of an answer about a message that was taken and is not stored. */
    public SendMessageResponse notStored(int queueId) {
        return parts.writing().marks().stored(NO_MESSAGE_ID, Math.max(0, queueId), 0, null, null, traceOn());
    }

    /** Stores a message that {@link #check} found nothing wrong with, and answers when it is stored. */
    public void store(Request<SendMessageHeader> request, Reply<SendMessageResponse> reply, byte[] body) {
        Send send = new Send(request, reply, ByteBuffer.wrap(body), true);
        TopicConfig topic = topics.current().find(request.header().topic());
        Refusal refusal =
                topic == null ? missing(request.header()) : parts.checks().againstTopic(request.header(), topic);
        if (refusal == null && topic != null) {
            refusal = parts.writing().append(send, topic, request.header().queueId(), null, traceOn());
        }
        if (refusal != null) {
            refuse(refusal, reply);
        }
    }

    private static Refusal missing(SendMessageHeader header) {
        return new Refusal(
                ResponseCode.TOPIC_NOT_EXIST, "topic[" + header.topic() + "] not exist, apply first please!");
    }

    private boolean traceOn() {
        return config.settings().traceOn();
    }
}
