package dev.perigee.broker.retry;

import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.property.MessageProperties;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.property.PropertyKey;
import java.util.LinkedHashMap;
import java.util.Map;

/** What dead letters say of themselves. It is left out where it does not fit: no message is refused for it. */
public final class DeadLetters {
    /** In the order in which they are left out, the last first. */
    private static final String[] FROM = {
        PropertyKey.DLQ_ORIGIN_TOPIC,
        PropertyKey.DLQ_ORIGIN_MESSAGE_ID,
        PropertyKey.DLQ_ORIGIN_QUEUE_ID,
        PropertyKey.DLQ_ORIGIN_OFFSET,
        PropertyKey.DLQ_REASON
    };

    private DeadLetters() {}

    /** @param retries how many there were */
    static String tooManyRetries(int retries, int max) {
        return "retries " + retries + " of " + max;
    }

    static String orderedLimit(int max) {
        return "orderly limit " + max;
    }

    static String byLevel(int delayLevel) {
        return "delayLevel " + delayLevel + " of the consumer";
    }

    /**
     * What is known of where a dead letter came from, by property.
     *
     * @param topic the user's topic
     * @param messageId the offset message id of the first copy
     */
    public static Map<String, String> origin(String topic, String messageId, String reason) {
        Map<String, String> origin = new LinkedHashMap<>();
        origin.put(PropertyKey.DLQ_ORIGIN_TOPIC, topic);
        origin.put(PropertyKey.DLQ_ORIGIN_MESSAGE_ID, messageId);
        origin.put(PropertyKey.DLQ_REASON, reason);
        return origin;
    }

    /** Writes as much of an origin as fits. */
    public static void describe(FrameDraft draft, PropertyEdit properties, Map<String, String> origin) {
        origin.forEach((name, value) -> {
            if (!value.isEmpty()) {
                properties.put(name, value);
            }
        });
        draft.properties(properties);
        for (int i = FROM.length - 1; i >= 0 && draft.storedPropertiesBytes() > MessageProperties.MAX_BYTES; i--) {
            draft.properties(properties.remove(FROM[i]));
        }
    }
}
