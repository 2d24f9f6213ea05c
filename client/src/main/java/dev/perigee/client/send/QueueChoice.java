package dev.perigee.client.send;

import dev.perigee.client.route.TopicRoute;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The one queue a message goes to: named by the caller, or chosen from a route, and then chosen anew when that route turns out to be old.
 *
 * @param queue the queue
 * @param again chooses from a newer route; null for a queue that the caller named
 */
@Immutable
public record QueueChoice(MessageQueue queue, @Nullable Function<TopicRoute, MessageQueue> again) {
    /** The queue the caller named. */
    public static QueueChoice named(MessageQueue queue) {
        return new QueueChoice(queue, null);
    }

    /** The queue the caller named, if any. */
    public static @Nullable QueueChoice ofNullable(@Nullable MessageQueue queue) {
        return queue == null ? null : named(queue);
    }

    /** The queue of a choice, if any. */
    public static @Nullable MessageQueue queueOf(@Nullable QueueChoice choice) {
        return choice == null ? null : choice.queue;
    }

    /** Whether the caller named it: then it stays what it is. */
    boolean isNamed() {
        return again == null;
    }

    /** The choice by a newer route; null when the user's rule fails on it. */
    @Nullable
    MessageQueue in(TopicRoute newer) {
        Function<TopicRoute, MessageQueue> rule = again;
        if (rule == null) {
            return queue;
        }
        try {
            return rule.apply(newer);
        } catch (RuntimeException | Error e) { // the refusal that made it necessary is told
            return null;
        }
    }
}
