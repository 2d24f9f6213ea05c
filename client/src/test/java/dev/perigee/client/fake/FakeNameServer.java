package dev.perigee.client.fake;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.remoting.transport.Transport;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Answers route questions from a table the test writes. */
public final class FakeNameServer implements AutoCloseable {
    private final RemotingServer server;
    private final Map<String, TopicRouteData> routes = new ConcurrentHashMap<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger toHold = new AtomicInteger();
    private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
    private final Set<String> garbled = ConcurrentHashMap.newKeySet();

    public FakeNameServer(Transport transport, Clock clock) throws RemotingException {
        HandlerTable table = HandlerTable.builder()
                .on(Rpcs.GET_ROUTEINFO_BY_TOPIC, (request, reply) -> {
                    asked.incrementAndGet();
                    if (toHold.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                        held.add(() -> answer(request.header().topic(), reply));
                    } else {
                        answer(request.header().topic(), reply);
                    }
                })
                .build();
        this.server = new RemotingServer(ServerConfig.of("127.0.0.1", 0), table, transport, clock);
        server.start();
    }

    private void answer(String topic, Reply<NoHeader> reply) {
        TopicRouteData route = routes.get(topic);
        if (garbled.contains(topic)) {
            reply.ok(NoHeader.NONE, Payload.of("no route at all".getBytes(StandardCharsets.UTF_8)));
        } else if (route == null) {
            reply.fail(ResponseCode.TOPIC_NOT_EXIST, "no route");
        } else {
            reply.ok(NoHeader.NONE, Payload.of(Json.writeStandard(route)));
        }
    }

    /** Leaves the next so many questions without an answer for now. */
    public void hold(int questions) {
        toHold.set(questions);
    }

    /** Answers the questions left so, as the table is now. */
    public void answerHeld() {
        for (Runnable answer = held.poll(); answer != null; answer = held.poll()) {
            answer.run();
        }
    }

    /** Answers questions about this topic, and no longer about another one, with bytes that are no route. */
    public void garble(String topic) {
        garbled.clear();
        garbled.add(topic);
    }

    public String address() {
        return "127.0.0.1:" + server.boundPort();
    }

    public int timesAsked() {
        return asked.get();
    }

    /** The topic has that many queues on each of these brokers. */
    public void route(String topic, int queues, FakeBroker... brokers) {
        orderedRoute(topic, null, queues, brokers);
    }

    public void orderedRoute(String topic, @Nullable String orderConf, int queues, FakeBroker... brokers) {
        List<QueueData> queueDatas = new ArrayList<>();
        List<BrokerData> brokerDatas = new ArrayList<>();
        for (FakeBroker broker : brokers) {
            queueDatas.add(new QueueData(broker.name(), queues, queues, 6, 0));
            brokerDatas.add(new BrokerData("C", broker.name(), Map.of(0L, broker.address()), false, null));
            broker.queues(topic, queues);
        }
        routes.put(topic, TopicRouteData.of(queueDatas, brokerDatas, orderConf));
    }

    /** The topic has that many queues at the brokers of name {@code a}, which have these addresses by their ids. */
    public void routeToOneName(String topic, int queues, Map<Long, String> addresses) {
        route(
                topic,
                TopicRouteData.of(
                        List.of(new QueueData("a", queues, queues, 6, 0)),
                        List.of(new BrokerData("C", "a", addresses, false, null)),
                        null));
    }

    /** Answers with this, whatever sense it makes. */
    public void route(String topic, TopicRouteData route) {
        routes.put(topic, route);
    }

    public void removeRoute(String topic) {
        routes.remove(topic);
    }

    @Override
    public void close() {
        server.close();
    }
}
