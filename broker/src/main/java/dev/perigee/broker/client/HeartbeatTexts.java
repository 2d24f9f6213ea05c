package dev.perigee.broker.client;

import dev.perigee.broker.check.TextLimits;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.topic.TopicName;
import org.jspecify.annotations.Nullable;

/** The texts of a heartbeat, which are kept for as long as its client is connected. */
final class HeartbeatTexts {
    private HeartbeatTexts() {}

    /** The first text that is too long, with its limit; null when there is none. The heartbeat lacks nothing. */
    static @Nullable String excessIn(HeartbeatData data) {
        String excess = TextLimits.excess("clientID", data.clientId(), TextLimits.MAX_NAME_LENGTH);
        for (ProducerData producer : data.producerDataSet()) {
            excess = excess == null ? group("producer", producer.groupName()) : excess;
        }
        for (ConsumerData consumer : data.consumerDataSet()) {
            excess = excess == null ? group("consumer", consumer.groupName()) : excess;
            for (SubscriptionData subscription : consumer.subscriptionDataSet()) {
                excess = excess == null ? excessIn(subscription, consumer.groupName()) : excess;
            }
        }
        return excess;
    }

    private static @Nullable String group(String kind, String name) {
        return TextLimits.excess("groupName of a " + kind, name, TopicName.MAX_DERIVED_LENGTH);
    }

    private static @Nullable String excessIn(SubscriptionData subscription, String group) {
        String of = " of topic " + subscription.topic() + " in consumer group " + group;
        String excess =
                TextLimits.excess("expressionType" + of, subscription.expressionType(), TextLimits.MAX_NAME_LENGTH);
        if (excess == null) {
            excess = TextLimits.excess("subString" + of, subscription.subString(), TextLimits.MAX_EXPRESSION_LENGTH);
        }
        long tagCharacters = 0;
        for (String tag : subscription.tagsSet()) {
            tagCharacters += tag == null ? 0 : tag.length();
        }
        if (excess == null && tagCharacters > TextLimits.MAX_EXPRESSION_LENGTH) {
            excess =
                    "tagsSet" + of + " has " + tagCharacters + " characters, limit " + TextLimits.MAX_EXPRESSION_LENGTH;
        }
        int most =
                Math.max(subscription.tagsSet().size(), subscription.codeSet().size());
        if (excess == null && most > TextLimits.MAX_TAGS) {
            excess = "tagsSet or codeSet" + of + " has " + most + " entries, limit " + TextLimits.MAX_TAGS;
        }
        return excess;
    }
}
