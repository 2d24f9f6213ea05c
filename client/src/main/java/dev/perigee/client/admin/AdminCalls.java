package dev.perigee.client.admin;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoNameServerException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.route.NameServers;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.ClusterInfo;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The calls all parts of the admin client are made of. Blocking. */
@ThreadSafe
final class AdminCalls {
    /** Stands for "no topic" in the text of failures. */
    static final String NO_TOPIC = "-";
    /** How long a new topic is waited for. */
    static final long VISIBLE_MS = 3_000;

    private static final long LOOK_AGAIN_MS = 20;

    private final ClientInstance instance;
    private final long timeoutMs;

    AdminCalls(ClientInstance instance, long timeoutMs) {
        this.instance = instance;
        this.timeoutMs = timeoutMs;
    }

    ClientInstance instance() {
        return instance;
    }

    /** The addresses of all NameServers. */
    List<String> nameServers() throws ClientException {
        List<String> addresses = instance.nameServers().addresses();
        if (addresses.isEmpty()) {
            throw new NoNameServerException("no NameServer is configured", FailureSite.NOWHERE);
        }
        return addresses;
    }

    /** Asks one NameServer and gives the answer, whatever its code. */
    <Q extends Record, R extends Record> NameServers.Answered<R> askNameServer(Rpc<Q, R> rpc, Q header, String topic)
            throws ClientException {
        Deadline deadline = Deadline.after(instance.clock(), timeoutMs);
        return Failures.await(instance.nameServers().call(rpc, header, null, topic, deadline), rpc.toString(), topic);
    }

    /** Asks one NameServer and reads the answer's body. */
    <Q extends Record, T> T readFromNameServer(Rpc<Q, ?> rpc, Q header, String topic, Class<T> type)
            throws ClientException {
        NameServers.Answered<?> answered = askNameServer(rpc, header, topic);
        if (!answered.answer().isOk()) {
            throw Failures.refused(answered.answer(), false, answered.site());
        }
        return read(answered.answer().body(), type, answered.site());
    }

    /** Asks one address; fails unless the code is 0. */
    <Q extends Record, R extends Record> Answer<R> demand(
            String address, Rpc<Q, R> rpc, Q header, byte @Nullable [] body, String topic) throws ClientException {
        return Failures.await(demandLater(address, rpc, header, body, topic), rpc.toString(), topic);
    }

    /** Asks one address and gives the answer, whatever its code. */
    <Q extends Record, R extends Record> Answer<R> ask(String address, Rpc<Q, R> rpc, Q header, String topic)
            throws ClientException {
        return Failures.await(askLater(address, rpc, header, topic), rpc.toString(), topic);
    }

    /** As {@link #ask}, with a body. */
    <Q extends Record, R extends Record> Answer<R> ask(
            String address, Rpc<Q, R> rpc, Q header, byte[] body, String topic) throws ClientException {
        var question = new BrokerCalls.Question<>(address, rpc, header, body, topic, timeoutMs);
        return Failures.await(instance.calls().ask(question), rpc.toString(), topic);
    }

    /** As {@link #ask}, without waiting. */
    <Q extends Record, R extends Record> CompletableFuture<Answer<R>> askLater(
            String address, Rpc<Q, R> rpc, Q header, String topic) {
        return instance.calls()
                .ask(BrokerCalls.Question.of(address, rpc, header, topic).withTimeoutMs(timeoutMs));
    }

    /** Asks one address and reads the answer's body. */
    <Q extends Record, T> T read(String address, Rpc<Q, ?> rpc, Q header, String topic, Class<T> type)
            throws ClientException {
        Answer<?> answer = demand(address, rpc, header, null, topic);
        return read(answer.body(), type, new FailureSite(address, topic, 1, 0));
    }

    /** Asks without waiting. */
    <Q extends Record, R extends Record> CompletableFuture<Answer<R>> demandLater(
            String address, Rpc<Q, R> rpc, Q header, byte @Nullable [] body, String topic) {
        return instance.calls().demand(new BrokerCalls.Question<>(address, rpc, header, body, topic, timeoutMs));
    }

    /** Asks several addresses at once; fails with the first failure, after all of them ended. */
    <Q extends Record, R extends Record> List<Answer<R>> demandAll(
            List<String> addresses, Rpc<Q, R> rpc, Q header, byte @Nullable [] body, String topic)
            throws ClientException {
        List<CompletableFuture<Answer<R>>> calls = new ArrayList<>();
        for (String address : addresses) {
            calls.add(demandLater(address, rpc, header, body, topic));
        }
        List<Answer<R>> answers = new ArrayList<>();
        ClientException first = null;
        for (CompletableFuture<Answer<R>> call : calls) {
            try {
                answers.add(Failures.await(call, rpc.toString(), topic));
            } catch (ClientException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
        return answers;
    }

    /** Reads a JSON body. */
    static <T> T read(byte[] body, Class<T> type, FailureSite site) throws ClientException {
        try {
            return Json.read(body, type);
        } catch (BadBodyException e) {
            throw Failures.malformed(e, site);
        }
    }

    /** The route of a topic, fresh from a NameServer. */
    TopicRoute route(String topic) throws ClientException {
        return Failures.await(instance.routes().refresh(topic), "search for a route", topic);
    }

    /**
     * Waits until a NameServer shows a topic that was just created, so that the next line of a script can use it. A topic
     * that stays away is no failure here: whoever uses it will say so.
     */
    void awaitVisible(String topic) throws ClientException {
        CompletableFuture<Void> visible = new CompletableFuture<>();
        look(topic, Deadline.after(instance.clock(), VISIBLE_MS), visible);
        Failures.await(visible, "search for a route", topic);
    }

    private void look(String topic, Deadline deadline, CompletableFuture<Void> visible) {
        Completion.on(instance.routes().refresh(topic), (route, failure) -> {
            if (failure == null || deadline.isExpired()) {
                visible.complete(null);
            } else {
                instance.loop().after(LOOK_AGAIN_MS, () -> look(topic, deadline, visible));
            }
        });
    }

    /** The clusters and brokers a NameServer knows. */
    ClusterInfo cluster() throws ClientException {
        return readFromNameServer(Rpcs.GET_BROKER_CLUSTER_INFO, NoHeader.NONE, NO_TOPIC, ClusterInfo.class);
    }

    /** The masters of all brokers, or of one cluster; empty text means all clusters. */
    List<String> masters(String cluster) throws ClientException {
        List<String> addresses = new ArrayList<>();
        for (BrokerData broker : cluster().brokerAddrTable().values()) {
            String master = broker.masterAddress();
            if (master != null && (cluster.isEmpty() || cluster.equals(broker.cluster()))) {
                addresses.add(master);
            }
        }
        if (addresses.isEmpty()) {
            throw new NoRouteException(
                    "no live master" + (cluster.isEmpty() ? "" : " in cluster " + cluster), FailureSite.NOWHERE);
        }
        return addresses;
    }

    /** The masters that hold a topic. */
    List<String> mastersOf(String topic) throws ClientException {
        List<String> addresses = new ArrayList<>();
        for (BrokerData broker : route(topic).brokers().values()) {
            String master = broker.masterAddress();
            if (master != null) {
                addresses.add(master);
            }
        }
        if (addresses.isEmpty()) {
            throw new NoRouteException("no live master holds the topic", FailureSite.ofTopic(topic));
        }
        return addresses;
    }

    /** The master of one broker. */
    String masterOf(String brokerName, String topic) throws ClientException {
        var known = instance.routes().masterAddress(brokerName);
        if (known.isPresent()) {
            return known.get();
        }
        BrokerData broker = cluster().brokerAddrTable().get(brokerName);
        String master = broker == null ? null : broker.masterAddress();
        if (master == null) {
            throw new NoRouteException("no live master of broker " + brokerName, FailureSite.ofTopic(topic));
        }
        return master;
    }
}
