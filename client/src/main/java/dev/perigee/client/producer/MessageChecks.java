package dev.perigee.client.producer;

import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.property.MessageProperties;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicName;
import java.util.List;
import java.util.Map;

/**
 * Checks messages before they cost a request.
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
            PropertyKey.TRANSACTION_PREPARED);

    private static final int SHOWN_CHARS = 64;

    void topic(String topic) throws InvalidMessageException {
        String problem = TopicName.problem(topic);
        if (problem != null) {
            throw new InvalidMessageException("topic", shown(topic), problem, shown(topic));
        }
        if (SystemTopic.isForbiddenToSend(topic)) {
            throw new InvalidMessageException("topic", topic, "a topic users may send to", topic);
        }
    }

    /** Checks everything but the topic. */
    void content(Message message) throws InvalidMessageException {
        int bodyBytes = message.body().length;
        if (bodyBytes == 0 || bodyBytes > maxMessageBytes) {
            throw new InvalidMessageException(
                    "body.sizeBytes",
                    Integer.toString(bodyBytes),
                    "1 to " + maxMessageBytes + " bytes",
                    message.topic());
        }
        long propertyBytes = 0;
        for (Map.Entry<String, String> property : message.properties().entrySet()) {
            if (!MessageProperties.isPlain(property.getKey()) || !MessageProperties.isPlain(property.getValue())) {
                throw new InvalidMessageException(
                        "property " + shown(property.getKey()),
                        shown(property.getValue()),
                        "name and value must not be empty nor contain the characters 1 and 2",
                        message.topic());
            }
            propertyBytes += property.getKey().length() + property.getValue().length() + 2L;
        }
        if (propertyBytes > MessageProperties.MAX_BYTES / 4) {
            exactPropertySize(message);
        }
        if (message.delayLevel() > 0 && hasTimer(message)) {
            throw new InvalidMessageException(
                    "DELAY",
                    Integer.toString(message.delayLevel()),
                    "not together with a TIMER_ property",
                    message.topic());
        }
    }

    /** The quick sum counts characters; close to the limit the encoded bytes decide, with room for the unique key. */
    private static void exactPropertySize(Message message) throws InvalidMessageException {
        int encoded = BatchBuffer.properties(message, "0".repeat(32)).length;
        if (encoded > MessageProperties.MAX_BYTES) {
            throw new InvalidMessageException(
                    "properties.sizeBytes",
                    Integer.toString(encoded),
                    "at most " + MessageProperties.MAX_BYTES + " bytes encoded",
                    message.topic());
        }
    }

    /** Checks that messages can share one explicit batch. */
    void batch(List<Message> messages) throws InvalidMessageException {
        if (messages.isEmpty()) {
            throw new InvalidMessageException("batch.size", "0", "at least one message", "-");
        }
        Message first = messages.get(0);
        topic(first.topic());
        for (Message message : messages) {
            content(message);
            if (!message.topic().equals(first.topic())) {
                throw new InvalidMessageException(
                        "batch.topic", message.topic(), "one topic for all messages: " + first.topic(), first.topic());
            }
            if (message.waitForStore() != first.waitForStore()) {
                throw new InvalidMessageException(
                        "batch.WAIT",
                        Boolean.toString(message.waitForStore()),
                        "one wait mode for all messages: " + first.waitForStore(),
                        first.topic());
            }
            if (!isBatchable(message)) {
                throw new InvalidMessageException(
                        "batch.message",
                        shown(message.toString()),
                        "no retry topic, no DELAY, TIMER_ or TRAN_MSG property",
                        first.topic());
            }
        }
    }

    void batchSize(int encodedBytes, String topic) throws InvalidMessageException {
        if (encodedBytes > maxMessageBytes) {
            throw new InvalidMessageException(
                    "batch.sizeBytes",
                    Integer.toString(encodedBytes),
                    "at most " + maxMessageBytes + " bytes encoded",
                    topic);
        }
    }

    static boolean isBatchable(Message message) {
        if (message.properties().isEmpty()) {
            return !TopicName.isRetry(message.topic());
        }
        for (String name : NOT_IN_BATCHES) {
            if (message.property(name) != null) {
                return false;
            }
        }
        return !TopicName.isRetry(message.topic());
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
