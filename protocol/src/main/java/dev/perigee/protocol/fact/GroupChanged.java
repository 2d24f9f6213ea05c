package dev.perigee.protocol.fact;

import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.topic.TopicConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A consumer group was made, its configuration changed, or queues were pinned for it.
 *
 * @param group the whole new configuration
 * @param retryTopic its retry topic if that is made with it
 * @param pins where the group starts in queues it has no offset for; an offset that is there already wins
 */
public record GroupChanged(
        SubscriptionGroupConfig group, @Nullable TopicConfig retryTopic, List<QueueCommit> pins) implements Fact {
    static final String KIND = "GROUP_CHANGED";

    public GroupChanged {
        pins = pins == null ? List.of() : pins;
    }

    @Override
    public String kind() {
        return KIND;
    }
}
