package dev.perigee.broker.view;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.InOrder;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.topic.DataVersion;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Every consumer group at one point of the log; the predefined ones always exist.
 *
 * @param byName name → configuration
 * @param version grows with every change
 */
@Immutable
public record Groups(Map<String, SubscriptionGroupConfig> byName, DataVersion version) {
    private static final SortedMap<String, SubscriptionGroupConfig> PREDEFINED = predefined();

    static final Groups NONE = new Groups(PREDEFINED, DataVersion.NONE);

    private static SortedMap<String, SubscriptionGroupConfig> predefined() {
        SortedMap<String, SubscriptionGroupConfig> predefined = new TreeMap<>();
        GroupName.PREDEFINED.forEach(name -> predefined.put(name, SubscriptionGroupConfig.of(name)));
        return Collections.unmodifiableSortedMap(predefined);
    }

    static Groups of(Map<String, SubscriptionGroupConfig> known, DataVersion version) {
        Map<String, SubscriptionGroupConfig> all = new HashMap<>(PREDEFINED);
        all.putAll(known);
        return new Groups(InOrder.copyOf(all), version);
    }

    /** The group, or null when it does not exist. */
    public @Nullable SubscriptionGroupConfig find(String group) {
        return byName.get(group);
    }

    /** Whether the group always exists and cannot be deleted. */
    public static boolean isPredefined(String group) {
        return PREDEFINED.containsKey(group);
    }
}
