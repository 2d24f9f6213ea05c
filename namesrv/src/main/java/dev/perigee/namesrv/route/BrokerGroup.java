package dev.perigee.namesrv.route;

import dev.perigee.loop.Immutable;
import java.util.Collections;
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
 */
@Immutable
public record BrokerGroup(String cluster, String brokerName, SortedMap<Long, String> addresses, boolean actingMaster) {
    public BrokerGroup {
        addresses = Collections.unmodifiableSortedMap(new TreeMap<>(addresses));
    }

    static BrokerGroup empty(String cluster, String brokerName) {
        return new BrokerGroup(cluster, brokerName, new TreeMap<>(), false);
    }

    /** The group with this broker; its address stands under no other id afterwards (a role switch moves it). */
    BrokerGroup with(BrokerIdentity broker, boolean standIn) {
        TreeMap<Long, String> changed = new TreeMap<>(addresses);
        changed.values().removeIf(broker.address()::equals);
        changed.put(broker.brokerId(), broker.address());
        return new BrokerGroup(cluster, brokerName, changed, standIn);
    }

    BrokerGroup without(String address) {
        TreeMap<Long, String> changed = new TreeMap<>(addresses);
        changed.values().removeIf(address::equals);
        return new BrokerGroup(cluster, brokerName, changed, actingMaster);
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
