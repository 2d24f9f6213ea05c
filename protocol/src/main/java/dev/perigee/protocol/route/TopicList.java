package dev.perigee.protocol.route;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Body of the requests that list topics.
 */
public record TopicList(Set<String> topicList, @Nullable String brokerAddr) {
    public TopicList {
        topicList = topicList == null ? Set.of() : topicList;
    }

    /** A list without the address of a broker. */
    public static TopicList of(Set<String> topics) {
        return new TopicList(topics, null);
    }
}
