package dev.perigee.protocol.group;

import org.jspecify.annotations.Nullable;

/**
 * Body of QUERY_SUBSCRIPTION_BY_CONSUMER (345).
 */
public record GroupSubscription(
        String group, @Nullable String topic, @Nullable SubscriptionData subscriptionData) {}
