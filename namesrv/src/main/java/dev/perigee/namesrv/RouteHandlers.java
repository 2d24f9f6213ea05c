package dev.perigee.namesrv;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.namesrv.NameServerConfig.Switches;
import dev.perigee.namesrv.kv.KvTable;
import dev.perigee.namesrv.route.RouteTable;
import dev.perigee.namesrv.route.TopicRoute;
import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.protocol.header.route.MemberGroupHeader;
import dev.perigee.protocol.header.route.RouteHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.MemberGroup;
import dev.perigee.protocol.route.MemberGroupBody;
import dev.perigee.protocol.route.TopicList;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.remoting.transport.Payload;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Answers questions about routes, on the asking connection's own event loop, from memory. */
@ThreadSafe
final class RouteHandlers {
    /** Members of a group use these topics among themselves, so nobody stands in for anybody there. */
    private static final String MEMBER_SYNC_TOPICS = "rmq_sys_SYNC_BROKER_MEMBER_";

    private final RouteTable table;
    private final KvTable kv;
    private final Supplier<Switches> switches;
    private final Clock clock;
    private final long readyAtMs;

    /**
     * @param readyAtMs until then routes are refused, monotonic milliseconds
     */
    RouteHandlers(RouteTable table, KvTable kv, Supplier<Switches> switches, Clock clock, long readyAtMs) {
        this.table = table;
        this.kv = kv;
        this.switches = switches;
        this.clock = clock;
        this.readyAtMs = readyAtMs;
    }

    void addTo(HandlerTable.Builder handlers) {
        handlers.on(Rpcs.GET_ROUTEINFO_BY_TOPIC, this::route)
                .on(Rpcs.GET_BROKER_CLUSTER_INFO, body(RouteBodies::clusterInfo))
                .on(Rpcs.GET_ALL_TOPIC_LIST_FROM_NAMESERVER, this::allTopics)
                .on(
                        Rpcs.GET_TOPICS_BY_CLUSTER,
                        (request, reply) ->
                                topics(reply, table.topicsOf(request.header().cluster())))
                .on(Rpcs.GET_SYSTEM_TOPIC_LIST_FROM_NS, body(RouteBodies::systemTopics))
                .on(Rpcs.GET_UNIT_TOPIC_LIST, topics(RouteTable::unitTopics))
                .on(Rpcs.GET_HAS_UNIT_SUB_TOPIC_LIST, topics(RouteTable::unitSubTopics))
                .on(Rpcs.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST, topics(RouteTable::unitSubOnlyTopics))
                .on(Rpcs.GET_BROKER_MEMBER_GROUP, this::memberGroup);
    }

    private void route(Request<RouteHeader> request, Reply<NoHeader> reply) {
        if (clock.monotonicMs() < readyAtMs) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "name server not ready");
            return;
        }
        String topic = request.header().topic();
        Optional<TopicRoute> route = table.route(topic);
        if (route.isEmpty()) {
            reply.fail(
                    ResponseCode.TOPIC_NOT_EXIST,
                    "No topic route info in name server for the topic: " + topic
                            + ". Create it, or send to a broker that creates topics by itself.");
            return;
        }
        TopicRouteData data = RouteBodies.route(forAsker(route.get(), request.header()), orderConfig(topic));
        boolean standardOnly = Boolean.TRUE.equals(request.header().acceptStandardJsonOnly());
        reply.ok(NoHeader.NONE, Payload.of(encode(data, request.version(), standardOnly)));
    }

    private TopicRoute forAsker(TopicRoute route, RouteHeader header) {
        TopicRoute seen = route;
        if (switches.get().supportActingMaster() && !header.topic().startsWith(MEMBER_SYNC_TOPICS)) {
            seen = seen.withStandIns();
        }
        String zone = header.zoneName();
        boolean byZone = Boolean.TRUE.equals(header.zoneMode());
        return byZone && zone != null && !zone.isEmpty() ? seen.within(zone) : seen;
    }

    /** A route in the dialect that the asking peer reads. */
    static byte[] encode(TopicRouteData data, int peerVersion, boolean standardOnly) {
        boolean standard = standardOnly || peerVersion >= PeerVersion.V4_9_4;
        return standard ? Json.writeStandard(data) : Json.write(data);
    }

    private @Nullable String orderConfig(String topic) {
        return switches.get().orderMessageEnable()
                ? kv.get(KvTable.ORDER_TOPIC_CONFIG, topic).orElse(null)
                : null;
    }

    private void allTopics(Request<NoHeader> request, Reply<NoHeader> reply) {
        if (switches.get().enableAllTopicList()) {
            topics(reply, table.topics());
        } else {
            reply.fail(ResponseCode.SYSTEM_ERROR, "disable: enableAllTopicList is false on this name server");
        }
    }

    private void memberGroup(Request<MemberGroupHeader> request, Reply<NoHeader> reply) {
        MemberGroup members = table.group(request.header().brokerName())
                .filter(group -> group.cluster().equals(request.header().clusterName()))
                .map(RouteBodies::memberGroup)
                .orElse(null);
        reply.ok(NoHeader.NONE, Payload.of(Json.write(new MemberGroupBody(members))));
    }

    private RequestHandler<NoHeader, NoHeader> topics(Function<RouteTable, SortedSet<String>> question) {
        return (request, reply) -> topics(reply, question.apply(table));
    }

    private RequestHandler<NoHeader, NoHeader> body(Function<RouteTable, Object> question) {
        return (request, reply) -> reply.ok(NoHeader.NONE, Payload.of(Json.write(question.apply(table))));
    }

    private static void topics(Reply<NoHeader> reply, SortedSet<String> names) {
        reply.ok(NoHeader.NONE, Payload.of(Json.write(TopicList.of(names))));
    }
}
