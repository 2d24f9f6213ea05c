package dev.perigee.namesrv.route;

import dev.perigee.loop.Immutable;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Where a topic can be read and written.
 *
 * @param queues broker name → its queues, in order of names
 * @param brokers the groups of those names, in order of names; empty only after a choice of zone
 */
@Immutable
public record TopicRoute(SortedMap<String, QueueSetting> queues, List<BrokerGroup> brokers) {
    /**
     * The route for a client of one zone: groups whose master is in another zone are left out; groups without a master
     * stay, because their slaves may be all there is.
     */
    public TopicRoute within(String zone) {
        List<BrokerGroup> near = brokers.stream()
                .filter(group -> !group.hasMaster() || group.zone().equalsIgnoreCase(zone))
                .toList();
        TreeMap<String, QueueSetting> kept = new TreeMap<>(queues);
        kept.keySet().retainAll(near.stream().map(BrokerGroup::brokerName).toList());
        return new TopicRoute(kept, near);
    }

    /**
     * The route with slaves standing in for lost masters, so that consumers go on reading: in groups that want it, have
     * no master and cannot be written.
     */
    public TopicRoute withStandIns() {
        List<BrokerGroup> presented = brokers.stream()
                .map(group -> wantsStandIn(group) ? group.withStandIn() : group)
                .toList();
        return new TopicRoute(queues, presented);
    }

    private boolean wantsStandIn(BrokerGroup group) {
        QueueSetting setting = queues.get(group.brokerName());
        return group.actingMaster()
                && !group.isEmpty()
                && !group.hasMaster()
                && setting != null
                && !setting.isWritable();
    }
}
