package dev.perigee.broker.view;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.TopicConfig;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Every topic at one point of the log.
 *
 * @param byName name → configuration
 * @param version grows with every change
 */
@Immutable
public record Topics(Map<String, TopicConfig> byName, DataVersion version) {
    static final Topics NONE = new Topics(Map.of(), DataVersion.NONE);

    /** The topic, or null when it does not exist. */
    public @Nullable TopicConfig find(String topic) {
        return byName.get(topic);
    }
}
