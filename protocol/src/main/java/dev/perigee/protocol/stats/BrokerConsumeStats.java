package dev.perigee.protocol.stats;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Body of GET_BROKER_CONSUME_STATS (317).
 */
public record BrokerConsumeStats(
        List<Map<String, List<ConsumeStats>>> consumeStatsList,
        @Nullable String brokerAddr,
        long totalDiff,
        long totalInflightDiff) {
    public BrokerConsumeStats {
        consumeStatsList = consumeStatsList == null ? List.of() : consumeStatsList;
    }
}
