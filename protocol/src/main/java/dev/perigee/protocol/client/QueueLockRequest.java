package dev.perigee.protocol.client;

import dev.perigee.protocol.message.MessageQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Body of LOCK_BATCH_MQ (41) and UNLOCK_BATCH_MQ (42).
 *
 * @param heldMqSet those of the queues whose lock the client holds as far as it knows; null from clients that do not say, which
 *     are all stock ones (ADR 0023)
 */
public record QueueLockRequest(
        String consumerGroup,
        String clientId,
        boolean onlyThisBroker,
        Set<MessageQueue> mqSet,
        @Nullable Set<MessageQueue> heldMqSet) {
    public QueueLockRequest {
        mqSet = mqSet == null ? Set.of() : mqSet;
    }
}
