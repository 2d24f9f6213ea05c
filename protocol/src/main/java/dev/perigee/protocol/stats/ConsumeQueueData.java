package dev.perigee.protocol.stats;

import dev.perigee.protocol.group.SubscriptionData;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Body of QUERY_CONSUME_QUEUE (321).
 */
public record ConsumeQueueData(
        @Nullable SubscriptionData subscriptionData,
        @Nullable String filterData,
        List<ConsumeQueueItem> queueData,
        long maxQueueIndex,
        long minQueueIndex) {
    public ConsumeQueueData {
        queueData = queueData == null ? List.of() : queueData;
    }
}
