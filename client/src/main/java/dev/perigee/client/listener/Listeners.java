package dev.perigee.client.listener;

import dev.perigee.loop.Immutable;

/**
 * What a push consumer calls.
 *
 * @param body the listener, of either kind
 * @param isOrderly which kind
 */
@Immutable
public record Listeners(ListenerRun.Body body, boolean isOrderly) {
    /** A listener that takes messages in no order. */
    public static Listeners concurrent(MessageListener listener) {
        return new Listeners(listener::consume, false);
    }

    /** A listener that takes each queue in order. */
    public static Listeners orderly(OrderlyMessageListener listener) {
        return new Listeners(listener::consume, true);
    }
}
