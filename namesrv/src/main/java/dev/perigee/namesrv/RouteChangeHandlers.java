package dev.perigee.namesrv;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.namesrv.route.QueueSetting;
import dev.perigee.namesrv.route.RouteTable;
import dev.perigee.protocol.header.route.AddWritePermResponse;
import dev.perigee.protocol.header.route.BrokerNameHeader;
import dev.perigee.protocol.header.route.WipeWritePermResponse;
import dev.perigee.protocol.header.topic.DeleteTopicInNameServerHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Changes that an operator asks for: permissions of a broker, single topics. Applied on the route loop. */
@ThreadSafe
final class RouteChangeHandlers {
    private static final Logger LOG = LoggerFactory.getLogger(RouteChangeHandlers.class);

    private final RouteTable table;
    private final RouteLoop routeLoop;

    RouteChangeHandlers(RouteTable table, RouteLoop routeLoop) {
        this.table = table;
        this.routeLoop = routeLoop;
    }

    void addTo(HandlerTable.Builder handlers) {
        handlers.on(Rpcs.WIPE_WRITE_PERM_OF_BROKER, this::wipe)
                .on(Rpcs.ADD_WRITE_PERM_OF_BROKER, this::add)
                .on(Rpcs.DELETE_TOPIC_IN_NAMESRV, this::deleteTopic)
                .on(Rpcs.REGISTER_TOPIC_IN_NAMESRV, this::registerTopic);
    }

    private void wipe(Request<BrokerNameHeader> request, Reply<WipeWritePermResponse> reply) {
        String brokerName = request.header().brokerName();
        routeLoop.change(reply, () -> {
            int touched = table.wipeWritePerm(brokerName);
            LOG.info("event=write_perm_wiped broker={} topics={}", brokerName, touched);
            reply.ok(new WipeWritePermResponse(touched));
        });
    }

    private void add(Request<BrokerNameHeader> request, Reply<AddWritePermResponse> reply) {
        String brokerName = request.header().brokerName();
        routeLoop.change(reply, () -> {
            int touched = table.addWritePerm(brokerName);
            LOG.info("event=write_perm_added broker={} topics={}", brokerName, touched);
            reply.ok(new AddWritePermResponse(touched));
        });
    }

    private void deleteTopic(Request<DeleteTopicInNameServerHeader> request, Reply<NoHeader> reply) {
        String topic = request.header().topic();
        String cluster = request.header().clusterName();
        routeLoop.change(reply, () -> {
            if (cluster == null || cluster.isEmpty()) {
                table.deleteTopic(topic);
            } else {
                table.deleteTopic(topic, cluster);
            }
            LOG.info("event=topic_dropped topic={} cluster={}", topic, cluster);
            reply.ok(NoHeader.NONE);
        });
    }

    private void registerTopic(Request<TopicHeader> request, Reply<NoHeader> reply) {
        String topic = request.header().topic();
        TopicRouteData route;
        try {
            route = Json.read(request.copyBody(), TopicRouteData.class);
        } catch (BadBodyException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
            return;
        }
        Map<String, QueueSetting> queues = new HashMap<>();
        for (QueueData data : route.queueDatas()) {
            if (data == null || data.brokerName() == null || data.brokerName().isBlank()) {
                reply.fail(ResponseCode.SYSTEM_ERROR, "the body has no brokerName in an entry of queueDatas");
                return;
            }
            queues.put(
                    data.brokerName(),
                    new QueueSetting(data.readQueueNums(), data.writeQueueNums(), data.perm(), data.topicSysFlag()));
        }
        routeLoop.change(reply, () -> {
            table.putTopic(topic, queues);
            reply.ok(NoHeader.NONE);
        });
    }
}
