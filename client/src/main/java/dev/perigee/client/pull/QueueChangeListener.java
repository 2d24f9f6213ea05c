package dev.perigee.client.pull;

import dev.perigee.protocol.message.MessageQueue;
import java.util.Set;

/** Hears when the queues of a subscribed topic, or this consumer's part of them, have changed. */
@FunctionalInterface
public interface QueueChangeListener {
    /**
     * Called for one change at a time, in the order they happened, on a thread of its own; blocking holds up only further
     * calls. What it throws is logged.
     *
     * @param all the queues of the topic that can be read; empty when the topic was given up
     * @param mine those that are this consumer's from now on
     */
    void changed(String topic, Set<MessageQueue> all, Set<MessageQueue> mine);
}
