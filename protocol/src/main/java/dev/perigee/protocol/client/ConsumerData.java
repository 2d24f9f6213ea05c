package dev.perigee.protocol.client;

import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import java.util.Set;

/**
 * One consumer group of a client.
 */
public record ConsumerData(
        String groupName,
        ConsumeType consumeType,
        MessageModel messageModel,
        ConsumeFromWhere consumeFromWhere,
        Set<SubscriptionData> subscriptionDataSet,
        boolean unitMode) {
    public ConsumerData {
        consumeType = consumeType == null ? ConsumeType.CONSUME_PASSIVELY : consumeType;
        messageModel = messageModel == null ? MessageModel.CLUSTERING : messageModel;
        consumeFromWhere = consumeFromWhere == null ? ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET : consumeFromWhere;
        subscriptionDataSet = subscriptionDataSet == null ? Set.of() : subscriptionDataSet;
    }
}
