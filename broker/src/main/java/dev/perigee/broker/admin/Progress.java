package dev.perigee.broker.admin;

import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.client.ConsumerGroup;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.offset.PullPositions;
import dev.perigee.broker.offset.StoreTimes;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.stats.ConsumeStats;
import dev.perigee.protocol.stats.QueueProgress;
import dev.perigee.protocol.stats.QueueStats;
import dev.perigee.protocol.stats.TopicStatsTable;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Puts ends of queues and offsets of groups side by side. Reads store times from the log: may wait for the disk. */
@ThreadSafe
public final class Progress {
    /** Where the figures come from. */
    public record Sources(
            TopicView topics,
            OffsetCommits commits,
            PullPositions pulls,
            ConsumeQueueView queues,
            StoreTimes times,
            ClientRegistry clients,
            BrokerStats stats) {}

    private final Sources from;
    private final BrokerIdentity identity;

    public Progress(Sources from, BrokerIdentity identity) {
        this.from = from;
        this.identity = identity;
    }

    /** Every group that has an offset, sorted. */
    Set<String> groups() {
        return from.commits().groups();
    }

    /** The topics a group has offsets in, sorted. */
    Set<String> topicsOf(String group) {
        return from.commits().topicsOf(group);
    }

    /** Every queue of a topic. */
    TopicStatsTable ofTopic(TopicConfig topic) {
        Map<MessageQueue, QueueStats> table = new TreeMap<>();
        int queues = Math.max(topic.readQueueNums(), topic.writeQueueNums());
        for (int queueId = 0; queueId < queues; queueId++) {
            ConsumeQueue queue = from.queues().find(topic.topicName(), queueId);
            long min = queue == null ? 0 : queue.minOffset();
            long max = queue == null ? 0 : queue.maxOffset();
            long last = queue == null || max <= min ? 0 : from.times().of(queue, max - 1, 0);
            table.put(new MessageQueue(topic.topicName(), identity.name(), queueId), new QueueStats(min, max, last));
        }
        return new TopicStatsTable(table, from.stats().putPerSecond(topic.topicName()));
    }

    /**
     * A group in some topics; a queue without an offset stands at 0. Topics that do not exist are left out, and those a
     * group that is online does not subscribe to.
     */
    ConsumeStats ofGroup(String group, Set<String> topics) {
        Map<MessageQueue, QueueProgress> table = new TreeMap<>();
        double perSecond = 0;
        ConsumerGroup online = from.clients().consumers(group);
        for (String name : topics) {
            TopicConfig topic = from.topics().current().find(name);
            if (topic == null || isUnwanted(online, name)) {
                continue;
            }
            for (int queueId = 0; queueId < topic.readQueueNums(); queueId++) {
                table.put(new MessageQueue(name, identity.name(), queueId), queue(group, name, queueId));
            }
            perSecond += from.stats().readPerSecond(name, group);
        }
        return new ConsumeStats(table, perSecond);
    }

    private static boolean isUnwanted(@Nullable ConsumerGroup online, String topic) {
        return online != null && !online.subscriptions().isEmpty() && !online.wants(topic);
    }

    private QueueProgress queue(String group, String topic, int queueId) {
        ConsumeQueue queue = from.queues().find(topic, queueId);
        long end = queue == null ? 0 : queue.maxOffset();
        long consumed = Math.max(0, from.commits().newest(group, topic, queueId));
        long last = queue == null || consumed < 1 ? 0 : from.times().of(queue, consumed - 1, 0);
        long pulled = Math.max(consumed, from.pulls().of(group, topic, queueId));
        return new QueueProgress(end, consumed, pulled, last);
    }
}
