package dev.perigee.namesrv.route;

import dev.perigee.loop.Immutable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

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

    /**
     * What there is to tell of a group that changed; nothing when its smallest id is the same, or it is a new one.
     *
     * @param offlineAddress of the member that left, "" when none did: then the one that has the smallest id now need not be told
     */
    static Optional<MinIdChange> between(
            BrokerGroup before, BrokerGroup group, String offlineAddress, BrokerLiveness liveness) {
        if (before.isEmpty()
                || before.addresses().firstKey().equals(group.addresses().firstKey())) {
            return Optional.empty();
        }
        long minId = group.addresses().firstKey();
        String minAddress = Objects.requireNonNull(group.address(minId));
        boolean everyone = !offlineAddress.isEmpty() || group.addresses().size() == 1;
        List<Object> links = new ArrayList<>();
        String haAddress = "";
        for (long id : group.addresses().keySet()) {
            BrokerLiveness.Live live = liveness.find(group, id);
            boolean isNewest = id == minId;
            if (live != null && (everyone || !isNewest)) {
                links.add(live.link());
            }
            if (live != null && isNewest && offlineAddress.isEmpty()) {
                haAddress = live.haServerAddr();
            }
        }
        return Optional.of(new MinIdChange(group.brokerName(), minId, minAddress, offlineAddress, haAddress, links));
    }
}
