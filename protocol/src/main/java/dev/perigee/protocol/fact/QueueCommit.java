package dev.perigee.protocol.fact;

import com.alibaba.fastjson2.annotation.JSONField;

/**
 * The position of one group in one queue. Names are short in the log, because there are many of these.
 *
 * @param group the group
 * @param topic the topic
 * @param queueId the queue
 * @param offset the next queue offset to consume
 */
public record QueueCommit(
        @JSONField(name = "g") String group,
        @JSONField(name = "t") String topic,
        @JSONField(name = "q") int queueId,
        @JSONField(name = "o") long offset) {}
