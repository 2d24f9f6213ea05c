package dev.perigee.broker;

import dev.perigee.broker.admin.RuntimeInfo;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.ChangesOnDisk;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.metrics.BrokerMetrics;
import dev.perigee.broker.offset.OffsetsUpstream;
import dev.perigee.broker.registration.MasterFence;
import dev.perigee.broker.registration.MasterNotice;
import dev.perigee.broker.registration.RegistrationDuty;
import dev.perigee.broker.registration.ReplacedMasterException;
import dev.perigee.broker.send.SendParts;
import dev.perigee.broker.start.LateDuties;
import dev.perigee.broker.start.ServingStart;
import dev.perigee.broker.start.StoresReady;
import dev.perigee.broker.timer.Recalls;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Opened;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.HostBytes;
import dev.perigee.protocol.message.UniqueId;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.metrics.MetricsEndpoint;
import dev.perigee.store.Store;
import dev.perigee.store.StoreSeams;
import dev.perigee.store.append.Appender;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** In which order a broker is made of its settings, and which duties it has from when on. Wiring only. */
@OwnedBy("starting thread")
final class BrokerStart {
    /**
     * What whoever has the broker made hears of it, and says.
     *
     * @param failed told why the log can never be written again, or the start failed
     * @param replaced told when another master has taken this one's place
     * @param waits hears in one line what the start waits for
     * @param logFailure completed when the log has failed
     * @param servers servers of this process, this one included, that share its file descriptors
     */
    record Owner(
            Consumer<Throwable> failed,
            Consumer<ReplacedMasterException> replaced,
            Consumer<String> waits,
            CompletableFuture<Throwable> logFailure,
            int servers) {}

    private final BrokerConfig config;
    private final Clock clock;
    private final BrokerSeams seams;
    private final Owner owner;
    private final BrokerPorts ports;
    /** Those that append, and those that serve whoever is connected, on a slave too. */
    private final LateDuties appending = new LateDuties(false);

    private final LateDuties serving = new LateDuties(true);

    BrokerStart(BrokerConfig config, Clock clock, BrokerSeams seams, Owner owner) {
        this.config = config;
        this.clock = clock;
        this.seams = seams;
        this.owner = owner;
        this.ports = new BrokerPorts(config, seams);
    }

    /**
     * Opens what has to be open before others can be waited for: the store, whose loops run from now on, and the port of replication. Blocks.
     *
     * @param opened takes all that is to be closed again
     * @return the broker, which serves when its {@link RunningBroker#start} is over
     */
    RunningBroker make(Opened opened) throws IOException, RemotingException {
        ports.checkTlsFiles();
        BrokerIdentity identity = ports.identity();
        RemotingClient client = opened.with(new RemotingClient(
                ClientConfig.DEFAULT.withTls(config.network().clientTls()), seams.transport(), clock));
        BrokerPeers peers = new BrokerPeers(config, seams, clock, identity, client);
        Optional<MasterFence> fence = peers.requireOwnId();
        BrokerCore core = core(opened, identity, peers);
        ReplicationPart part = core.replication.part();
        RegistrationDuty registration = new RegistrationDuty(
                identity, config.registration(), client, core.registrationParts(part.search()), clock);
        RuntimeInfo info = new RuntimeInfo(RuntimeSources.of(core, seams.disk()), core.live, clock);
        Recalls recalls = core.recalls();
        HandlerTable handlers =
                BrokerHandlerTable.of(core, sendParts(core), core.sendBack(seams.random()::nextInt), recalls, info);
        RemotingServer server = opened.with(new RemotingServer(
                ports.clients(identity.port(), core.store.log(), owner.servers()),
                part.ofClients(core, handlers),
                seams.transport(),
                clock));
        Optional<OffsetsUpstream> upstream = part.offsetsUpstream(core.commits, core.offsets);
        MasterNotice notice = peers.notice();
        List<Duty> duties = servingDuties(core, registration);
        upstream.ifPresent(duties::add);
        duties.add(notice);
        peers.replacedMaster(core.store.log(), registration, owner.replaced()).ifPresent(duties::add);
        serving.set(duties);
        TimerClockStart clockStart = new TimerClockStart(core.views, core.timerClock, core.store);
        List<Duty> confirming = new ArrayList<>(part.duties());
        confirming.add(clockStart);
        appending.set(confirming);
        if (seams.threads()) {
            core.store.start();
        }
        if (fence.isPresent()) {
            fence.get().checkAgain(); // recovery took its time; an epoch that was begun for nothing keeps this log from
            // following
        }
        part.start(new ReplicationPart.Begun(
                identity, handlers, core.commits, core.gate, core.replication::farther, owner.waits(), owner.failed()));
        BrokerMetrics figures = new BrokerMetrics(identity, core.metricSources(server));
        MetricsEndpoint metrics = opened.with(MetricsEndpoint.start(config.metrics(), figures::register));
        RunningBroker made = new RunningBroker(
                new RunningBroker.Parts(core, upstream, server, client, registration, notice, fence, metrics),
                owner.logFailure(),
                seams.threads());
        made.startsBy(new ServingStart(
                () -> part.mayServe() && (!part.startsAsMaster() || clockStart.isDone()),
                () -> serve(made, confirming, recalls),
                made::announce,
                owner.failed(),
                clock));
        return made;
    }

    /** The open store, its views, and what handlers and duties are made of. */
    private BrokerCore core(Opened opened, BrokerIdentity identity, BrokerPeers peers) throws IOException {
        StoresReady stores = opened.with(StoresReady.begin(seams.viewStores(), seams.threads()));
        BrokerViews views = BrokerViews.make(seams.viewStores());
        opened.add(views::close); // after the store, whose loops use it
        BrokerReplication replication = BrokerReplication.of(config, clock, seams, peers);
        Store store = opened.with(replication.open(() -> Store.open(
                config.storage().storeConfig(),
                new StoreSeams(seams.disk(), clock, seams.random(), seams.bootId(), owner.failed()::accept),
                replication.replication(),
                new Store.Views(views.all(), facts -> List.of(serving, appending)))));
        opened.add(replication);
        replication.connect(store, identity);
        stores.await();
        views.prepare();
        views.link().connect(store);
        LiveConfig live = LiveConfig.open(config.resolved(identity), ChangesOnDisk.of(seams.disk()), clock);
        return new BrokerCore(new BrokerCore.Told(config, live, identity), replication, clock, views, store, seams);
    }

    private void serve(RunningBroker made, List<Duty> confirming, Recalls recalls)
            throws IOException, RemotingException {
        BrokerCore core = made.core();
        List<Duty> deciding = new ArrayList<>(confirming);
        deciding.addAll(core.replication.part().leading(core, appendingDuties(core, recalls)));
        core.replication.takeOverOffsets(core.commits, core.offsets, core.store).ifPresent(deciding::add);
        appending.set(deciding);
        made.serveClients();
    }

    /** The desk is among them, so that nobody waits for a decision that the log refuses. */
    private List<Duty> servingDuties(BrokerCore core, RegistrationDuty registration) {
        List<Duty> all = new ArrayList<>(List.of(
                core.desk,
                core.waiters,
                core.waiting,
                registration,
                core.notices,
                new SweepDuty(core.clients, core.locks, core.notices, core.commits.resets(), core.stats, clock)));
        all.addAll(core.replication.part().dutiesEverywhere());
        return all;
    }

    /** They decide by what the views show, so not before these show all that was decided before the start (R13, R31). */
    private List<Duty> appendingDuties(BrokerCore core, Recalls recalls) {
        return List.of(core.commits, recalls, core.timerDuty(), core.transactions);
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
                core.identity,
                config.sending(),
                appenders,
                ids,
                core.dueTimes,
                core.halfTimes,
                seams.random()::nextInt);
        SendParts.Checking checking =
                new SendParts.Checking(core.groups, core.locks, core.admission, core.store::diskSpace);
        return SendParts.of(making, checking, core.stats, clock);
    }
}
