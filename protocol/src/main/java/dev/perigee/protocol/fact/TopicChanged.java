package dev.perigee.protocol.fact;

import dev.perigee.protocol.topic.TopicConfig;

/**
 * A topic was made or its configuration changed.
 *
 * @param topic the whole new configuration
 */
public record TopicChanged(TopicConfig topic) implements Fact {
    static final String KIND = "TOPIC_CHANGED";

    @Override
    public String kind() {
        return KIND;
    }
}
