package dev.perigee.client.query;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageExt;
import java.util.List;

/**
 * What was found at all brokers of a topic.
 *
 * @param messages the newest of all brokers, newest first
 * @param missing the brokers that may hold more; what others gave is there all the same
 */
@Immutable
public record Found(List<MessageExt> messages, List<Missing> missing) {
    public Found {
        messages = List.copyOf(messages);
        missing = List.copyOf(missing);
    }

    /** Whether every broker was heard to the end: then there is nothing else, and no messages means that there are none. */
    public boolean isComplete() {
        return missing.isEmpty();
    }
}
