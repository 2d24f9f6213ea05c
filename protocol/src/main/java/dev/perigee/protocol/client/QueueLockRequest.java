package dev.perigee.protocol.client;

import dev.perigee.protocol.message.MessageQueue;
import java.util.Set;

/**
 * Body of LOCK_BATCH_MQ (41) and UNLOCK_BATCH_MQ (42).
 */
public record QueueLockRequest(String consumerGroup, String clientId, boolean onlyThisBroker, Set<MessageQueue> mqSet) {
    public QueueLockRequest {
        mqSet = mqSet == null ? Set.of() : mqSet;
    }
}
