package dev.perigee.client.producer;

import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.property.MessageProperties;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicName;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks messages before they cost a request. Each check is told how much of the call's time is left, for the text.
 *
 * @param maxMessageBytes largest body, and largest encoded batch
 */
@Immutable
record MessageChecks(int maxMessageBytes) {
    /** Properties that make a broker treat a message in a way a batch cannot say. */
    private static final List<String> NOT_IN_BATCHES = List.of(
            PropertyKey.DELAY_LEVEL,
            PropertyKey.TIMER_DELAY_SEC,
            PropertyKey.TIMER_DELAY_MS,
            PropertyKey.TIMER_DELIVER_MS,
            PropertyKey.PRIORITY,
            PropertyKey.MESSAGE_TYPE);

    private static final int SHOWN_CHARS = 64;

    void topic(String topic, long remainingMs) throws InvalidMessageException {
        String problem = TopicName.problem(topic);
        if (problem != null) {
            throw new InvalidMessageException(
                    "topic", shown(topic), problem, FailureSite.untried(shown(topic), remainingMs));
        }
        if (SystemTopic.isForbiddenToSend(topic)) {
            throw new InvalidMessageException(
                    "topic", topic, "a topic users may send to", FailureSite.untried(topic, remainingMs));
        }
    }

    /** Checks everything but the topic. */
    void content(Message message, long remainingMs) throws InvalidMessageException {
        int bodyBytes = message.body().length;
        if (bodyBytes == 0 || bodyBytes > maxMessageBytes) {
            throw new InvalidMessageException(
                    "body.sizeBytes",
                    Integer.toString(bodyBytes),
                    "1 to " + maxMessageBytes + " bytes",
                    FailureSite.untried(message.topic(), remainingMs));
        }
        long propertyBytes = 0;
        for (Map.Entry<String, String> property : message.properties().entrySet()) {
            if (!MessageProperties.isPlain(property.getKey()) || !MessageProperties.isPlain(property.getValue())) {
                throw new InvalidMessageException(
                        "property " + shown(property.getKey()),
                        shown(property.getValue()),
                        "name and value must not be empty nor contain the characters 1 and 2",
                        FailureSite.untried(message.topic(), remainingMs));
            }
            propertyBytes += property.getKey().length() + property.getValue().length() + 2L;
        }
        if (propertyBytes > MessageProperties.MAX_BYTES / 4) {
            exactPropertySize(message, remainingMs);
        }
        if (message.delayLevel() > 0 && hasTimer(message)) {
            throw new InvalidMessageException(
                    "DELAY",
                    Integer.toString(message.delayLevel()),
                    "not together with a TIMER_ property",
                    FailureSite.untried(message.topic(), remainingMs));
        }
    }

    /** The quick sum counts characters; close to the limit the encoded bytes decide, with room for the unique key. */
    private static void exactPropertySize(Message message, long remainingMs) throws InvalidMessageException {
        int encoded = BatchBuffer.properties(message, "0".repeat(32)).length;
        if (encoded > MessageProperties.MAX_BYTES) {
            throw new InvalidMessageException(
                    "properties.sizeBytes",
                    Integer.toString(encoded),
                    "at most " + MessageProperties.MAX_BYTES + " bytes encoded",
                    FailureSite.untried(message.topic(), remainingMs));
        }
    }

    /** The order key of a message that is to be kept in order. */
    String orderKey(Message message, long remainingMs) throws InvalidMessageException {
        String key = message.property(PropertyKey.SHARDING_KEY);
        if (key == null) {
            throw new InvalidMessageException(
                    "orderKey",
                    "none",
                    "a message that is sent in order has one",
                    FailureSite.untried(shown(message.topic()), remainingMs));
        }
        return key;
    }

    /** Checks that the queue a caller or a selector chose is one of the topic. */
    void queue(String topic, @Nullable MessageQueue queue, long remainingMs) throws InvalidMessageException {
        if (queue != null && (!queue.topic().equals(topic) || queue.queueId() < 0)) {
            throw new InvalidMessageException(
                    "queue",
                    shown(queue.toString()),
                    "a queue of the message's topic, numbered from 0",
                    FailureSite.untried(shown(topic), remainingMs));
        }
    }

    /** Checks that messages can share one explicit batch. */
    void batch(List<Message> messages, long remainingMs) throws InvalidMessageException {
        if (messages.isEmpty()) {
            throw new InvalidMessageException(
                    "batch.size", "0", "at least one message", FailureSite.untried(FailureSite.NONE, remainingMs));
        }
        Message first = messages.get(0);
        topic(first.topic(), remainingMs);
        for (Message message : messages) {
            content(message, remainingMs);
            if (!message.topic().equals(first.topic())) {
                throw new InvalidMessageException(
                        "batch.topic",
                        message.topic(),
                        "one topic for all messages: " + first.topic(),
                        FailureSite.untried(first.topic(), remainingMs));
            }
            if (message.waitForStore() != first.waitForStore()) {
                throw new InvalidMessageException(
                        "batch.WAIT",
                        Boolean.toString(message.waitForStore()),
                        "one wait mode for all messages: " + first.waitForStore(),
                        FailureSite.untried(first.topic(), remainingMs));
            }
            String obstacle = obstacleToBatch(message);
            if (obstacle != null) {
                throw new InvalidMessageException(
                        "batch." + obstacle,
                        shown(obstacle.equals("topic") ? first.topic() : String.valueOf(message.property(obstacle))),
                        "no retry topic, no reply, no DELAY, TIMER_ or priority property",
                        FailureSite.untried(first.topic(), remainingMs));
            }
        }
    }

    void batchSize(int encodedBytes, String topic, long remainingMs) throws InvalidMessageException {
        if (encodedBytes > maxMessageBytes) {
            throw new InvalidMessageException(
                    "batch.sizeBytes",
                    Integer.toString(encodedBytes),
                    "at most " + maxMessageBytes + " bytes encoded",
                    FailureSite.untried(topic, remainingMs));
        }
    }

    static boolean isBatchable(Message message) {
        return obstacleToBatch(message) == null;
    }

    /** What keeps a message out of a batch: the name of a property, or {@code topic}; null for nothing. */
    private static @Nullable String obstacleToBatch(Message message) {
        if (TopicName.isRetry(message.topic())) {
            return "topic";
        }
        if (!message.properties().isEmpty()) {
            for (String name : NOT_IN_BATCHES) {
                if (message.property(name) != null) {
                    return name;
                }
            }
        }
        return null;
    }

    private static boolean hasTimer(Message message) {
        return message.property(PropertyKey.TIMER_DELAY_SEC) != null
                || message.property(PropertyKey.TIMER_DELAY_MS) != null
                || message.property(PropertyKey.TIMER_DELIVER_MS) != null;
    }

    private static String shown(String text) {
        return text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "…(" + text.length() + " chars)";
    }
}
