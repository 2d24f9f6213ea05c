package dev.perigee.broker.send;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.lock.QueueLocks;
import dev.perigee.broker.view.GroupView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicName;
import org.jspecify.annotations.Nullable;

/** Where a message goes that a consumer sends to the retry topic of its group (broker-client §1.1, check 8). */
@ThreadSafe
final class RetryRoute {
    private static final int DEFAULT_RETRIES = 16;

    private final GroupView groups;
    private final QueueLocks locks;
    private final Clock clock;

    RetryRoute(GroupView groups, QueueLocks locks, Clock clock) {
        this.groups = groups;
        this.locks = locks;
        this.clock = clock;
    }

    /** Null unless the group of a retry topic does not exist. */
    @Nullable
    Refusal refuse(SendMessageHeader header) {
        String group = group(header);
        return groups.current().find(group) != null
                ? null
                : new Refusal(
                        ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST,
                        "subscription group [" + group + "] of topic[" + header.topic() + "] does not exist");
    }

    /** Whether the message was retried often enough, or belongs to an ordered consumer, which retries by itself. */
    boolean isDeadLetter(SendMessageHeader header) {
        if (!header.topic().startsWith(TopicName.RETRY_PREFIX)) {
            return false;
        }
        String group = group(header);
        return header.reconsumeTimes() > maxRetries(header, group) || locks.anyLocked(group, clock.monotonicMs());
    }

    static String deadLetterTopic(SendMessageHeader header) {
        return TopicName.DLQ_PREFIX + group(header);
    }

    static TopicConfig deadLetters(String topic) {
        return TopicConfig.of(topic, 1, Permission.READ | Permission.WRITE);
    }

    private int maxRetries(SendMessageHeader header, String group) {
        if (header.maxReconsumeTimes() >= 0) {
            return header.maxReconsumeTimes();
        }
        SubscriptionGroupConfig config = groups.current().find(group);
        return config == null || config.retryMaxTimes() < 0 ? DEFAULT_RETRIES : config.retryMaxTimes();
    }

    private static String group(SendMessageHeader header) {
        return header.topic().substring(TopicName.RETRY_PREFIX.length());
    }
}
