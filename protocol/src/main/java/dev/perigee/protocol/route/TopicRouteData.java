package dev.perigee.protocol.route;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Body of GET_ROUTEINFO_BY_TOPIC (105).
 */
public record TopicRouteData(
        @Nullable String orderTopicConf,
        List<QueueData> queueDatas,
        List<BrokerData> brokerDatas,
        Map<String, List<String>> filterServerTable) {
    public TopicRouteData {
        queueDatas = queueDatas == null ? List.of() : queueDatas;
        brokerDatas = brokerDatas == null ? List.of() : brokerDatas;
        filterServerTable = filterServerTable == null ? Map.of() : filterServerTable;
    }

    /** A route without filter servers, which nobody has any more. */
    public static TopicRouteData of(List<QueueData> queues, List<BrokerData> brokers, @Nullable String orderConf) {
        return new TopicRouteData(orderConf, queues, brokers, Map.of());
    }
}
