package dev.perigee.namesrv;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Opened;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.loop.config.ChangedSettings;
import dev.perigee.namesrv.kv.FolderLock;
import dev.perigee.namesrv.kv.KvFile;
import dev.perigee.namesrv.kv.KvTable;
import dev.perigee.namesrv.kv.WholeFile;
import dev.perigee.namesrv.route.BrokerIdentity;
import dev.perigee.namesrv.route.MinIdChange;
import dev.perigee.namesrv.route.RouteTable;
import dev.perigee.protocol.header.route.MinBrokerIdHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.ConnectionListener;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.metrics.MetricsEndpoint;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Transport;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A name server: wiring only. Questions are answered on the event loop they come in on; routes change on event loop 0,
 * which also looks for silent brokers; the KV file and the file of changed settings are written by a thread that exists
 * only while there is something to write. Servers know nothing of each other.
 */
@ThreadSafe
public final class NameServer implements AutoCloseable {
    /** How many changes of the KV configuration may wait; one more is refused. */
    private static final int KV_QUEUE_LIMIT = 1_000;

    private static final int OWN_LOOPS = 1;

    /** The file of changed settings, in the folder of the KV configuration. */
    /** Longest wait for the last write of a server that closes. */
    private static final long KV_STOP_MS = 5_000;

    private static final String CHANGES = "changed.properties";

    private static final long KV_THREAD_IDLE_MS = 1_000;
    private static final Logger LOG = LoggerFactory.getLogger(NameServer.class);

    private final NameServerConfig config;
    private final Clock clock;
    private final @Nullable Transport given;
    private final Executor kvWriter;
    private final RouteTable table = new RouteTable(this::tellMinId);
    private final LiveSwitches switches;
    private int maxConnections = ServerConfig.DEFAULT_MAX_CONNECTIONS;
    private @Nullable Running running;
    private boolean begun;

    /** What exists between start and close. */
    private record Running(
            FolderLock lock,
            RemotingServer server,
            LoopExecutor.Scheduled sweep,
            MetricsEndpoint metrics,
            @Nullable EventLoops owned) {}

    /** A server with an event loop of its own. */
    public NameServer(NameServerConfig config, Clock clock) {
        this(config, null, kvThread(), clock);
    }

    /** A server on event loops that the caller owns and closes after it. */
    public NameServer(NameServerConfig config, Transport transport, Clock clock) {
        this(config, transport, kvThread(), clock);
    }

    /**
     * As above, for simulation.
     *
     * @param kvWriter writes the KV file, one task at a time
     */
    public NameServer(NameServerConfig config, @Nullable Transport transport, Executor kvWriter, Clock clock) {
        this.config = config;
        this.given = transport;
        this.clock = clock;
        this.kvWriter = kvWriter;
        WholeFile changes = new WholeFile(config.kvConfigPath().toAbsolutePath().resolveSibling(CHANGES));
        this.switches =
                new LiveSwitches(config.switches(), new ChangedSettings(changes, "name server", "updateNamesrvConfig"));
    }

    /** Sets how many connections may be open at once; further ones are closed. Before {@link #start}. */
    public synchronized void maxConnections(int limit) {
        maxConnections = limit;
    }

    /**
     * Reads the KV file and opens the port. Blocks. When it fails, everything it had opened is closed again. A server that
     * failed to start or was closed cannot start again.
     *
     * @throws IllegalStateException when it was started before
     * @throws RemotingException.BindFailed when the port is taken or a TLS file cannot be used
     * @throws IOException when another name server uses the folder, the KV file or the file of changed settings cannot be read, or the
     *     port of {@code /metrics} is taken
     */
    public synchronized void start() throws RemotingException, IOException {
        if (begun) {
            throw new IllegalStateException("a name server starts once");
        }
        begun = true;
        try (Opened opened = new Opened()) {
            FolderLock lock = opened.with(FolderLock.besides(config.kvConfigPath()));
            switches.open();
            KvFile file = new KvFile(config.kvConfigPath());
            KvTable kv = new KvTable(file, file.read(), kvWriter);
            EventLoops owned = given == null ? opened.with(EventLoops.start("namesrv", OWN_LOOPS)) : null;
            Transport transport = given == null ? Objects.requireNonNull(owned) : given;
            RouteLoop routeLoop = new RouteLoop(transport.loop(0), config.unregisterQueueLimit());
            RemotingServer server = opened.with(server(transport, routeLoop, handlers(kv, routeLoop)));
            server.start();
            NameServerMetrics figures = new NameServerMetrics(table, server::counters);
            MetricsEndpoint metrics = opened.with(MetricsEndpoint.start(config.metrics(), figures::register));
            LoopExecutor.Scheduled sweep = routeLoop.loop().every(config.scanIntervalMs(), this::forgetSilent);
            running = new Running(lock, server, sweep, metrics, owned);
            opened.keep();
            LOG.info(
                    "event=name_server_started host={} port={} maxConnections={}",
                    config.bindHost(),
                    server.boundPort(),
                    maxConnections);
        }
    }

    private RemotingServer server(Transport transport, RouteLoop routeLoop, HandlerTable handlers) {
        ServerConfig serverConfig = ServerConfig.of(config.bindHost(), config.listenPort())
                .withTls(config.tls())
                .withMaxConnections(maxConnections);
        RemotingServer server = new RemotingServer(serverConfig, handlers, transport, clock);
        server.onConnections(new ConnectionListener() {
            @Override
            public void closed(Connection connection) {
                routeLoop.handOver(() -> forgetBrokersOver(connection));
            }
        });
        return server;
    }

    /** The port it listens on. */
    public synchronized int port() {
        if (running == null) {
            throw new IllegalStateException("the name server is not running");
        }
        return running.server().boundPort();
    }

    /** Makes what the first encrypted connection would wait for. Returns at once; the future fails when it cannot be made. */
    public synchronized CompletableFuture<?> prepareTls() {
        return running == null
                ? CompletableFuture.completedFuture(this)
                : running.server().prepareTls();
    }

    /** The port of {@code /metrics}, when it is served. */
    public synchronized Optional<Integer> metricsPort() {
        return running == null ? Optional.empty() : running.metrics().port();
    }

    /** Whether a broker of this name is registered now. */
    public boolean knows(String brokerName) {
        return table.group(brokerName).isPresent();
    }

    /** Answers GO_AWAY to peers that understand it, closes port and connections. Blocks up to a few seconds; idempotent. */
    @Override
    public synchronized void close() {
        Running ending = running;
        if (ending == null) {
            return;
        }
        running = null;
        ending.sweep().cancel();
        ending.server().goAway();
        ending.server().close();
        ending.metrics().close();
        if (ending.owned() != null) {
            ending.owned().close();
        }
        try {
            endKvWriter();
            ending.lock().close(); // after the last write
        } catch (IOException e) {
            LOG.warn("event=folder_not_unlocked reason=\"{}\"", e.toString());
        }
        LOG.info("event=name_server_stopped");
    }

    private void endKvWriter() {
        if (kvWriter instanceof ThreadPoolExecutor pool) {
            pool.shutdown();
            try {
                if (!pool.awaitTermination(KV_STOP_MS, TimeUnit.MILLISECONDS)) {
                    LOG.warn("event=kv_writer_slow_to_stop waitedMs={}", KV_STOP_MS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private HandlerTable handlers(KvTable kv, RouteLoop routeLoop) {
        HandlerTable.Builder handlers = HandlerTable.builder();
        long readyAtMs = clock.monotonicMs() + config.warmUpMs();
        new RouteHandlers(table, kv, switches, clock, readyAtMs).addTo(handlers);
        new RegistrationHandlers(table, routeLoop, kv, switches, clock).addTo(handlers);
        new RouteChangeHandlers(table, routeLoop).addTo(handlers);
        new KvHandlers(kv).addTo(handlers);
        new ConfigHandlers(config, switches, kvWriter).addTo(handlers);
        return handlers.build();
    }

    private void forgetBrokersOver(Connection connection) {
        for (BrokerIdentity broker : table.linkClosed(connection)) {
            LOG.info("event=broker_connection_lost {}", RegistrationHandlers.describe(broker));
        }
    }

    private void tellMinId(MinIdChange change) {
        if (!switches.get().notifyMinBrokerIdChanged()) {
            return;
        }
        LOG.info(
                "event=min_broker_id_changed broker={} id={} address={} offline={} told={}",
                change.brokerName(),
                change.minBrokerId(),
                change.minBrokerAddr(),
                change.offlineBrokerAddr(),
                change.links().size());
        MinBrokerIdHeader header = new MinBrokerIdHeader(
                change.minBrokerId(),
                change.brokerName(),
                change.minBrokerAddr(),
                change.offlineBrokerAddr(),
                change.haBrokerAddr());
        for (Object link : change.links()) {
            ((Connection) link).oneway(Rpcs.NOTIFY_MIN_BROKER_ID_CHANGE, header, null);
        }
    }

    private void forgetSilent() {
        for (RouteTable.Expired expired : table.expire(clock.monotonicMs())) {
            LOG.warn(
                    "event=broker_expired {} silentMs={}",
                    RegistrationHandlers.describe(expired.broker()),
                    expired.silentMs());
            ((Connection) expired.link()).close("broker silent for " + expired.silentMs() + " ms");
        }
    }

    private static ThreadPoolExecutor kvThread() {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                1, 1, KV_THREAD_IDLE_MS, TimeUnit.MILLISECONDS, new ArrayBlockingQueue<>(KV_QUEUE_LIMIT), task -> {
                    Thread thread = new Thread(task, "namesrv-kv");
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
