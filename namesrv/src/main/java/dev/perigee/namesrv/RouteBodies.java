package dev.perigee.namesrv;

import dev.perigee.namesrv.route.BrokerGroup;
import dev.perigee.namesrv.route.QueueSetting;
import dev.perigee.namesrv.route.RouteTable;
import dev.perigee.namesrv.route.TopicRoute;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.ClusterInfo;
import dev.perigee.protocol.route.MemberGroup;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicList;
import dev.perigee.protocol.route.TopicRouteData;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Puts what the route table knows into the bodies that the protocol wants. Pure. */
final class RouteBodies {
    private RouteBodies() {}

    static TopicRouteData route(TopicRoute route, @Nullable String orderConfig) {
        List<QueueData> queues = new ArrayList<>(route.queues().size());
        route.queues().forEach((brokerName, setting) -> queues.add(queueData(brokerName, setting)));
        List<BrokerData> brokers =
                route.brokers().stream().map(RouteBodies::brokerData).toList();
        return TopicRouteData.of(queues, brokers, orderConfig);
    }

    static ClusterInfo clusterInfo(RouteTable table) {
        TreeMap<String, BrokerData> brokers = new TreeMap<>();
        table.groups().forEach((brokerName, group) -> brokers.put(brokerName, brokerData(group)));
        TreeMap<String, Set<String>> clusters = new TreeMap<>(table.clusters());
        return new ClusterInfo(brokers, clusters);
    }

    /** Names of clusters and of brokers, and one broker's address: what system topics are recognized by. */
    static TopicList systemTopics(RouteTable table) {
        SortedMap<String, BrokerGroup> groups = table.groups();
        TreeSet<String> names = new TreeSet<>(table.clusters().keySet());
        names.addAll(groups.keySet());
        Optional<String> address = groups.values().stream()
                .flatMap(group -> group.addresses().values().stream())
                .findFirst();
        return new TopicList(names, address.orElse(null));
    }

    static MemberGroup memberGroup(BrokerGroup group) {
        return new MemberGroup(group.cluster(), group.brokerName(), group.addresses());
    }

    private static BrokerData brokerData(BrokerGroup group) {
        String zone = group.zone().isEmpty() ? null : group.zone();
        return new BrokerData(group.cluster(), group.brokerName(), group.addresses(), group.actingMaster(), zone);
    }

    private static QueueData queueData(String brokerName, QueueSetting setting) {
        return new QueueData(
                brokerName, setting.readQueues(), setting.writeQueues(), setting.perm(), setting.topicSysFlag());
    }
}
