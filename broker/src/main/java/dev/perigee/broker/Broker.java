package dev.perigee.broker;

import dev.perigee.broker.admin.RuntimeInfo;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.BrokerRole;
import dev.perigee.broker.config.ChangesOnDisk;
import dev.perigee.broker.config.FlushDiskType;
import dev.perigee.broker.config.IgnoredKey;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.config.StorageSettings;
import dev.perigee.broker.metrics.BrokerMetrics;
import dev.perigee.broker.offset.OffsetsUpstream;
import dev.perigee.broker.registration.FirstRegistration;
import dev.perigee.broker.registration.MasterFence;
import dev.perigee.broker.registration.MasterNotice;
import dev.perigee.broker.registration.Members;
import dev.perigee.broker.registration.RefillWantedException;
import dev.perigee.broker.registration.RegistrationDuty;
import dev.perigee.broker.registration.ReplacedMasterDuty;
import dev.perigee.broker.registration.ReplacedMasterException;
import dev.perigee.broker.registration.SlaveFence;
import dev.perigee.broker.send.SendParts;
import dev.perigee.broker.timer.Recalls;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import dev.perigee.loop.Opened;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.HostBytes;
import dev.perigee.protocol.message.UniqueId;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.ConnectionLimits;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.address.FreePort;
import dev.perigee.remoting.address.ListenPort;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.metrics.MetricsEndpoint;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.tls.TlsFiles;
import dev.perigee.store.BootId;
import dev.perigee.store.Store;
import dev.perigee.store.StoreConfig;
import dev.perigee.store.StoreSeams;
import dev.perigee.store.append.Appender;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.disk.FileDisk;
import dev.perigee.store.kv.RocksViewStores;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.recovery.RecoveryReport;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One broker: store, views, handlers and duties wired together, started and stopped. Wiring only.
 *
 * <p>With {@link BrokerSeams#threads} false nothing runs by itself: {@link #start} steps the loops until the broker is
 * ready, and afterwards the caller steps {@link #loops()} and the transport.
 */
@OwnedBy("starting thread")
public final class Broker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Broker.class);
    /** Of a broker without threads, before its start is left to the loops that the caller steps. */
    private static final int STEPS_OF_START = 100;

    private final BrokerConfig config;
    private final Clock clock;
    private final BrokerSeams seams;
    private final @Nullable EventLoops ownLoops;
    /** Those that append, and those that serve whoever is connected, on a slave too. */
    private final LateDuties appending = new LateDuties(false);

    private final LateDuties serving = new LateDuties(true);

    private Consumer<Throwable> fatal = cause -> {};
    private @Nullable Running running;
    private Consumer<String> waits = line -> {};
    private volatile boolean closed;
    private volatile @Nullable ServingStart lastPart;
    private int servers = 1;
    /** Completed by the loop that failed, with the cause. */
    private final CompletableFuture<Throwable> logFailure = new CompletableFuture<>();

    /** What exists while the broker runs. */
    private record Running(
            BrokerCore core,
            BrokerReplication replication,
            Optional<OffsetsUpstream> upstream,
            RemotingServer server,
            RemotingClient client,
            RegistrationDuty registration,
            MasterNotice notice,
            Optional<MasterFence> fence,
            MetricsEndpoint metrics) {}

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

    /**
     * Recovers the store, opens the ports and makes the broker known. Blocks until it serves. When it fails, everything it
     * had opened is closed again.
     *
     * @throws dev.perigee.loop.config.ConfigException when the address cannot be looked up or is none of this machine
     * @throws IOException when the folder is in use, unreadable, damaged or mounted noexec, the machine or the folder cannot have
     *     the library of the views' stores, a TLS file cannot be used, the broker's own
     *     topics cannot be stored, or the port of the metrics cannot be opened
     * @throws RemotingException when a port cannot be opened
     */
    public void start() throws IOException, RemotingException {
        for (IgnoredKey ignored : config.ignored()) {
            LOG.warn("event=setting_ignored key={} reason=\"{}\"", ignored.key(), ignored.line());
        }
        try (Opened opened = new Opened()) {
            opened.add(this::closeLoops);
            running = serve(opened);
            opened.keep();
        }
        Running now = running;
        LOG.info(
                "event=broker_started name={} cluster={} address={} flush={} advertised={}",
                now.core().identity.name(),
                now.core().identity.cluster(),
                now.core().identity.address(),
                config.storage().flush(),
                config.identity().host().isEmpty() ? "first_non_loopback_ipv4" : "brokerIP1");
    }

    /** What is wrong with them is said before the store is touched, and not at each connection to a NameServer. */
    private void checkTlsFiles() throws IOException {
        TlsFiles.read(config.network().tls(), TlsFiles.Side.SERVER);
        TlsFiles.read(config.network().clientTls(), TlsFiles.Side.CLIENT);
    }

    private Running serve(Opened opened) throws IOException, RemotingException {
        checkTlsFiles();
        BrokerIdentity identity = identity();
        RemotingClient client = opened.with(new RemotingClient(
                ClientConfig.DEFAULT.withTls(config.network().clientTls()), seams.transport(), clock));
        Optional<MasterFence> fence = requireOwnId(identity, client);
        StoresReady stores = opened.with(StoresReady.begin(seams.viewStores(), seams.threads()));
        BrokerViews views = BrokerViews.make(seams.viewStores());
        opened.add(views::close); // after the store, whose loops use it
        BrokerReplication replication = BrokerReplication.of(config, clock, seams, flushMode(config.storage()));
        Store store = opened.with(replication.open(
                identity,
                client,
                () -> Store.open(
                        storeConfig(config.storage()),
                        new StoreSeams(seams.disk(), clock, seams.random(), seams.bootId(), this::failed),
                        replication.replication(),
                        new Store.Views(views.all(), facts -> List.of(serving, appending)))));
        opened.add(replication);
        replication.connect(store, identity);
        stores.await();
        views.prepare();
        views.link().connect(store);
        LiveConfig live = LiveConfig.open(config.resolved(identity), ChangesOnDisk.of(seams.disk()), clock);
        BrokerCore core = new BrokerCore(
                new BrokerCore.Told(config, live, identity), replication, clock, views, store, seams.threads());
        RegistrationDuty registration = new RegistrationDuty(
                identity, config.registration(), client, core.registrationParts(replication.search()), clock);
        RuntimeInfo info = new RuntimeInfo(RuntimeSources.of(core, seams.disk()), core.live, clock);
        Recalls recalls = core.recalls(seams.threads());
        RemotingServer server = opened.with(new RemotingServer(
                serverConfig(identity.port()).withMaxConnections(maxConnections(store)),
                BrokerHandlerTable.of(core, sendParts(core), core.sendBack(this::random), recalls, info),
                seams.transport(),
                clock));
        Optional<OffsetsUpstream> upstream = replication.offsetsUpstream(core.commits, core.offsets);
        List<Duty> duties = servingDuties(core, upstream, replication, registration);
        MasterNotice notice = new MasterNotice(identity, config.registration(), new Members(client, clock));
        duties.add(notice);
        replacedMaster(core, client, registration).ifPresent(duties::add);
        serving.set(duties);
        TimerClockStart clockStart = new TimerClockStart(views, core.timerClock, store);
        List<Duty> confirming = new ArrayList<>(replication.duties());
        confirming.add(clockStart);
        appending.set(confirming);
        startStore(store);
        replication.start(identity, core.commits, core.gate, waits, this::failed);
        BrokerMetrics figures = new BrokerMetrics(identity, core.metricSources(server));
        MetricsEndpoint metrics = opened.with(MetricsEndpoint.start(config.metrics(), figures::register));
        Running made = new Running(core, replication, upstream, server, client, registration, notice, fence, metrics);
        BooleanSupplier mayServe =
                () -> replication.mayServe() && (!replication.startsAsMaster() || clockStart.isDone());
        ServingStart start = new ServingStart(
                mayServe,
                () -> {
                    replication.takeOverOffsets(core.commits, store);
                    appending.set(appendingDuties(core, confirming, recalls));
                    serveClients(made);
                },
                () -> announce(made),
                this::failed,
                clock);
        lastPart = start;
        if (seams.threads()) {
            start.await(() -> closed || logFailure.isDone());
        } else if (core.stepUntil(mayServe, STEPS_OF_START)) {
            start.open();
        }
        return made;
    }

    /** NameServers say who has it; a simulation must not be waited for. */
    private Optional<MasterFence> requireOwnId(BrokerIdentity identity, RemotingClient client) throws IOException {
        List<String> nameServers = config.registration().nameServers();
        if (config.replication().role() == BrokerRole.SLAVE && seams.threads()) {
            new SlaveFence(identity, new Members(client, clock)).check(nameServers);
        }
        if (!config.replication().mayBeFollowed() || !seams.threads()) {
            return Optional.empty();
        }
        boolean emptyLog = seams.disk().list(LogStorage.FOLDER).isEmpty();
        MasterFence fence = new MasterFence(identity, new Members(client, clock));
        fence.check(nameServers, emptyLog);
        return Optional.of(fence);
    }

    private Optional<Duty> replacedMaster(BrokerCore core, RemotingClient client, RegistrationDuty registration) {
        return config.replication().mayBeFollowed()
                ? Optional.of(new ReplacedMasterDuty(
                        core.identity,
                        config.registration(),
                        new Members(client, clock),
                        registration::isOn,
                        () -> BrokerReplication.name(core.store.log()),
                        this::replaced))
                : Optional.empty();
    }

    /** A slave that was not told where its master is finds it by those whom NameServers know, and the start may wait for that slave. */
    private static void announce(Running made) {
        made.notice().begin();
        made.core().wakeViews();
    }

    private void serveClients(Running made) throws IOException, RemotingException {
        BrokerCore core = made.core();
        if (!core.standing.isSlave()) {
            core.alignTemplate();
            new OwnTopics(core, logFailure, seams.threads()).make();
        }
        made.server().start();
        made.notice().end();
        new FirstRegistration(made.registration(), made.fence(), clock).begin(core::wakeViews);
        core.opening.open();
    }

    /** The desk is among them, so that nobody waits for a decision that the log refuses. */
    private List<Duty> servingDuties(
            BrokerCore core,
            Optional<OffsetsUpstream> upstream,
            BrokerReplication replication,
            RegistrationDuty registration) {
        List<Duty> all = new ArrayList<>(List.of(
                core.desk,
                core.waiters,
                core.waiting,
                registration,
                core.notices,
                new SweepDuty(core.clients, core.locks, core.notices, core.commits.resets(), core.stats, clock)));
        all.addAll(replication.slaveDuties());
        upstream.ifPresent(all::add);
        return all;
    }

    /** They decide by what the views show, so not before these show all that was decided before the start (R13, R31). */
    private List<Duty> appendingDuties(BrokerCore core, List<Duty> confirming, Recalls recalls) {
        List<Duty> all = new ArrayList<>(confirming);
        all.addAll(List.of(core.commits, recalls, core.timerDuty(seams.threads()), core.transactions));
        return all;
    }

    private void startStore(Store store) {
        if (seams.threads()) {
            store.start();
        }
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
        Running now = running;
        if (now == null) {
            if (!giveUpStart()) {
                closeLoops();
            }
            return;
        }
        try (Opened rest = new Opened()) {
            rest.add(this::closeLoops);
            rest.add(now.core().views::close);
            rest.add(now.metrics());
            rest.add(now.client());
            rest.add(now.server());
            try {
                CleanStop stop = new CleanStop(now.core(), now.server(), now.registration(), seams.threads());
                if (logFailure.isDone() || !isServing()) { // then no duty runs, and much would never be answered
                    stop.deregister();
                } else if (now.upstream().isPresent()) {
                    stop.leave(now.upstream().get());
                } else {
                    stop.run();
                }
            } finally {
                now.replication().close();
                now.core().store.close();
                now.upstream().ifPresent(OffsetsUpstream::keepLast);
            }
        }
        LOG.info("event=broker_stopped name={}", config.identity().name());
    }

    /** Whether the start is over: clients are served. */
    boolean isServing() {
        ServingStart start = lastPart;
        return start != null && start.isOver();
    }

    private SendParts sendParts(BrokerCore core) {
        List<Appender> appenders = new ArrayList<>();
        for (int i = 0; i < seams.transport().loopCount(); i++) {
            appenders.add(core.store.newAppender(seams.transport().loop(i)));
        }
        byte[] host = HostBytes.encode(new InetSocketAddress(core.identity.host(), core.identity.port()));
        UniqueId ids = new UniqueId(
                Arrays.copyOf(host, host.length - HostBytes.PORT_BYTES),
                ProcessHandle.current().pid(),
                seams.random().nextInt(),
                clock,
                ZoneId.systemDefault());
        SendParts.Making making = new SendParts.Making(
                core.identity, config.sending(), appenders, ids, core.dueTimes, core.halfTimes, this::random);
        SendParts.Checking checking =
                new SendParts.Checking(core.groups, core.locks, core.admission, core.store::diskSpace);
        return SendParts.of(making, checking, core.stats, clock);
    }

    private int random(int bound) {
        return seams.random().nextInt(bound);
    }

    /** Address and ports are checked with it: what is wrong with them is said before the store is touched. */
    private BrokerIdentity identity() throws RemotingException {
        config.requireKnownHost();
        BrokerIdentity told = config.identity();
        String host = told.host().isEmpty() ? HostAddress.firstReachable() : told.host();
        int port = FreePort.find(seams.transport(), config.clientPort());
        for (ListenPort other : config.ports()) {
            if (!other.equals(config.clientPort())) {
                int unused = FreePort.find(seams.transport(), other);
            }
        }
        int haPort = config.replication().mayBeFollowed() && config.haPort().port() == 0
                ? otherPort(config.haPort(), port)
                : told.haPort();
        return told.at(host, port, haPort);
    }

    /** Where the system chooses both ports, it may name one twice. */
    private int otherPort(ListenPort wanted, int taken) throws RemotingException {
        int port;
        do {
            port = FreePort.find(seams.transport(), wanted);
        } while (port == taken);
        return port;
    }

    private ServerConfig serverConfig(int port) {
        List<Integer> ports =
                config.network().fastPort() ? List.of(port, port - BrokerConfig.FAST_PORT_BELOW) : List.of(port);
        return new ServerConfig(
                config.clientPort().host(),
                ports,
                config.network().tls(),
                ServerConfig.DEFAULT_MAX_CONNECTIONS,
                ConnectionLimits.DEFAULT);
    }

    /** Fewer than usual where the process may not have so many files open; its log comes first. */
    private int maxConnections(Store store) throws IOException {
        if (!seams.threads()) {
            return ServerConfig.DEFAULT_MAX_CONNECTIONS; // connections of a simulation are no descriptors
        }
        int readers = store.log().segments().size(); // each file of the log is opened once more when it is read
        DescriptorShare share = DescriptorShare.ofProcess(readers);
        int max = share.maxConnections(servers);
        if (max < ServerConfig.DEFAULT_MAX_CONNECTIONS) {
            LOG.warn(
                    "event=connections_capped maxConnections={} usually={} descriptorLimit={} descriptorsOpen={}"
                            + " reason=\"raise ulimit -n for more\"",
                    max,
                    ServerConfig.DEFAULT_MAX_CONNECTIONS,
                    share.limit(),
                    share.open());
        }
        return max;
    }

    private static StoreConfig storeConfig(StorageSettings storage) {
        StoreConfig defaults = StoreConfig.defaults();
        return new StoreConfig(
                storage.segmentSizeBytes(),
                flushMode(storage),
                storage.syncFlushTimeoutMs(),
                storage.maxMessageSizeBytes(),
                storage.retentionHours(),
                storage.deleteWhen(),
                storage.minFreeBytes(),
                storage.minFreePercent(),
                defaults.inboxRequests(),
                defaults.inboxBytes(),
                defaults.chunkBytes(),
                storage.keyIndex());
    }

    private static FlushMode flushMode(StorageSettings storage) {
        return storage.flush() == FlushDiskType.SYNC_FLUSH ? FlushMode.SYNC : FlushMode.ASYNC;
    }

    private void failed(Throwable cause) {
        if (cause instanceof RefillWantedException) {
            LOG.error("event=refill_wanted effect=broker_must_stop reason=\"{}\"", cause.getMessage());
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

    private Running running() {
        Running now = running;
        if (now == null) {
            throw new IllegalStateException("the broker is not started");
        }
        return now;
    }
}
