package dev.perigee.protocol.client;

import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Body of GET_CONSUMER_CONNECTION_LIST (203).
 *
 * @param subscriptionConflicts Perigee's own, absent when there are none and from stock brokers: topic → client id → what
 *     that member wants of it, for topics of which the members want different things
 */
public record ConsumerConnection(
        Set<ClientConnection> connectionSet,
        Map<String, SubscriptionData> subscriptionTable,
        @Nullable ConsumeType consumeType,
        @Nullable MessageModel messageModel,
        @Nullable ConsumeFromWhere consumeFromWhere,
        @Nullable Map<String, Map<String, String>> subscriptionConflicts) {
    public ConsumerConnection {
        connectionSet = connectionSet == null ? Set.of() : connectionSet;
        subscriptionTable = subscriptionTable == null ? Map.of() : subscriptionTable;
    }
}
