package dev.perigee.namesrv;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.namesrv.NameServerConfig.Switches;
import dev.perigee.namesrv.kv.KvTable;
import dev.perigee.namesrv.route.BrokerIdentity;
import dev.perigee.namesrv.route.Registered;
import dev.perigee.namesrv.route.Registration;
import dev.perigee.namesrv.route.RouteTable;
import dev.perigee.protocol.header.route.BrokerHeartbeatHeader;
import dev.perigee.protocol.header.route.DataVersionHeader;
import dev.perigee.protocol.header.route.DataVersionResponse;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.header.route.UnregisterBrokerHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Payload;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes what brokers say about themselves: decoded on their connection's event loop, applied on the route loop. */
@ThreadSafe
final class RegistrationHandlers {
    private static final Logger LOG = LoggerFactory.getLogger(RegistrationHandlers.class);

    private final RouteTable table;
    private final RouteLoop routeLoop;
    private final KvTable kv;
    private final Supplier<Switches> switches;
    private final Clock clock;

    RegistrationHandlers(RouteTable table, RouteLoop routeLoop, KvTable kv, Supplier<Switches> switches, Clock clock) {
        this.table = table;
        this.routeLoop = routeLoop;
        this.kv = kv;
        this.switches = switches;
        this.clock = clock;
    }

    void addTo(HandlerTable.Builder handlers) {
        handlers.on(Rpcs.REGISTER_BROKER, this::register)
                .on(Rpcs.UNREGISTER_BROKER, this::unregister)
                .on(Rpcs.BROKER_HEARTBEAT, this::heartbeat)
                .on(Rpcs.QUERY_DATA_VERSION, this::queryDataVersion);
    }

    private void register(Request<RegisterBrokerHeader> request, Reply<RegisterBrokerResponse> reply) {
        Registration registration;
        try {
            registration = RegistrationReader.read(request);
        } catch (RegistrationReader.UnreadableException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
            return;
        }
        routeLoop.change(reply, () -> {
            boolean dropUnlisted = switches.get().deleteTopicWithBrokerRegistration();
            boolean known = table.versionOf(registration.broker()).isPresent();
            Registered outcome = table.register(registration, dropUnlisted, clock.monotonicMs());
            if (!known) {
                log(registration, request.from(), outcome);
            }
            answer(outcome, reply);
        });
    }

    private void answer(Registered outcome, Reply<RegisterBrokerResponse> reply) {
        if (outcome instanceof Registered.Refused refused) {
            reply.fail(ResponseCode.SYSTEM_ERROR, refused.reason());
            return;
        }
        RegisterBrokerResponse header = new RegisterBrokerResponse(null, null);
        if (outcome instanceof Registered.Taken taken) {
            header = new RegisterBrokerResponse(textOrNull(taken.masterHaAddr()), textOrNull(taken.masterAddr()));
        }
        SortedMap<String, String> ordered = kv.inNamespace(KvTable.ORDER_TOPIC_CONFIG);
        if (switches.get().returnOrderTopicConfigToBroker() && !ordered.isEmpty()) {
            reply.ok(header, Payload.of(Json.write(new dev.perigee.protocol.route.KvTable(ordered))));
        } else {
            reply.ok(header);
        }
    }

    private void unregister(Request<UnregisterBrokerHeader> request, Reply<NoHeader> reply) {
        UnregisterBrokerHeader header = request.header();
        BrokerIdentity broker =
                new BrokerIdentity(header.clusterName(), header.brokerName(), header.brokerId(), header.brokerAddr());
        routeLoop.change(reply, () -> {
            table.unregister(broker);
            LOG.info("event=broker_unregistered {}", describe(broker));
            reply.ok(NoHeader.NONE);
        });
    }

    private void heartbeat(Request<BrokerHeartbeatHeader> request, Reply<NoHeader> reply) {
        BrokerHeartbeatHeader header = request.header();
        Long brokerId = header.brokerId();
        BrokerIdentity broker = new BrokerIdentity(
                header.clusterName(), header.brokerName(), brokerId == null ? 0 : brokerId, header.brokerAddr());
        routeLoop.change(reply, () -> {
            table.heard(broker, clock.monotonicMs(), request.from());
            reply.ok(NoHeader.NONE);
        });
    }

    private void queryDataVersion(Request<DataVersionHeader> request, Reply<DataVersionResponse> reply) {
        DataVersionHeader header = request.header();
        BrokerIdentity broker =
                new BrokerIdentity(header.clusterName(), header.brokerName(), header.brokerId(), header.brokerAddr());
        DataVersion asked;
        try {
            asked = Json.read(request.copyBody(), DataVersion.class);
        } catch (BadBodyException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
            return;
        }
        routeLoop.change(reply, () -> {
            Optional<DataVersion> known = table.versionOf(broker);
            table.heard(broker, clock.monotonicMs(), request.from());
            boolean changed = known.isEmpty() || !known.get().equals(asked);
            Payload body = known.map(version -> Payload.of(Json.write(version))).orElse(null);
            reply.send(ResponseCode.SUCCESS, null, new DataVersionResponse(changed), body);
        });
    }

    private static void log(Registration registration, Connection from, Registered outcome) {
        LOG.info(
                "event=broker_registered {} topics={} from={} outcome={}",
                describe(registration.broker()),
                registration.topics().size(),
                from.remoteAddress(),
                outcome);
    }

    static String describe(BrokerIdentity broker) {
        return "cluster=" + broker.cluster() + " broker=" + broker.brokerName() + " id=" + broker.brokerId()
                + " address=" + broker.address();
    }

    private static @Nullable String textOrNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
