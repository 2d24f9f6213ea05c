package dev.perigee.client.instance;

import dev.perigee.client.error.Completion;
import dev.perigee.client.route.RouteCache;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.header.client.HeartbeatResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells brokers that this client is alive and what it consumes. */
@ThreadSafe
public final class Heartbeats {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeats.class);

    private final RouteCache routes;
    private final BrokerCalls calls;
    private final RemotingClient remoting;
    private final Supplier<HeartbeatData> content;
    private final Set<Beat> underWay = ConcurrentHashMap.newKeySet();
    /** Brokers whose last heartbeat failed; only ones of routes in use. */
    private final Set<String> silent = ConcurrentHashMap.newKeySet();

    private volatile boolean ending;
    /** Written under this lock, so that no heartbeat leaves behind a goodbye: one that did would make the client known again. */
    private volatile boolean saidGoodbye;

    /** A heartbeat that is not answered yet. Equal to no other. */
    private static final class Beat {
        final String address;
        final CompletableFuture<Answer<HeartbeatResponse>> call;

        Beat(String address, CompletableFuture<Answer<HeartbeatResponse>> call) {
            this.address = address;
            this.call = call;
        }
    }

    Heartbeats(RouteCache routes, BrokerCalls calls, RemotingClient remoting, Supplier<HeartbeatData> content) {
        this.routes = routes;
        this.calls = calls;
        this.remoting = remoting;
        this.content = content;
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
        silent.retainAll(addresses(true));
        CompletableFuture<?>[] beats = addresses(!data.consumerDataSet().isEmpty()).stream()
                .map(address -> beat(address, body))
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

    /** The client takes its leave: no heartbeat goes out after this, not even one that waits for its connection to open. */
    void leave() {
        List<Beat> last;
        synchronized (this) {
            saidGoodbye = true;
            last = List.copyOf(underWay);
        }
        last.forEach(beat -> beat.call.cancel(false)); // of those that have gone out nobody needs the answer
    }

    /** Says that the client is closing: heartbeats it cuts off are no news. */
    void end() {
        ending = true;
    }

    private synchronized CompletableFuture<Void> beat(String address, byte[] body) {
        if (saidGoodbye) {
            return CompletableFuture.completedFuture(null);
        }
        BrokerCalls.Asked<HeartbeatResponse> asked =
                calls.put(BrokerCalls.Question.of(address, Rpcs.HEART_BEAT, NoHeader.NONE, "-")
                        .withBody(body));
        Beat beat = new Beat(address, asked.call());
        underWay.add(beat);
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Completion.on(asked.answered(), (answered, failure) -> {
            underWay.remove(beat);
            if (failure == null && answered.isOk()) {
                silent.remove(address);
            } else {
                silent.add(address);
                failed(address, failure == null ? answered.refused(false) : failure);
            }
            ended.complete(null);
        });
        return ended;
    }

    private void failed(String address, Throwable failure) {
        if (!ending && !saidGoodbye) {
            LOG.warn("event=heartbeat_failed address={} reason=\"{}\"", address, failure.getMessage());
        }
    }
}
