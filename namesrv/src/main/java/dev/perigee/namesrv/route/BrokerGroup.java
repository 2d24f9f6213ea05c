package dev.perigee.namesrv.route;

import dev.perigee.loop.Immutable;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The brokers that share a name: a master and its slaves.
 *
 * @param cluster their cluster
 * @param brokerName their name
 * @param addresses broker id → address, smallest id first; unmodifiable
 * @param actingMaster whether a slave may stand in for a lost master
 * @param zone where they are, "" when they do not say
 */
@Immutable
public record BrokerGroup(
        String cluster, String brokerName, SortedMap<Long, String> addresses, boolean actingMaster, String zone) {
    public BrokerGroup {
        addresses = Collections.unmodifiableSortedMap(new TreeMap<>(addresses));
    }

    static BrokerGroup empty(String cluster, String brokerName) {
        return new BrokerGroup(cluster, brokerName, new TreeMap<>(), false, "");
    }

    /** The group with this broker; its address stands under no other id afterwards (a role switch moves it). */
    BrokerGroup with(BrokerIdentity broker, boolean standIn) {
        TreeMap<Long, String> changed = new TreeMap<>(addresses);
        changed.values().removeIf(broker.address()::equals);
        changed.put(broker.brokerId(), broker.address());
        return new BrokerGroup(cluster, brokerName, changed, standIn, zone);
    }

    BrokerGroup without(String address) {
        TreeMap<Long, String> changed = new TreeMap<>(addresses);
        changed.values().removeIf(address::equals);
        return new BrokerGroup(cluster, brokerName, changed, actingMaster, zone);
    }

    /** The group in another zone. */
    BrokerGroup in(String newZone) {
        return new BrokerGroup(cluster, brokerName, addresses, actingMaster, newZone);
    }

    /** The group as readers see it while it has no master: its smallest id stands in under the id of the master. */
    BrokerGroup withStandIn() {
        TreeMap<Long, String> changed = new TreeMap<>(addresses);
        Map.Entry<Long, String> smallest = changed.firstEntry();
        changed.remove(smallest.getKey());
        changed.put(Registration.MASTER_ID, smallest.getValue());
        return new BrokerGroup(cluster, brokerName, changed, actingMaster, zone);
    }

    boolean isEmpty() {
        return addresses.isEmpty();
    }

    boolean hasMaster() {
        return addresses.containsKey(Registration.MASTER_ID);
    }

    @Nullable
    String address(long brokerId) {
        return addresses.get(brokerId);
    }
}
