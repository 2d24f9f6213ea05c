package dev.perigee.client.instance;

import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.route.NameServers;
import dev.perigee.client.route.RouteCache;
import dev.perigee.client.route.RouteLooks;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.client.work.Timer;
import dev.perigee.loop.Clock;
import dev.perigee.loop.LoopDriver;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.header.client.UnregisterClientHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.ConnectionListener;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.transport.Transport;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The wiring of one client: event loops, connections, the client loop, routes and heartbeats. Producers, consumers and
 * admin clients each have one.
 */
@ThreadSafe
public final class ClientInstance implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClientInstance.class);
    /** How long a leaving client waits for brokers to take notice. */
    public static final long GOODBYE_TIMEOUT_MS = 1_000;

    private static final long STOP_TIMEOUT_MS = 10_000;
    /** A start waits for brokers as long as so many calls may take. */
    private static final int START_CALLS = 3;

    private final ClientSettings settings;
    private final @Nullable EventLoops ownLoops;
    private final RemotingClient remoting;
    private final ClientLoop loop;
    private final LoopDriver driver;
    private final NameServers nameServers;
    private final RouteCache routes;
    private final BrokerCalls calls;
    private final Heartbeats heartbeats;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Opens nothing yet, except the event loops.
     *
     * @param handlers who answers requests brokers send to this client
     * @param heartbeat what the heartbeats say; asked on any thread
     */
    public ClientInstance(ClientSettings settings, HandlerTable handlers, Supplier<HeartbeatData> heartbeat) {
        this.settings = settings;
        Transport given = settings.transport();
        this.ownLoops = given == null
                ? EventLoops.start("perigee-client-" + settings.instanceName(), settings.eventLoops())
                : null;
        Transport transport = given != null ? given : Objects.requireNonNull(ownLoops);
        Clock clock = settings.clock();
        ClientConfig config =
                ClientConfig.DEFAULT.withTls(settings.tls()).withSerialization(HeaderSerialization.BINARY);
        this.remoting = new RemotingClient(config, transport, clock);
        this.loop = new ClientLoop("perigee-client-loop-" + settings.instanceName(), clock);
        this.driver = new LoopDriver(loop, clock, (failed, cause) -> {});
        this.loop.wakeWith(driver::wake);
        this.nameServers = new NameServers(settings.nameServers(), remoting, firstNameServer(settings));
        this.routes = new RouteCache(nameServers, clock, settings.callTimeoutMs());
        this.calls = new BrokerCalls(remoting, clock, settings.callTimeoutMs(), new RouteLooks(routes, clock));
        this.heartbeats = new Heartbeats(routes, calls, remoting, heartbeat, clock);
        remoting.onRequest(handlers);
        remoting.onConnections(new ConnectionListener() {
            @Override
            public void opened(Connection connection) {
                loop.execute(() -> heartbeats.beatNewConnection(connection.remoteAddress()));
            }
        });
    }

    /** Clients spread by their names: no chance, so that a simulation takes the same course again. */
    private static int firstNameServer(ClientSettings settings) {
        return settings.clientId().hashCode() & Short.MAX_VALUE;
    }

    /** Starts the loop and its periodic work. */
    public void start() {
        if (settings.loopMode() == ClientSettings.LoopMode.OWN_THREAD) {
            driver.start();
        }
        loop.every(settings.routeRefreshMs(), settings.routeRefreshMs(), routes::refreshAll);
        loop.every(settings.heartbeatMs(), settings.heartbeatMs(), heartbeats::beatSoon);
        LOG.info("event=client_started clientId={} nameServers={}", settings.clientId(), settings.nameServers());
    }

    public ClientSettings settings() {
        return settings;
    }

    public Clock clock() {
        return settings.clock();
    }

    public ClientLoop loop() {
        return loop;
    }

    public RemotingClient remoting() {
        return remoting;
    }

    public NameServers nameServers() {
        return nameServers;
    }

    public RouteCache routes() {
        return routes;
    }

    public BrokerCalls calls() {
        return calls;
    }

    public Heartbeats heartbeats() {
        return heartbeats;
    }

    /**
     * Tells every connected broker that a producer group or consumer group of this client is gone, and sends no heartbeat any more. The
     * future is completed when all have answered or failed; it never fails itself.
     */
    public CompletableFuture<Void> unregister(@Nullable String producerGroup, @Nullable String consumerGroup) {
        heartbeats.leave();
        var header = new UnregisterClientHeader(settings.clientId(), producerGroup, consumerGroup);
        CompletableFuture<?>[] goodbyes = heartbeats.connectedAddresses().stream()
                .map(address -> calls.ask(BrokerCalls.Question.of(address, Rpcs.UNREGISTER_CLIENT, header, "-")
                                .until(Deadline.after(clock(), GOODBYE_TIMEOUT_MS)))
                        .handle((answer, failure) -> null))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(goodbyes);
    }

    /** Where a call stands that begins now under the default deadline; asked when it fails. */
    public Supplier<FailureSite> callBegins(String topic) {
        Deadline deadline = Deadline.after(clock(), settings.callTimeoutMs());
        return () -> FailureSite.untried(topic, deadline.remainingMs());
    }

    /**
     * What the future comes to, or at the deadline a {@link DeadlineExceededException}, or a {@link ClosedException} when the
     * client closes before. Completed on whichever thread brings the news: an event loop or the client loop.
     *
     * @param what the work waited for, for the text
     * @param where tells, when it fails so, where the operation stands
     */
    public <T> CompletableFuture<T> within(
            Deadline deadline, CompletableFuture<T> future, String what, Supplier<FailureSite> where) {
        if (future.isDone()) {
            return future;
        }
        CompletableFuture<T> bounded = new CompletableFuture<>();
        Timer end = loop.after(
                deadline.remainingMs(),
                () -> bounded.completeExceptionally(
                        new DeadlineExceededException(what + " took too long " + deadline, where.get())),
                () -> bounded.completeExceptionally(
                        new ClosedException("the client was closed during " + what, where.get())));
        Completion.on(future, (value, failure) -> {
            end.cancel();
            if (failure == null) {
                bounded.complete(value);
            } else {
                bounded.completeExceptionally(failure);
            }
        });
        return bounded;
    }

    /**
     * Bounds what a start waits for once the routes are known: completes as the future does, or normally after three call
     * timeouts, because brokers that do not answer are not awaited; then they have been named in the log, {@code late} has run,
     * on the client loop, and the future goes on.
     */
    public CompletableFuture<Void> withinStart(String group, CompletableFuture<Void> future, Runnable late) {
        if (future.isDone()) {
            return future;
        }
        CompletableFuture<Void> bounded = new CompletableFuture<>();
        long limitMs = START_CALLS * settings.callTimeoutMs();
        Timer end = loop.after(limitMs, () -> {
            if (!bounded.isDone()) {
                LOG.warn(
                        "event=consumer_started_without_all group={} waitedMs={} brokersWithoutAnswer={}",
                        group,
                        limitMs,
                        heartbeats.unanswered());
                late.run();
                bounded.complete(null);
            }
        });
        Completion.on(future, (done, failure) -> {
            end.cancel();
            if (failure == null) {
                bounded.complete(null);
            } else {
                bounded.completeExceptionally(failure);
            }
        });
        return bounded;
    }

    /** Waits for something that may as well fail or take too long. Blocks; an interrupt ends the waiting and stays set. */
    public void awaitQuietly(CompletableFuture<?> future, long timeoutMs) {
        try {
            future.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("event=not_awaited clientId={} reason=\"{}\"", settings.clientId(), e.toString());
        }
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return closed.get();
    }

    /** Stops the loop, then closes all connections. Idempotent; blocks up to a few seconds. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (settings.loopMode() == ClientSettings.LoopMode.STEPPED || driver.stop(STOP_TIMEOUT_MS)) {
            loop.onStop(); // also where no thread ever ran: whoever waits for the loop is told
        } else {
            LOG.warn("event=client_loop_slow_to_stop clientId={} waitedMs={}", settings.clientId(), STOP_TIMEOUT_MS);
        }
        heartbeats.end();
        remoting.close();
        EventLoops loops = ownLoops;
        if (loops != null) {
            loops.close();
        }
        LOG.info("event=client_stopped clientId={}", settings.clientId());
    }
}
