package dev.perigee.protocol.client;

import com.alibaba.fastjson2.annotation.JSONField;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Set;

/**
 * Answer body of LOCK_BATCH_MQ (41): the queues the client now holds.
 */
public record QueueLockResult(
        @JSONField(name = "lockOKMQSet") Set<MessageQueue> lockedQueues) {
    public QueueLockResult {
        lockedQueues = lockedQueues == null ? Set.of() : lockedQueues;
    }
}
