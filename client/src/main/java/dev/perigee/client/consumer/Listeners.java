package dev.perigee.client.consumer;

import dev.perigee.loop.Immutable;
import java.util.Map;

/**
 * What a push consumer calls, and for which topics.
 *
 * @param body the listener, of either kind
 * @param isOrderly which kind
 * @param subscriptions expressions by topic
 */
@Immutable
record Listeners(ListenerRun.Body body, boolean isOrderly, Map<String, String> subscriptions) {
    Listeners {
        subscriptions = Map.copyOf(subscriptions);
    }
}
