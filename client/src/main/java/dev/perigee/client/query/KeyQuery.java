package dev.perigee.client.query;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageExt;

/**
 * What is looked for by key.
 *
 * @param topic the topic, as the messages lie in it
 * @param key one of the index keys, or the unique key; compared as text
 * @param kind which of them
 * @param max most messages given, at least 1
 * @param beginMs earliest store time (inclusive), milliseconds since 1970
 * @param endMs latest store time (inclusive)
 */
@Immutable
public record KeyQuery(String topic, String key, Kind kind, int max, long beginMs, long endMs) {
    /** Which key of a message is meant. */
    public enum Kind {
        /** One of those its sender chose. */
        INDEX_KEY,
        /** The one its producer made. */
        UNIQUE_KEY
    }

    public KeyQuery {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("key is empty");
        }
        if (max < 1) {
            throw new IllegalArgumentException("max=" + max + ", must be at least 1");
        }
        if (beginMs < 0 || beginMs > endMs) {
            throw new IllegalArgumentException(
                    "beginMs=" + beginMs + " endMs=" + endMs + ", must be from 0 on and in this order");
        }
    }

    /** The newest messages with an index key, of any time. */
    public static KeyQuery of(String topic, String key, int max) {
        return new KeyQuery(topic, key, Kind.INDEX_KEY, max, 0, Long.MAX_VALUE);
    }

    /** All copies of the message with a unique key; there are several when a send was tried again. */
    public static KeyQuery unique(String topic, String uniqueKey) {
        return new KeyQuery(topic, uniqueKey, Kind.UNIQUE_KEY, Integer.MAX_VALUE, 0, Long.MAX_VALUE);
    }

    boolean isUnique() {
        return kind == Kind.UNIQUE_KEY;
    }

    /** Whether a message is one of those looked for: brokers that compare hashes, or whole seconds, give others too. */
    boolean matches(MessageExt message) {
        return message.topic().equals(topic)
                && message.storeTimestampMs() >= beginMs
                && message.storeTimestampMs() <= endMs
                && (isUnique()
                        ? key.equals(message.message().uniqueId())
                        : message.keys().contains(key));
    }
}
