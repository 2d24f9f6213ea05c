package dev.perigee.broker.topic;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The topics a broker has of its own (broker-client §10): which they are, and what they look like when they are made. */
@Immutable
public final class SystemTopics {
    private static final int READ_WRITE = Permission.READ | Permission.WRITE;
    private static final int BENCHMARK_QUEUES = 1024;
    private static final int CLUSTER_QUEUES = 16;
    private static final int REVIVE_QUEUES = 8;

    private final BrokerIdentity identity;
    private final String traceTopic;
    private final int delayLevels;

    /** The topics of this broker, which has so many delay levels; an empty {@code traceTopic} is none. */
    public SystemTopics(BrokerIdentity identity, String traceTopic, int delayLevels) {
        this.identity = identity;
        this.delayLevels = delayLevels;
        this.traceTopic = traceTopic;
    }

    /** The topics to create at a first start. */
    public List<TopicConfig> all(boolean autoCreateTopic, int defaultQueues) {
        List<TopicConfig> topics = new ArrayList<>(List.of(
                TopicConfig.of(SystemTopic.SELF_TEST, 1, READ_WRITE),
                TopicConfig.of(SystemTopic.BENCHMARK, BENCHMARK_QUEUES, READ_WRITE),
                TopicConfig.of(identity.cluster(), CLUSTER_QUEUES, READ_WRITE | Permission.INHERIT),
                TopicConfig.of(identity.name(), 1, READ_WRITE | Permission.INHERIT),
                TopicConfig.of(SystemTopic.OFFSET_MOVED, 1, READ_WRITE),
                TopicConfig.of(SystemTopic.SCHEDULE, delayLevels, READ_WRITE),
                TopicConfig.of(replyTopic(), 1, READ_WRITE),
                TopicConfig.of(reviveTopic(), REVIVE_QUEUES, READ_WRITE),
                TopicConfig.of(syncTopic(), 1, Permission.INHERIT),
                TopicConfig.of(SystemTopic.HALF, 1, READ_WRITE),
                TopicConfig.of(SystemTopic.HALF_OP, 1, READ_WRITE),
                TopicConfig.of(SystemTopic.TRANSACTION_CHECK_MAX, 1, READ_WRITE),
                TopicConfig.of(SystemTopic.TIMER, 1, READ_WRITE)));
        if (autoCreateTopic) {
            topics.add(template(defaultQueues));
        }
        if (!traceTopic.isEmpty()) {
            topics.add(TopicConfig.of(traceTopic, 1, READ_WRITE));
        }
        return topics;
    }

    /** The topic that automatic creation takes as its template. */
    public static TopicConfig template(int queues) {
        return TopicConfig.of(SystemTopic.AUTO_CREATE, queues, READ_WRITE | Permission.INHERIT);
    }

    /** Every name that belongs to the broker, whether the topic is there or not, sorted; what code 305 lists. */
    public Set<String> names() {
        Set<String> names = new TreeSet<>(SystemTopic.names());
        names.add(SystemTopic.FACTS);
        all(true, 1).forEach(topic -> names.add(topic.topicName()));
        return names;
    }

    /** Whether a topic is one of the broker's own and may not be created, changed or deleted by tools. */
    public boolean isSystem(String topic) {
        return SystemTopic.isSystem(topic)
                || topic.equals(identity.cluster())
                || topic.equals(identity.name())
                || topic.equals(replyTopic());
    }

    private String replyTopic() {
        return identity.cluster() + "_REPLY_TOPIC";
    }

    private String reviveTopic() {
        return "rmq_sys_REVIVE_LOG_" + identity.cluster();
    }

    private String syncTopic() {
        return "rmq_sys_SYNC_BROKER_MEMBER_" + identity.name();
    }
}
