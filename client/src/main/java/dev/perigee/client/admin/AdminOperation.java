package dev.perigee.client.admin;

import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.NoNameServerException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.route.NameServers;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.ClusterInfo;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One administrative operation: however many questions it takes, they share its one deadline. Blocking. */
@ThreadSafe
final class AdminOperation {
    /** Stands for "no topic" in the text of failures. */
    static final String NO_TOPIC = FailureSite.NONE;
    /** How long a new topic is waited for, unless the deadline comes first. */
    static final long VISIBLE_MS = 3_000;

    private static final long LOOK_AGAIN_MS = 20;

    private final ClientInstance instance;
    private final Deadline deadline;

    AdminOperation(ClientInstance instance, Deadline deadline) {
        this.instance = instance;
        this.deadline = deadline;
    }

    ClientInstance instance() {
        return instance;
    }

    Deadline deadline() {
        return deadline;
    }

    /** Where the operation stands before anybody was asked. */
    FailureSite untried(String topic) {
        return FailureSite.untried(topic, deadline.remainingMs());
    }

    /**
     * Reads an offset message id.
     *
     * @throws InvalidMessageException when the text is none
     */
    MessageId messageId(String offsetMessageId) throws InvalidMessageException {
        try {
            return MessageId.parse(offsetMessageId);
        } catch (IllegalArgumentException e) {
            throw new InvalidMessageException(
                    "offsetMessageId", offsetMessageId, "32 or 56 upper-case hex digits", untried(NO_TOPIC));
        }
    }

    /** Where the message with this id was stored, {@code host:port}. */
    static String storeAddress(MessageId id) {
        InetSocketAddress host = id.storeHost();
        return host.getAddress().getHostAddress() + ":" + host.getPort();
    }

    private FailureSite asking(String address, String topic) {
        return new FailureSite(address, topic, 1, deadline.remainingMs());
    }

    private String search() {
        return "the search for a route at " + instance.nameServers().addresses();
    }

    /** The addresses of all NameServers. */
    List<String> nameServers() throws ClientException {
        List<String> addresses = instance.nameServers().addresses();
        if (addresses.isEmpty()) {
            throw new NoNameServerException(NameServers.NONE_CONFIGURED, untried(NO_TOPIC));
        }
        return addresses;
    }

    /** Asks one NameServer and gives the answer, whatever its code. */
    <Q extends Record, R extends Record> Answered<R> askNameServer(Rpc<Q, R> rpc, Q header, String topic)
            throws ClientException {
        return Failures.await(
                instance.nameServers().call(rpc, header, null, topic, deadline), rpc.toString(), () -> untried(topic));
    }

    /** Asks one NameServer and gives the answer; fails unless the code is 0. */
    <Q extends Record, R extends Record> Answered<R> demandNameServer(Rpc<Q, R> rpc, Q header, String topic)
            throws ClientException {
        Answered<R> answered = askNameServer(rpc, header, topic);
        if (!answered.isOk()) {
            throw answered.refused(false);
        }
        return answered;
    }

    /** Asks one NameServer and reads the answer's body. */
    <Q extends Record, T> T readFromNameServer(Rpc<Q, ?> rpc, Q header, String topic, Class<T> type)
            throws ClientException {
        return demandNameServer(rpc, header, topic).read(type);
    }

    /** Asks one address and gives the answer, whatever its code. */
    <Q extends Record, R extends Record> Answered<R> ask(String address, Rpc<Q, R> rpc, Q header, String topic)
            throws ClientException {
        return await(askLater(address, rpc, header, topic), address, rpc, topic);
    }

    /** As {@link #ask}, with a body. */
    <Q extends Record, R extends Record> Answered<R> ask(
            String address, Rpc<Q, R> rpc, Q header, byte[] body, String topic) throws ClientException {
        return Failures.await(
                instance.calls().ask(new BrokerCalls.Question<>(address, rpc, header, body, topic, deadline)),
                rpc.toString(),
                () -> asking(address, topic));
    }

    /** Asks one address the same of each header, all at once; the answers in their order, whatever their codes. */
    <Q extends Record, R extends Record> List<Answered<R>> askEach(
            String address, Rpc<Q, R> rpc, List<Q> headers, String topic) throws ClientException {
        List<CompletableFuture<Answered<R>>> calls = new ArrayList<>();
        for (Q header : headers) {
            calls.add(askLater(address, rpc, header, topic));
        }
        List<Answered<R>> answers = new ArrayList<>();
        for (CompletableFuture<Answered<R>> call : calls) {
            answers.add(await(call, address, rpc, topic));
        }
        return answers;
    }

    /** Asks one address without waiting. */
    <Q extends Record, R extends Record> CompletableFuture<Answered<R>> askLater(
            String address, Rpc<Q, R> rpc, Q header, String topic) {
        return instance.calls()
                .ask(BrokerCalls.Question.of(address, rpc, header, topic).until(deadline));
    }

    /** The answer to a question asked by {@link #askLater}, whatever its code. */
    <R extends Record> Answered<R> await(
            CompletableFuture<Answered<R>> call, String address, Rpc<?, R> rpc, String topic) throws ClientException {
        return Failures.await(call, rpc.toString(), () -> asking(address, topic));
    }

    /** Asks one address; fails unless the code is 0. */
    <Q extends Record, R extends Record> Answer<R> demand(
            String address, Rpc<Q, R> rpc, Q header, byte @Nullable [] body, String topic) throws ClientException {
        return Failures.await(
                        demandLater(address, rpc, header, body, topic), rpc.toString(), () -> asking(address, topic))
                .answer();
    }

    /** Asks one address and reads the answer's body. */
    <Q extends Record, T> T read(String address, Rpc<Q, ?> rpc, Q header, String topic, Class<T> type)
            throws ClientException {
        return Failures.await(
                        demandLater(address, rpc, header, null, topic), rpc.toString(), () -> asking(address, topic))
                .read(type);
    }

    /** Asks without waiting. */
    private <Q extends Record, R extends Record> CompletableFuture<Answered<R>> demandLater(
            String address, Rpc<Q, R> rpc, Q header, byte @Nullable [] body, String topic) {
        return instance.calls().demandAnswered(new BrokerCalls.Question<>(address, rpc, header, body, topic, deadline));
    }

    /** Asks several addresses at once; fails with the first failure, after all of them ended. */
    <Q extends Record, R extends Record> List<Answer<R>> demandAll(
            List<String> addresses, Rpc<Q, R> rpc, Q header, byte @Nullable [] body, String topic)
            throws ClientException {
        List<CompletableFuture<Answered<R>>> calls = new ArrayList<>();
        for (String address : addresses) {
            calls.add(demandLater(address, rpc, header, body, topic));
        }
        List<Answer<R>> answers = new ArrayList<>();
        ClientException first = null;
        for (int i = 0; i < calls.size(); i++) {
            String address = addresses.get(i);
            try {
                answers.add(Failures.await(calls.get(i), rpc.toString(), () -> asking(address, topic))
                        .answer());
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

    /** The route of a topic, fresh from a NameServer. */
    TopicRoute route(String topic) throws ClientException {
        return Failures.await(
                instance.within(deadline, instance.routes().refresh(topic), search(), () -> untried(topic)),
                "search for a route",
                () -> untried(topic));
    }

    /**
     * Waits until a NameServer shows a topic that was just created, so that the next line of a script can use it. A topic
     * that stays away is no failure here: whoever uses it will say so.
     */
    void awaitVisible(String topic) throws ClientException {
        CompletableFuture<Void> visible = new CompletableFuture<>();
        look(topic, deadline.atMost(VISIBLE_MS), visible);
        Failures.await(visible, "search for a route", () -> untried(topic));
    }

    private void look(String topic, Deadline end, CompletableFuture<Void> visible) {
        CompletableFuture<TopicRoute> route =
                instance.within(end, instance.routes().refresh(topic), search(), () -> untried(topic));
        Completion.on(route, (found, failure) -> {
            if (failure == null || end.isExpired()) {
                visible.complete(null);
            } else {
                instance.loop()
                        .after(
                                Math.min(LOOK_AGAIN_MS, end.remainingMs()),
                                () -> look(topic, end, visible),
                                () -> visible.completeExceptionally(failure));
            }
        });
    }

    /** The clusters and brokers a NameServer knows. */
    ClusterInfo cluster() throws ClientException {
        return readFromNameServer(Rpcs.GET_BROKER_CLUSTER_INFO, NoHeader.NONE, NO_TOPIC, ClusterInfo.class);
    }

    /** The masters of all brokers, or of one cluster; empty text means all clusters. */
    List<String> masters(String cluster) throws ClientException {
        Answered<?> answered = demandNameServer(Rpcs.GET_BROKER_CLUSTER_INFO, NoHeader.NONE, NO_TOPIC);
        List<String> addresses = new ArrayList<>();
        for (BrokerData broker :
                answered.read(ClusterInfo.class).brokerAddrTable().values()) {
            String master = broker.masterAddress();
            if (master != null && (cluster.isEmpty() || cluster.equals(broker.cluster()))) {
                addresses.add(master);
            }
        }
        if (addresses.isEmpty()) {
            throw new NoRouteException(
                    cluster.isEmpty()
                            ? "no live master: no broker that is one is registered; one that just started is in a moment"
                            : "no live master in cluster " + cluster,
                    answered.site());
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
            throw new NoRouteException("no live master holds the topic", untried(topic));
        }
        return addresses;
    }

    /** The master of one broker. */
    String masterOf(String brokerName, String topic) throws ClientException {
        return addressOf(brokerName, topic, BrokerData::masterAddress, "no live master of broker ");
    }

    /** The master of one broker, or without one the slave with the smallest id. */
    String addressToRead(String brokerName, String topic) throws ClientException {
        return addressOf(brokerName, topic, BrokerData::addressToRead, "no live master or slave of broker ");
    }

    private String addressOf(
            String brokerName, String topic, Function<BrokerData, @Nullable String> choice, String whenNone)
            throws ClientException {
        var known = instance.routes().masterAddress(brokerName);
        if (known.isPresent()) {
            return known.get();
        }
        Answered<?> answered = demandNameServer(Rpcs.GET_BROKER_CLUSTER_INFO, NoHeader.NONE, topic);
        BrokerData broker = answered.read(ClusterInfo.class).brokerAddrTable().get(brokerName);
        String address = broker == null ? null : choice.apply(broker);
        if (address == null) {
            throw new NoRouteException(whenNone + brokerName, answered.site());
        }
        return address;
    }
}
