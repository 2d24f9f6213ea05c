package dev.perigee.broker.group;

import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.FactKeys;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.OffsetsCommitted;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.store.append.AppendResult;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pins the groups that subscribed to a topic before there was one of that name. All its messages are sent after they came,
 * so they start at 0 in every queue. That way a subscription to a name that may never exist leaves nothing in the log.
 */
@ThreadSafe
public final class LatePins {
    /** Groups pinned by one fact; more make more facts. */
    static final int MAX_PER_FACT = 2_000;

    private static final Logger LOG = LoggerFactory.getLogger(LatePins.class);

    private final OffsetView offsets;
    private final FactDesk desk;
    private final Function<String, ? extends Collection<String>> subscribers;

    /** {@code subscribers} gives the connected groups that want a topic and are pinned by the broker. */
    public LatePins(OffsetView offsets, FactDesk desk, Function<String, ? extends Collection<String>> subscribers) {
        this.offsets = offsets;
        this.desk = desk;
        this.subscribers = subscribers;
    }

    /**
     * A topic was made. View loop.
     *
     * @param then run on the view loop when its subscribers are pinned, or could not be
     */
    public void topicMade(String topic, Runnable then) {
        List<String> groups = unpinned(topic);
        if (groups.isEmpty()) {
            then.run();
            return;
        }
        desk.submit(FactKeys.topic(topic), () -> pins(topic), result -> {
            if (result == AppendResult.APPENDED) {
                topicMade(topic, then);
            } else {
                LOG.warn("event=groups_not_pinned topic={} groups={} result={}", topic, groups.size(), result);
                then.run();
            }
        });
    }

    private @Nullable Fact pins(String topic) {
        List<QueueCommit> pins = unpinned(topic).stream()
                .map(group -> new QueueCommit(group, topic, OffsetView.PIN, 0))
                .toList();
        return pins.isEmpty() ? null : OffsetsCommitted.changes(pins);
    }

    private List<String> unpinned(String topic) {
        return subscribers.apply(topic).stream()
                .filter(group -> !offsets.isPinned(group, topic) && !desk.isClaimed(FactKeys.group(group)))
                .limit(MAX_PER_FACT)
                .toList();
    }
}
