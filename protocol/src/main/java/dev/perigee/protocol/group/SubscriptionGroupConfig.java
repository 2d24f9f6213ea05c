package dev.perigee.protocol.group;

import com.alibaba.fastjson2.annotation.JSONField;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of one consumer group.
 *
 * @param consumeTimeoutMinute minutes
 */
public record SubscriptionGroupConfig(
        String groupName,
        @JSONField(defaultValue = "true") boolean consumeEnable,
        @JSONField(defaultValue = "true") boolean consumeFromMinEnable,
        @JSONField(defaultValue = "true") boolean consumeBroadcastEnable,
        @JSONField(defaultValue = "false") boolean consumeMessageOrderly,
        @JSONField(defaultValue = "1") int retryQueueNums,
        @JSONField(defaultValue = "16") int retryMaxTimes,
        @Nullable GroupRetryPolicy groupRetryPolicy,
        @JSONField(defaultValue = "0") long brokerId,
        @JSONField(defaultValue = "1") long whichBrokerWhenConsumeSlowly,
        @JSONField(defaultValue = "true") boolean notifyConsumerIdsChangedEnable,
        @JSONField(defaultValue = "0") int groupSysFlag,
        @JSONField(defaultValue = "15") int consumeTimeoutMinute,
        @Nullable Set<Object> subscriptionDataSet,
        Map<String, String> attributes) {
    public SubscriptionGroupConfig {
        groupRetryPolicy = groupRetryPolicy == null ? GroupRetryPolicy.CUSTOMIZED : groupRetryPolicy;
        attributes = attributes == null ? Map.of() : attributes;
    }

    /** A group with the default settings. */
    public static SubscriptionGroupConfig of(String groupName) {
        return new SubscriptionGroupConfig(
                groupName, true, true, true, false, 1, 16, null, 0, 1, true, 0, 15, null, Map.of());
    }

    /** @param times deliveries after the first; −1 leaves it to the kind of listener */
    public SubscriptionGroupConfig withRetryMaxTimes(int times) {
        return new SubscriptionGroupConfig(
                groupName,
                consumeEnable,
                consumeFromMinEnable,
                consumeBroadcastEnable,
                consumeMessageOrderly,
                retryQueueNums,
                times,
                groupRetryPolicy,
                brokerId,
                whichBrokerWhenConsumeSlowly,
                notifyConsumerIdsChangedEnable,
                groupSysFlag,
                consumeTimeoutMinute,
                subscriptionDataSet,
                attributes);
    }
}
