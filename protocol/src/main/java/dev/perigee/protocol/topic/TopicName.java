package dev.perigee.protocol.topic;

import org.jspecify.annotations.Nullable;

/** What may be a topic name, and the names made from groups. */
public final class TopicName {
    public static final int MAX_LENGTH = 127;
    /** The limit of retry and dead-letter topics. */
    public static final int MAX_DERIVED_LENGTH = 255;

    public static final String RETRY_PREFIX = "%RETRY%";
    public static final String DLQ_PREFIX = "%DLQ%";
    /** The characters allowed, as a regular expression. */
    public static final String ALLOWED = "^[%|a-zA-Z0-9_-]+$";

    private TopicName() {}

    /** The topic from which a group gets messages again that it failed to consume. */
    public static String retry(String group) {
        return RETRY_PREFIX + group;
    }

    /** The topic of the messages that a group failed to consume too often. */
    public static String dlq(String group) {
        return DLQ_PREFIX + group;
    }

    /** Whether this is some group's retry topic. */
    public static boolean isRetry(String topic) {
        return topic.startsWith(RETRY_PREFIX);
    }

    /** Whether this is some group's dead-letter topic. */
    public static boolean isDlq(String topic) {
        return topic.startsWith(DLQ_PREFIX);
    }

    /** Why this cannot be a topic name, in a sentence that names value and limit; null when it can. */
    public static @Nullable String problem(@Nullable String topic) {
        if (topic == null || topic.isBlank()) {
            return "the topic is blank";
        }
        int limit = isRetry(topic) || isDlq(topic) ? MAX_DERIVED_LENGTH : MAX_LENGTH;
        if (topic.length() > limit) {
            return "the topic has " + topic.length() + " characters, limit " + limit + ": "
                    + topic.substring(0, MAX_LENGTH) + "…";
        }
        return isAllowed(topic)
                ? null
                : "the topic[" + topic + "] contains illegal characters, allowing only " + ALLOWED;
    }

    /** Whether the text consists of allowed characters only. */
    public static boolean isAllowed(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean allowed = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '_'
                    || c == '-'
                    || c == '%'
                    || c == '|';
            if (!allowed) {
                return false;
            }
        }
        return !text.isEmpty();
    }
}
