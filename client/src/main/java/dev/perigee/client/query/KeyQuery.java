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
 * @param maxBytes most bytes of all messages given, with inflated bodies; a broker that has more is named
 */
@Immutable
public record KeyQuery(String topic, String key, Kind kind, int max, long beginMs, long endMs, long maxBytes) {
    /** What the messages of one search may have unless the query says otherwise: 128 MiB. */
    public static final long DEFAULT_MAX_BYTES = 128L << 20;

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
        if (maxBytes < 1) {
            throw new IllegalArgumentException("maxBytes=" + maxBytes + ", must be at least 1");
        }
    }

    /** A query of messages that have {@link #DEFAULT_MAX_BYTES} together. */
    public KeyQuery(String topic, String key, Kind kind, int max, long beginMs, long endMs) {
        this(topic, key, kind, max, beginMs, endMs, DEFAULT_MAX_BYTES);
    }

    /** The newest messages with an index key, of any time. */
    public static KeyQuery of(String topic, String key, int max) {
        return new KeyQuery(topic, key, Kind.INDEX_KEY, max, 0, Long.MAX_VALUE);
    }

    /** All copies of the message with a unique key; there are several when a send was tried again. */
    public static KeyQuery unique(String topic, String uniqueKey) {
        return new KeyQuery(topic, uniqueKey, Kind.UNIQUE_KEY, Integer.MAX_VALUE, 0, Long.MAX_VALUE);
    }

    /** The same query with another limit of bytes. */
    public KeyQuery withMaxBytes(long bytes) {
        return new KeyQuery(topic, key, kind, max, beginMs, endMs, bytes);
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
