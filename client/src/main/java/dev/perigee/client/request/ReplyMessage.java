package dev.perigee.client.request;

import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.topic.SystemTopic;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The message that answers a request (broker-client §8): it goes to the reply topic of the cluster that stored the request, and
 * carries what names the request and who asked.
 */
public final class ReplyMessage {
    private static final String TYPE = "reply";

    private ReplyMessage() {}

    /** Whether a message is a reply, which is sent in another way than others. */
    public static boolean isReply(Message message) {
        return TYPE.equals(message.property(PropertyKey.MESSAGE_TYPE));
    }

    /**
     * The reply to a request.
     *
     * @throws InvalidMessageException when the message is no request, naming the property that it lacks
     */
    public static Message to(MessageExt request, byte[] body, long remainingMs) throws InvalidMessageException {
        String cluster = required(request, PropertyKey.CLUSTER, remainingMs);
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put(PropertyKey.MESSAGE_TYPE, TYPE);
        properties.put(PropertyKey.CORRELATION_ID, required(request, PropertyKey.CORRELATION_ID, remainingMs));
        properties.put(PropertyKey.REPLY_TO_CLIENT, required(request, PropertyKey.REPLY_TO_CLIENT, remainingMs));
        String ttl = request.property(PropertyKey.TTL);
        if (ttl != null) {
            properties.put(PropertyKey.TTL, ttl);
        }
        return new Message(SystemTopic.reply(cluster), body, 0, properties);
    }

    private static String required(MessageExt request, String name, long remainingMs) throws InvalidMessageException {
        @Nullable String value = request.property(name);
        if (value == null || value.isEmpty()) {
            throw new InvalidMessageException(
                    "request." + name,
                    String.valueOf(value),
                    "a message sent by a request carries it; messageId=" + request.messageId(),
                    FailureSite.untried(request.topic(), remainingMs));
        }
        return value;
    }
}
