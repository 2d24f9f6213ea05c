package dev.perigee.broker.retry;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.lock.QueueLocks;
import dev.perigee.broker.view.GroupView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicName;
import org.jspecify.annotations.Nullable;

/**
 * Where a message goes that is sent to the retry topic of a group (broker-client §1.1, check 8). Stock consumers send there
 * when send-back fails, and ordered ones when a message failed too often.
 *
 * <p>Dead letters are those retried more often than allowed, and, while the group holds a lock, those that tell of a retry or
 * allow none: an ordered group retries by itself. A send that tells of no retry is a replay, and is consumed again.
 */
@ThreadSafe
public final class RetryRoute {
    private final GroupView groups;
    private final QueueLocks locks;
    private final Clock clock;

    /** A route by groups and their live locks. */
    public RetryRoute(GroupView groups, QueueLocks locks, Clock clock) {
        this.groups = groups;
        this.locks = locks;
        this.clock = clock;
    }

    /** Whether a send is to a retry topic. */
    public static boolean isRetry(SendMessageHeader header) {
        return header.topic().startsWith(TopicName.RETRY_PREFIX);
    }

    /** Null unless the group of a retry topic does not exist. */
    public @Nullable Refusal refuse(SendMessageHeader header) {
        String group = group(header);
        return groups.current().find(group) != null
                ? null
                : new Refusal(
                        ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST,
                        "subscription group [" + group + "] of topic[" + header.topic() + "] does not exist");
    }

    /** What the retry topic of a group is to be when it is not there; null when the group wants none. */
    public @Nullable TopicConfig plan(SendMessageHeader header) {
        SubscriptionGroupConfig group = groups.current().find(group(header));
        return group == null || group.retryQueueNums() < 1
                ? null
                : TopicConfig.of(header.topic(), group.retryQueueNums(), RetryTopics.READ_WRITE);
    }

    /** Why a send is a dead letter, in words; null when it is none. */
    public @Nullable String deadLetterReason(SendMessageHeader header) {
        if (!isRetry(header)) {
            return null;
        }
        String group = group(header);
        int retries = header.reconsumeTimes();
        int max = maxRetries(header, group);
        if (retries > max) {
            return DeadLetters.tooManyRetries(retries - 1, max); // the count is that of the next one
        }
        boolean toldOfRetries = retries > 0 || header.maxReconsumeTimes() == 0;
        return toldOfRetries && locks.anyLocked(group, clock.monotonicMs()) ? DeadLetters.orderedLimit(max) : null;
    }

    /** The topic of a dead letter, to be made when it is not there. */
    public static TopicConfig deadLetters(SendMessageHeader header) {
        return RetryTopics.deadLetters(group(header));
    }

    private int maxRetries(SendMessageHeader header, String group) {
        if (header.maxReconsumeTimes() >= 0) {
            return header.maxReconsumeTimes();
        }
        SubscriptionGroupConfig config = groups.current().find(group);
        return RetryTopics.limit(config == null ? -1 : config.retryMaxTimes());
    }

    /** The topic the message was first sent to, as far as the send says so; else the retry topic. */
    public static String userTopic(SendMessageHeader header) {
        String topic = header.properties() == null ? null : header.properties().get(PropertyKey.RETRY_TOPIC);
        return topic == null ? header.topic() : topic;
    }

    /** The group of a retry topic. */
    public static String group(SendMessageHeader header) {
        return header.topic().substring(TopicName.RETRY_PREFIX.length());
    }
}
