package dev.perigee.client.send;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageQueue;
import org.jspecify.annotations.Nullable;

/**
 * The one queue a message goes to: named by the caller, or chosen from a route, and then chosen anew when that route turns out to be old.
 *
 * @param queue the queue
 * @param again chooses from a newer route; null for a queue that the caller named
 */
@Immutable
public record QueueChoice(MessageQueue queue, @Nullable Rule again) {
    /** How a queue is chosen. */
    public interface Rule {
        /**
         * Chooses from a route that has queues; on any thread. May throw anything: it is mostly the user's.
         *
         * @throws ClientException when it chooses none of the topic
         */
        MessageQueue choose(TopicRoute route) throws ClientException;
    }

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

    /** The choice by a newer route. */
    MessageQueue in(TopicRoute newer) throws ClientException {
        Rule rule = again;
        return rule == null ? queue : rule.choose(newer);
    }
}
