package dev.perigee.namesrv.route;

import dev.perigee.loop.Immutable;
import java.util.List;

/**
 * The smallest broker id of a group is another one now, so another of its brokers leads or stands in.
 *
 * @param brokerName which group
 * @param minBrokerId the smallest id now
 * @param minBrokerAddr its address
 * @param offlineBrokerAddr who left, when that is the reason; else ""
 * @param haBrokerAddr where the new one is replicated from, when one came; else ""
 * @param links connections of the members to be told: all when one left or there is only one, else all but the new one
 */
@Immutable
public record MinIdChange(
        String brokerName,
        long minBrokerId,
        String minBrokerAddr,
        String offlineBrokerAddr,
        String haBrokerAddr,
        List<Object> links) {
    public MinIdChange {
        links = List.copyOf(links);
    }
}
