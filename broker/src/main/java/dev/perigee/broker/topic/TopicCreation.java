package dev.perigee.broker.topic;

import dev.perigee.broker.config.LiveSettings;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.FactKeys;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicFilterType;
import dev.perigee.protocol.topic.TopicSysFlag;
import dev.perigee.store.append.AppendResult;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Creates topics that sends ask for (broker-client §1.4). Senders of one name wait in one line for one fact. */
@ThreadSafe
public final class TopicCreation {
    /** Told on the view loop of a topic that is there now and was not before. */
    public interface Listener {
        /** To run {@code then} on the view loop once it has seen to the topic. */
        void made(String topic, Runnable then);
    }

    private final TopicView topics;
    private final FactDesk desk;
    private final Listener listener;

    public TopicCreation(TopicView topics, FactDesk desk, Listener listener) {
        this.topics = topics;
        this.desk = desk;
        this.listener = listener;
    }

    /**
     * What an unknown topic, no retry topic, becomes when a send wants it; null when it may not be created. With 0 queues when send or
     * template give it none: the caller must not create that.
     */
    public @Nullable TopicConfig plan(SendMessageHeader header, LiveSettings live) {
        String template = header.defaultTopic();
        boolean isDefault = template.equals(SystemTopic.AUTO_CREATE);
        TopicConfig from = topics.current().find(template);
        if (from == null || (isDefault && !live.autoCreateTopic()) || !Permission.isInherited(from.perm())) {
            return null;
        }
        int queues = Math.max(0, Math.min(header.defaultTopicQueueNums(), from.writeQueueNums()));
        return of(header.topic(), queues, from.perm() & ~Permission.INHERIT, from.topicFilterType())
                .withSysFlag(header.unitMode() ? TopicSysFlag.UNIT : 0);
    }

    private static TopicConfig of(String topic, int queues, int perm, TopicFilterType filter) {
        return new TopicConfig(topic, queues, queues, perm, filter, 0, false, Map.of());
    }

    /**
     * Creates a topic unless it exists.
     *
     * @param done APPENDED when the topic is there and visible; on the view loop, or at once when refused
     */
    public void create(TopicConfig config, Consumer<AppendResult> done) {
        put(config, false, done);
    }

    /** Creates a topic or changes it to this configuration. */
    public void put(TopicConfig config, Consumer<AppendResult> done) {
        put(config, true, done);
    }

    private void put(TopicConfig config, boolean replace, Consumer<AppendResult> done) {
        boolean[] isNew = new boolean[1]; // on the view loop only
        desk.submit(
                FactKeys.topic(config.topicName()),
                () -> {
                    TopicConfig known = topics.current().find(config.topicName());
                    isNew[0] = known == null;
                    boolean same = known != null && (!replace || known.equals(config));
                    return same ? null : new TopicChanged(config);
                },
                result -> {
                    if (result == AppendResult.APPENDED && isNew[0]) {
                        listener.made(config.topicName(), () -> done.accept(result));
                    } else {
                        done.accept(result);
                    }
                });
    }
}
