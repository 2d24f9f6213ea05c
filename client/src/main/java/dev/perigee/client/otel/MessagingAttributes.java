package dev.perigee.client.otel;

import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.property.PropertyKey;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.List;

/** The names the semantic conventions for messaging give to what is known about a message. */
final class MessagingAttributes {
    static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    static final AttributeKey<String> OPERATION_NAME = AttributeKey.stringKey("messaging.operation.name");
    static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
    static final AttributeKey<String> DESTINATION = AttributeKey.stringKey("messaging.destination.name");
    static final AttributeKey<String> PARTITION = AttributeKey.stringKey("messaging.destination.partition.id");
    static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");
    static final AttributeKey<Long> BODY_SIZE = AttributeKey.longKey("messaging.message.body.size");
    static final AttributeKey<Long> BATCH_COUNT = AttributeKey.longKey("messaging.batch.message_count");
    static final AttributeKey<String> CONSUMER_GROUP = AttributeKey.stringKey("messaging.consumer.group.name");
    static final AttributeKey<String> TAG = AttributeKey.stringKey("messaging.rocketmq.message.tag");
    static final AttributeKey<List<String>> KEYS = AttributeKey.stringArrayKey("messaging.rocketmq.message.keys");
    static final AttributeKey<String> TYPE = AttributeKey.stringKey("messaging.rocketmq.message.type");
    static final AttributeKey<String> SERVER_ADDRESS = AttributeKey.stringKey("server.address");
    static final AttributeKey<Long> SERVER_PORT = AttributeKey.longKey("server.port");
    static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    private static final List<String> DELAYS =
            List.of(PropertyKey.TIMER_DELAY_MS, PropertyKey.TIMER_DELIVER_MS, PropertyKey.TIMER_DELAY_SEC);

    private MessagingAttributes() {}

    /** What every span says: the operation and where it goes. */
    static AttributesBuilder operation(String name, String type, String topic) {
        return Attributes.builder()
                .put(SYSTEM, "rocketmq")
                .put(OPERATION_NAME, name)
                .put(OPERATION_TYPE, type)
                .put(DESTINATION, topic);
    }

    /** Adds what a message says of itself. */
    static AttributesBuilder describe(AttributesBuilder attributes, Message message) {
        attributes.put(BODY_SIZE, (long) message.body().length).put(TYPE, type(message));
        String tag = message.tag();
        if (tag != null) {
            attributes.put(TAG, tag);
        }
        List<String> keys = message.keys();
        if (!keys.isEmpty()) {
            attributes.put(KEYS, keys);
        }
        return attributes;
    }

    private static String type(Message message) {
        if (message.property(PropertyKey.TRANSACTION_PREPARED) != null) {
            return "transaction";
        }
        if (message.delayLevel() > 0 || DELAYS.stream().anyMatch(name -> message.property(name) != null)) {
            return "delay";
        }
        return message.property(PropertyKey.SHARDING_KEY) != null ? "fifo" : "normal";
    }

    /** Adds who was spoken to, {@code host:port}; nothing when that is not known. */
    static void server(AttributesBuilder attributes, String address) {
        int colon = address.lastIndexOf(':');
        if (colon > 0) {
            attributes.put(SERVER_ADDRESS, address.substring(0, colon));
            attributes.put(SERVER_PORT, Long.parseLong(address.substring(colon + 1)));
        }
    }
}
