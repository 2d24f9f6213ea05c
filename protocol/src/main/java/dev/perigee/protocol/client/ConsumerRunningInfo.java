package dev.perigee.protocol.client;

import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answer body of GET_CONSUMER_RUNNING_INFO (307).
 */
public record ConsumerRunningInfo(
        Map<String, String> properties,
        Set<SubscriptionData> subscriptionSet,
        Map<MessageQueue, QueueRunningInfo> mqTable,
        @Nullable Map<MessageQueue, Object> mqPopTable,
        Map<String, ConsumeStatus> statusTable,
        @Nullable Map<String, String> userConsumerInfo,
        @Nullable String jstack) {
    public ConsumerRunningInfo {
        properties = properties == null ? Map.of() : properties;
        subscriptionSet = subscriptionSet == null ? Set.of() : subscriptionSet;
        mqTable = mqTable == null ? Map.of() : mqTable;
        statusTable = statusTable == null ? Map.of() : statusTable;
    }
}
