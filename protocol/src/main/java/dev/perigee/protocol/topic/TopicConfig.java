package dev.perigee.protocol.topic;

import com.alibaba.fastjson2.annotation.JSONField;
import java.util.Map;

/**
 * The configuration of one topic.
 *
 * @param perm bits of {@link Permission}
 */
public record TopicConfig(
        String topicName,
        @JSONField(defaultValue = "16") int readQueueNums,
        @JSONField(defaultValue = "16") int writeQueueNums,
        @JSONField(defaultValue = "6") int perm,
        TopicFilterType topicFilterType,
        int topicSysFlag,
        boolean order,
        Map<String, String> attributes) {
    public static final int DEFAULT_QUEUES = 16;

    public TopicConfig {
        topicFilterType = topicFilterType == null ? TopicFilterType.SINGLE_TAG : topicFilterType;
        attributes = attributes == null ? Map.of() : attributes;
    }

    /** An ordinary topic: readable, writable, single tag, without attributes. */
    public static TopicConfig of(String topicName, int queues) {
        return of(topicName, queues, Permission.READ | Permission.WRITE);
    }

    /** A topic with equal read and write queues. */
    public static TopicConfig of(String topicName, int queues, int perm) {
        return new TopicConfig(topicName, queues, queues, perm, TopicFilterType.SINGLE_TAG, 0, false, Map.of());
    }

    /** With other numbers of queues. */
    public TopicConfig withQueues(int readQueues, int writeQueues) {
        return new TopicConfig(
                topicName, readQueues, writeQueues, perm, topicFilterType, topicSysFlag, order, attributes);
    }

    /** @param newPerm bits of {@link Permission} */
    public TopicConfig withPerm(int newPerm) {
        return new TopicConfig(
                topicName, readQueueNums, writeQueueNums, newPerm, topicFilterType, topicSysFlag, order, attributes);
    }

    /** @param ordered whether tools treat its queues as ordered */
    public TopicConfig withOrder(boolean ordered) {
        return new TopicConfig(
                topicName, readQueueNums, writeQueueNums, perm, topicFilterType, topicSysFlag, ordered, attributes);
    }

    /** @param sysFlag bits of {@link TopicSysFlag} */
    public TopicConfig withSysFlag(int sysFlag) {
        return new TopicConfig(
                topicName, readQueueNums, writeQueueNums, perm, topicFilterType, sysFlag, order, attributes);
    }

    /** @param changed all attributes it has then, without signs */
    public TopicConfig withAttributes(Map<String, String> changed) {
        return new TopicConfig(
                topicName, readQueueNums, writeQueueNums, perm, topicFilterType, topicSysFlag, order, changed);
    }
}
