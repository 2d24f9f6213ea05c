package dev.perigee.client.instance;

import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.UnreachableException;
import dev.perigee.client.route.RouteCache;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.header.client.HeartbeatResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells brokers that this client is alive and what it consumes, and keeps in mind over which connections they have heard it: a broker
 * knows whose requests come over a connection by the heartbeats that do.
 */
@ThreadSafe
public final class Heartbeats {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeats.class);

    private final RouteCache routes;
    private final BrokerCalls calls;
    private final RemotingClient remoting;
    private final Supplier<HeartbeatData> content;
    private final SilenceLines lines;
    private final Set<Beat> underWay = ConcurrentHashMap.newKeySet();
    /** Brokers whose last heartbeat failed; only ones of routes in use. */
    private final Set<String> silent = ConcurrentHashMap.newKeySet();
    /** Open connections over which a heartbeat was answered with success. */
    private final Set<Connection> heard = ConcurrentHashMap.newKeySet();

    private volatile boolean ending;
    /** Written under this lock, so that no heartbeat leaves behind a goodbye: one that did would make the client known again. */
    private volatile boolean saidGoodbye;

    /** A heartbeat that is not answered yet. Equal to no other. */
    private static final class Beat {
        final String address;
        /** The connection over which it was answered with success. */
        final CompletableFuture<Connection> answeredOver = new CompletableFuture<>();

        /** Null while its connection is opening. */
        @Nullable
        CompletableFuture<Answer<HeartbeatResponse>> call;

        Beat(String address) {
            this.address = address;
        }
    }

    Heartbeats(
            RouteCache routes,
            BrokerCalls calls,
            RemotingClient remoting,
            Supplier<HeartbeatData> content,
            Clock clock) {
        this.routes = routes;
        this.calls = calls;
        this.remoting = remoting;
        this.content = content;
        this.lines = new SilenceLines(clock);
    }

    /**
     * Sends one heartbeat to every broker of the routes in use: to masters, and to slaves too when this client consumes.
     * The future is completed when every one of them answered or failed; it never fails itself.
     */
    public CompletableFuture<Void> beatAll() {
        HeartbeatData data = content.get();
        if (data.producerDataSet().isEmpty() && data.consumerDataSet().isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        byte[] body = Json.write(data);
        Set<String> known = addresses(true);
        silent.retainAll(known);
        lines.keepOnly(known);
        CompletableFuture<?>[] beats = addresses(!data.consumerDataSet().isEmpty()).stream()
                .map(address -> beat(address, body).handle((connection, failure) -> null))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(beats);
    }

    /** Sends heartbeats as {@link #beatAll} does, without telling when they are answered. */
    public void beatSoon() {
        Completion.unawaited(beatAll());
    }

    /** Sends one heartbeat to a broker that was just connected, unless one is under way to it. */
    void beatNewConnection(String address) {
        if (underWay.stream().noneMatch(beat -> beat.address.equals(address))
                && addresses(true).contains(address)) {
            HeartbeatData data = content.get();
            if (!data.producerDataSet().isEmpty() || !data.consumerDataSet().isEmpty()) {
                Completion.unawaited(beat(address, Json.write(data)));
            }
        }
    }

    /** The addresses of all brokers of the routes in use. */
    public Set<String> addresses(boolean withSlaves) {
        Set<String> addresses = new TreeSet<>();
        for (BrokerData broker : routes.brokers().values()) {
            if (withSlaves) {
                addresses.addAll(broker.brokerAddrs().values());
            } else {
                String master = broker.masterAddress();
                if (master != null) {
                    addresses.add(master);
                }
            }
        }
        return addresses;
    }

    /** Those of them that are connected now. */
    public Set<String> connectedAddresses() {
        Set<String> addresses = addresses(true);
        addresses.removeIf(address -> remoting.connection(address).isEmpty());
        return addresses;
    }

    /** Whether the last heartbeat to this broker failed: it is better asked after others. */
    public boolean isSilent(String address) {
        return silent.contains(address);
    }

    /** The brokers whose last heartbeat failed, and those whose first one is not answered yet. */
    public Set<String> unanswered() {
        Set<String> unanswered = new TreeSet<>(silent);
        underWay.forEach(beat -> unanswered.add(beat.address));
        return unanswered;
    }

    /**
     * The connection to a broker over which it has answered a heartbeat with success, so that it knows whose requests come over it. One
     * is sent where none has been, which opens the connection. Fails with a {@link dev.perigee.client.error.ClientException} when that
     * heartbeat does, at the default deadline at the latest, or when the client has taken its leave.
     */
    public CompletableFuture<Connection> heardOver(String address) {
        Optional<Connection> open = remoting.connection(address).filter(heard::contains);
        if (open.isPresent()) {
            return CompletableFuture.completedFuture(open.get());
        }
        return underWay.stream()
                .filter(beat -> beat.address.equals(address))
                .findFirst()
                .map(beat -> beat.answeredOver)
                .orElseGet(() -> beat(address, Json.write(content.get())));
    }

    /** The client takes its leave: no heartbeat goes out after this, not even one that waits for its connection to open. */
    void leave() {
        List<Beat> last;
        synchronized (this) {
            saidGoodbye = true;
            heard.clear();
            last = List.copyOf(underWay);
        }
        last.forEach(this::takeBack);
    }

    /** Of one that has gone out nobody needs the answer. */
    private void takeBack(Beat beat) {
        beat.answeredOver.completeExceptionally(hasLeft(beat.address));
        CompletableFuture<?> call = beat.call;
        if (call != null) {
            call.cancel(false);
        }
    }

    private static ClosedException hasLeft(String address) {
        return new ClosedException(
                "the client has taken its leave of its brokers", new FailureSite(address, FailureSite.NONE, 0, 0));
    }

    /** Says that the client is closing: heartbeats it cuts off are no news. */
    void end() {
        ending = true;
    }

    private CompletableFuture<Connection> beat(String address, byte[] body) {
        Deadline deadline = calls.deadline();
        BrokerCalls.Question<NoHeader, HeartbeatResponse> question = BrokerCalls.Question.of(
                        address, Rpcs.HEART_BEAT, NoHeader.NONE, FailureSite.NONE)
                .withBody(body)
                .until(deadline);
        Beat beat = new Beat(address);
        synchronized (this) { // see saidGoodbye
            if (saidGoodbye) {
                return CompletableFuture.failedFuture(hasLeft(address));
            }
            underWay.add(beat);
        }
        Completion.on(beat.answeredOver, (connection, failure) -> ended(beat, failure));
        Completion.on(remoting.connect(address, deadline), (connection, failure) -> {
            if (failure == null) {
                send(beat, question, connection);
            } else {
                beat.answeredOver.completeExceptionally(Failures.of(failure, question.site(deadline)));
            }
        });
        return beat.answeredOver;
    }

    private void send(Beat beat, BrokerCalls.Question<NoHeader, HeartbeatResponse> question, Connection connection) {
        BrokerCalls.Asked<HeartbeatResponse> asked;
        synchronized (this) { // see saidGoodbye
            if (saidGoodbye) {
                return; // it is taken back
            }
            asked = calls.put(question);
            beat.call = asked.call();
        }
        Completion.on(asked.answered(), (answered, failure) -> {
            if (failure != null) {
                beat.answeredOver.completeExceptionally(failure);
            } else if (!answered.isOk()) {
                beat.answeredOver.completeExceptionally(answered.refused(false));
            } else if (isHeard(beat.address, connection)) {
                beat.answeredOver.complete(connection);
            } else {
                beat.answeredOver.completeExceptionally(
                        new UnreachableException("the connection was lost or left meanwhile", answered.site()));
            }
        });
    }

    /**
     * Takes note that a heartbeat was answered that was sent when this was the broker's connection; whether it went over it and not over
     * a later one: no connection comes back.
     */
    private synchronized boolean isHeard(String address, Connection connection) {
        boolean isStillThere =
                remoting.connection(address).filter(now -> now == connection).isPresent();
        if (isStillThere && !saidGoodbye && heard.add(connection)) {
            connection.onClose(heard::remove);
        }
        return isStillThere;
    }

    private void ended(Beat beat, @Nullable Throwable failure) {
        underWay.remove(beat);
        if (failure == null) {
            silent.remove(beat.address);
        } else {
            silent.add(beat.address);
            failed(beat.address, failure);
        }
    }

    private void failed(String address, Throwable failure) {
        if (ending || saidGoodbye) {
            return;
        }
        int failures = lines.failed(address);
        if (failures > 0) {
            LOG.warn(
                    "event=heartbeat_failed address={} failures={} reason=\"{}\"",
                    address,
                    failures,
                    failure.getMessage());
        }
    }
}
