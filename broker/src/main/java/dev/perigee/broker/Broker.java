package dev.perigee.broker;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.IgnoredKey;
import dev.perigee.broker.member.StartRefusedException;
import dev.perigee.broker.registration.RefillWantedException;
import dev.perigee.broker.registration.ReplacedMasterException;
import dev.perigee.broker.start.ServingStart;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import dev.perigee.loop.Opened;
import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.store.BootId;
import dev.perigee.store.disk.FileDisk;
import dev.perigee.store.kv.RocksViewStores;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.recovery.RecoveryReport;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One broker of a process: made by {@link BrokerStart}, started, and stopped.
 *
 * <p>With {@link BrokerSeams#threads} false nothing runs by itself: {@link #start} steps the loops until the broker is
 * ready, and afterwards the caller steps {@link #loops()} and the transport.
 */
@OwnedBy("starting thread")
public final class Broker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Broker.class);

    private final BrokerConfig config;
    private final Clock clock;
    private final BrokerSeams seams;
    private final @Nullable EventLoops ownLoops;
    private Consumer<Throwable> fatal = cause -> {};
    private @Nullable RunningBroker running;
    private Consumer<String> waits = line -> {};
    private volatile boolean closed;
    private volatile boolean handsOver = true;
    private volatile @Nullable ServingStart lastPart;
    private int servers = 1;
    /** Completed by the loop that failed, with the cause. */
    private final CompletableFuture<Throwable> logFailure = new CompletableFuture<>();

    /** A broker over real sockets and files, on threads of its own. */
    public Broker(BrokerConfig config, Clock clock) {
        this(config, clock, EventLoops.start("broker"));
    }

    private Broker(BrokerConfig config, Clock clock, EventLoops loops) {
        this.config = config;
        this.clock = clock;
        this.ownLoops = loops;
        this.seams = ownSeams(config, loops);
    }

    private static BrokerSeams ownSeams(BrokerConfig config, EventLoops loops) {
        try {
            Path root = Path.of(config.storage().rootDir());
            return new BrokerSeams(
                    loops, new FileDisk(root), new RocksViewStores(root), new SecureRandom(), BootId.read(), true);
        } catch (RuntimeException e) {
            loops.close();
            throw e;
        }
    }

    /** A broker over the given network and disk, which the caller closes. */
    public Broker(BrokerConfig config, Clock clock, BrokerSeams seams) {
        this.config = config;
        this.clock = clock;
        this.ownLoops = null;
        this.seams = seams;
    }

    /** Sets who is told when the log can never be written again; the process must end then. Before {@link #start}. */
    public void onFatal(Consumer<Throwable> listener) {
        fatal = listener;
    }

    /** Sets who is told in one line what the start waits for; on an event loop, again each minute. Before {@link #start}. */
    public void onWait(Consumer<String> listener) {
        waits = listener;
    }

    /** Says how many servers of this process, this one included, share its file descriptors. Before {@link #start}. */
    public void shareDescriptors(int serversOfProcess) {
        servers = serversOfProcess;
    }

    /** Longest time that {@link #close} takes, apart from closing the store, where {@code shutdownWaitTimeSeconds} is not set. */
    public static final long LONGEST_STOP_MS = CleanStop.LONGEST_MS;

    /**
     * Recovers the store, opens the ports and makes the broker known. Blocks until it serves. When it fails, everything it
     * had opened is closed again.
     *
     * @throws dev.perigee.loop.config.ConfigException when the address cannot be looked up or is none of this machine
     * @throws IOException when the folder is in use, unreadable, damaged or mounted noexec, the machine or the folder cannot have
     *     the library of the views' stores, a TLS file cannot be used, the broker's own
     *     topics cannot be stored, the port of the metrics cannot be opened, or another process has its place in its group
     * @throws RemotingException when a port cannot be opened
     */
    public void start() throws IOException, RemotingException {
        for (IgnoredKey ignored : config.ignored()) {
            LOG.warn("event=setting_ignored key={} reason=\"{}\"", ignored.key(), ignored.line());
        }
        try (Opened opened = new Opened()) {
            opened.add(this::closeLoops);
            RunningBroker made = new BrokerStart(
                            config,
                            clock,
                            seams,
                            new BrokerStart.Owner(this::failed, this::replaced, waits, logFailure, servers))
                    .make(opened);
            lastPart = made.start();
            made.awaitServing(() -> closed);
            running = made;
            opened.keep();
        }
        RunningBroker now = running;
        LOG.info(
                "event=broker_started name={} cluster={} address={} flush={} advertised={}",
                now.core().identity.name(),
                now.core().identity.cluster(),
                now.core().identity.address(),
                config.storage().flush(),
                config.identity().host().isEmpty() ? "first_non_loopback_ipv4" : "brokerIP1");
    }

    /**
     * Lets a start that waits for replicas wait no longer: {@link #start} closes what it had opened, in order, and throws an IOException. Any
     * thread; returns at once.
     *
     * @return whether the start has come so far that it ends by itself soon, in this way or by serving
     */
    public boolean giveUpStart() {
        ServingStart start = lastPart;
        if (start == null) {
            return false;
        }
        start.giveUp();
        return true;
    }

    /** {@code host:port} as clients are told. */
    public String address() {
        return running().core().identity.address();
    }

    /** The port clients connect to. */
    public int port() {
        return running().core().identity.port();
    }

    /** Makes what the first encrypted connection would wait for. Returns at once; the future fails when it cannot be made. */
    public CompletableFuture<?> prepareTls() {
        return running().server().prepareTls();
    }

    /** What the start found in the log. */
    public RecoveryReport recovery() {
        return running().core().store.recovery();
    }

    /** The port of {@code /metrics}, when it is served. */
    public Optional<Integer> metricsPort() {
        return running().metrics().port();
    }

    /** The byte after the last frame in the log; for tests and figures. */
    public long logEndOffset() {
        return running().core().store.log().endOffset();
    }

    /** The log, to be read below its confirm offset; for simulations. Any thread. */
    public CommitLog log() {
        return running().core().store.log();
    }

    /** The loops to step when the broker has no threads; one of them opens the ports when the start has to wait for replicas. */
    public List<Loop> loops() {
        List<Loop> all = new ArrayList<>(running().core().store.loops());
        ServingStart start = lastPart;
        if (start != null) {
            all.add(start);
        }
        return all;
    }

    /**
     * Stops in order: NameServers are told, clients are sent away, what was taken is answered and offsets are logged
     * unless the log has failed, see {@link CleanStop}; then the store ends, and only then the connections close. Blocks; idempotent.
     */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        RunningBroker now = running;
        if (now == null) {
            if (!giveUpStart()) {
                closeLoops();
            }
            return;
        }
        now.stop(this::closeLoops, handsOver);
        LOG.info("event=broker_stopped name={}", config.identity().name());
    }

    /** Has a stop hand nothing over to others of its group, and serve nobody on, for they stop as well. Any thread. */
    public void handOverNothing() {
        handsOver = false;
    }

    /** Whether clients are served as by the master of the name, which a member of a group is while it leads. Any thread. */
    public boolean isMaster() {
        RunningBroker now = running;
        return now != null && isServing() && !now.core().standing.isSlave();
    }

    /** Whether it belongs to a group and does not know who leads that; not once it runs no more. Any thread. */
    public boolean lacksLeader() {
        RunningBroker now = running;
        return now != null && now.core().replication.part().lacksLeader();
    }

    /** What it is in its group, in words for people; empty when it is in none. Any thread. */
    public Optional<String> place() {
        return running().core().replication.part().place();
    }

    /** Whether the start is over: clients are served. */
    boolean isServing() {
        ServingStart start = lastPart;
        return start != null && start.isOver();
    }

    private void failed(Throwable cause) {
        if (cause instanceof RefillWantedException) {
            LOG.error("event=refill_wanted effect=broker_must_stop reason=\"{}\"", cause.getMessage());
            fatal.accept(cause);
            return;
        }
        if (cause instanceof StartRefusedException) {
            LOG.error("event=no_place_in_group effect=broker_must_stop reason=\"{}\"", cause.getMessage());
            fatal.accept(cause);
            return;
        }
        logFailure.complete(cause);
        LOG.error("event=log_failed effect=broker_must_stop", cause);
        fatal.accept(cause);
    }

    /** The log is sound, so the stop is one in order. */
    private void replaced(ReplacedMasterException cause) {
        LOG.error("event=master_replaced effect=broker_must_stop reason=\"{}\"", cause.getMessage());
        fatal.accept(cause);
    }

    private void closeLoops() {
        EventLoops loops = ownLoops;
        if (loops != null) {
            loops.close();
        }
    }

    private RunningBroker running() {
        RunningBroker now = running;
        if (now == null) {
            throw new IllegalStateException("the broker is not started");
        }
        return now;
    }
}
