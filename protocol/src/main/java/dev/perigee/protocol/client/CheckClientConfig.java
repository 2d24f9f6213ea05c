package dev.perigee.protocol.client;

import dev.perigee.protocol.group.SubscriptionData;
import org.jspecify.annotations.Nullable;

/**
 * Body of CHECK_CLIENT_CONFIG (46).
 */
public record CheckClientConfig(
        String clientId,
        String group,
        @Nullable String namespace,
        @Nullable SubscriptionData subscriptionData) {}
