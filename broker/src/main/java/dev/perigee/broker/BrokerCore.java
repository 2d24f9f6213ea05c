package dev.perigee.broker;

import dev.perigee.broker.check.Admission;
import dev.perigee.broker.check.Appends;
import dev.perigee.broker.check.OpeningGate;
import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.client.ConflictLog;
import dev.perigee.broker.client.ConsumerGroup;
import dev.perigee.broker.client.ConsumerNotices;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.BrokerRole;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.config.LiveSettings;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.ReadGate;
import dev.perigee.broker.fact.StoreLink;
import dev.perigee.broker.fact.WaitingRequests;
import dev.perigee.broker.filter.FilterCache;
import dev.perigee.broker.group.GroupCreation;
import dev.perigee.broker.group.LatePins;
import dev.perigee.broker.group.StartPositions;
import dev.perigee.broker.lock.QueueLockHandlers;
import dev.perigee.broker.lock.QueueLocks;
import dev.perigee.broker.metrics.MetricSources;
import dev.perigee.broker.offset.CommitRights;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.offset.PullPositions;
import dev.perigee.broker.offset.StoreTimes;
import dev.perigee.broker.pull.PullWaiters;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.registration.RegistrationDuty;
import dev.perigee.broker.retry.SendBackHandler;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.timer.DueTimes;
import dev.perigee.broker.timer.RecallHandler;
import dev.perigee.broker.timer.Recalls;
import dev.perigee.broker.timer.TimerClock;
import dev.perigee.broker.timer.TimerDuty;
import dev.perigee.broker.timer.TimerView;
import dev.perigee.broker.topic.RouteWaits;
import dev.perigee.broker.topic.SystemTopics;
import dev.perigee.broker.topic.TopicCreation;
import dev.perigee.broker.topic.TopicDeletion;
import dev.perigee.broker.transaction.HalfTimes;
import dev.perigee.broker.transaction.Transactions;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.Loop;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.replica.Standing;
import dev.perigee.store.Store;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.queue.ConsumeQueue;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts handlers and duties are made of, made once the store is open. Wiring only. */
@Immutable
final class BrokerCore {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerCore.class);

    final Clock clock;
    final BrokerConfig config;
    final BrokerIdentity identity;
    final LiveConfig live;
    final BrokerReplication replication;
    final Standing standing;
    final Store store;
    final FactDesk desk;
    final TopicView topics;
    final GroupView groups;
    final OffsetView offsets;
    final WaitingRequests waiting;
    private final StoreLink link;
    final TimerView timers;
    final TimerClock timerClock;
    final DueTimes dueTimes;
    final BrokerViews views;
    final Transactions transactions;
    final HalfTimes halfTimes;
    final ReadGate gate;
    final BrokerStats stats;
    final ClientRegistry clients;
    final FilterCache filters;
    final ConsumerNotices notices;
    private final ConflictLog conflicts;
    final QueueLocks locks;
    final PullWaiters waiters;
    final PullPositions pullPositions = new PullPositions();
    final CommitRights commitRights;
    final OffsetCommits commits;
    final SystemTopics systemTopics;
    final TopicCreation topicCreation;
    final TopicDeletion topicDeletion;
    final RouteWaits routeWaits;
    final GroupCreation groupCreation;
    final StoreTimes times;
    final FrameLookup frames;
    final Admission admission;
    final OpeningGate opening;
    private final BrokerSeams seams;
    private final AtomicInteger coldWork = new AtomicInteger();

    /** What the broker was told, and who it is. */
    record Told(BrokerConfig config, LiveConfig live, BrokerIdentity identity) {}

    BrokerCore(
            Told told, BrokerReplication replication, Clock clock, BrokerViews views, Store store, BrokerSeams seams) {
        this.link = views.link();
        this.seams = seams;
        this.clock = clock;
        this.config = told.config();
        this.identity = told.identity();
        this.live = told.live();
        this.replication = replication;
        this.standing = replication.part().standing();
        this.store = store;
        this.desk = views.desk();
        this.topics = views.topics();
        this.groups = views.groups();
        this.offsets = views.offsets();
        this.waiting = new WaitingRequests(clock, config.sending().maxOtherWaitMs());
        this.gate = new ReadGate(link, waiting);
        this.views = views;
        this.timers = views.timers();
        this.timerClock = views.timerClock(clock, store.recovery());
        this.dueTimes =
                new DueTimes(config.sending().delayLevels(), config.sending().maxDelaySec(), timerClock);
        this.stats = new BrokerStats(identity.cluster(), ZoneId.systemDefault(), clock.wallMs());
        this.filters = new FilterCache(() -> live.settings().propertyFilter());
        this.clients = new ClientRegistry(this::onConsumersChanged);
        this.notices = new ConsumerNotices(groups, live, clients::consumers, clock, link::wake);
        this.conflicts = new ConflictLog(clients::consumers, clock);
        this.waiters = new PullWaiters(link::wake);
        this.locks = new QueueLocks(groups.current().byName().keySet(), clock.monotonicMs());
        this.commitRights = new CommitRights(clients, locks, pullPositions, identity, clock);
        this.commits = new OffsetCommits(offsets, topics, store.queues(), desk, link, clock);
        commits.onResetLogged(waiters::wakeTopic);
        this.systemTopics = new SystemTopics(
                identity,
                config.sending().traceTopic(),
                config.sending().delayLevels().count());
        LatePins latePins = new LatePins(offsets, desk, clients::pinnedGroupsOf);
        this.topicCreation = new TopicCreation(topics, desk, latePins::topicMade);
        this.topicDeletion = new TopicDeletion(topics, desk, this::topicGone);
        boolean anyNameServer = !config.registration().nameServers().isEmpty();
        this.routeWaits = new RouteWaits(anyNameServer ? RouteWaits.MAX_WAITING : 0, link::wake);
        StartPositions positions = new StartPositions(offsets, topics, store.queues(), store.coldReaders());
        this.groupCreation = new GroupCreation(groups, topics, positions, desk, gate, waiting, live);
        this.times = new StoreTimes(store.log());
        this.frames = new FrameLookup(store.log(), store.log().segmentSizeBytes());
        this.admission = new Admission(clock, config.sending(), store::isBusy);
        this.opening = new OpeningGate(identity, admission);
        this.halfTimes = new HalfTimes(config.transactions(), timerClock);
        this.transactions = transactions();
        store.queues().onArrival(waiters);
        topics.onChange(this::onTopicChanged);
        groups.onChange(this::onGroupChanged);
        store.coldReaders().maxWaitMs(config.sending().maxOtherWaitMs());
    }

    /** The topics a broker must have before it serves. */
    List<TopicConfig> startTopics() {
        LiveSettings settings = live.settings();
        return systemTopics.all(settings.autoCreateTopic(), settings.defaultTopicQueues());
    }

    /** The template of automatic creation is there exactly while topics may be created automatically. */
    void alignTemplate() {
        LiveSettings settings = live.settings();
        if (settings.autoCreateTopic()) {
            topicCreation.put(SystemTopics.template(settings.defaultTopicQueues()), BrokerCore::templateAligned);
        } else {
            topicDeletion.delete(SystemTopic.AUTO_CREATE, BrokerCore::templateAligned);
        }
    }

    private static void templateAligned(AppendResult result) {
        if (result != AppendResult.APPENDED) {
            LOG.warn("event=topic_template_not_changed reason=\"{}\"", Appends.remark(result));
        }
    }

    /** Settings changed: topics and registrations may have to follow. */
    void configChanged() {
        if (!standing.isSlave()) {
            alignTemplate();
        }
        wakeViews();
    }

    /** Makes the view loop, and with it every duty, run soon. */
    void wakeViews() {
        desk.wake();
    }

    /** One step of every loop of the store, for a broker without threads. */
    void stepStore() {
        for (Loop loop : store.loops()) {
            loop.doWork(clock.monotonicMs());
        }
    }

    /** Steps the store until that is so; false when it is not after so many steps. */
    boolean stepUntil(BooleanSupplier over, int maxSteps) {
        for (int i = 0; i < maxSteps && !over.getAsBoolean(); i++) {
            stepStore();
        }
        return over.getAsBoolean();
    }

    /** When the oldest message was stored, −1 when there is none. Reads the log. */
    long earliestMessageMs() {
        long earliest = Long.MAX_VALUE;
        for (String topic : topics.current().byName().keySet()) {
            for (ConsumeQueue queue : store.queues().queues(topic)) {
                earliest = Math.min(earliest, times.of(queue, queue.minOffset(), Long.MAX_VALUE));
            }
        }
        return earliest == Long.MAX_VALUE ? -1 : earliest;
    }

    /** Reads of duties that may wait for the disk, elsewhere; false when too much waits there. */
    private boolean readAside(Runnable task) {
        coldWork.incrementAndGet();
        Runnable counted = () -> {
            try {
                task.run();
            } finally {
                coldWorkEnded();
            }
        };
        if (!seams.threads()) {
            seams.coldReads().execute(counted);
            return true;
        }
        boolean taken = store.coldReaders().execute(counted);
        if (!taken) {
            coldWorkEnded();
        }
        return taken;
    }

    private void coldWorkEnded() {
        if (coldWork.decrementAndGet() == 0 && standing.isSlave()) {
            wakeViews(); // a leadership may wait for it
        }
    }

    /** Whether nothing is under way that duties have others read. Any thread. */
    boolean hasNoColdWork() {
        return coldWork.get() == 0;
    }

    /** Takes what duties of the master decide: a leadership is over, or begins, while they may still read what it is about. */
    private FactSink decisions() {
        return store.facts().onlyIn(standing::decidesIn);
    }

    TimerDuty timerDuty() {
        return new TimerDuty(new TimerDuty.Parts(
                timers,
                topics,
                store.log(),
                store.log()::isLoaded,
                frames,
                decisions(),
                this::readAside,
                stats,
                timerClock,
                clock,
                this::wakeViews));
    }

    Recalls recalls() {
        return new Recalls(new Recalls.Parts(
                timers,
                frames,
                decisions(),
                link,
                waiting,
                this::readAside,
                timerClock,
                clock,
                this::wakeViews,
                config.sending().region()));
    }

    RegistrationDuty.Parts registrationParts(RegistrationDuty.MasterSearch search) {
        return new RegistrationDuty.Parts(
                topics,
                topicCreation,
                routeWaits,
                live,
                search,
                this::epoch,
                () -> replication.part().brokerId(identity));
    }

    /** In which this broker writes; 0 of one that follows another. */
    private long epoch() {
        return standing.isSlave()
                ? 0
                : store.log().extent().epochs().last().map(Epoch::number).orElse(0);
    }

    RecallHandler recallHandler(Recalls recalls) {
        return new RecallHandler(
                recalls,
                topics,
                gate,
                live,
                clock,
                new RecallHandler.Served(identity.name(), config.sending().recall()));
    }

    private Transactions transactions() {
        return new Transactions(
                new Transactions.Parts(
                        identity,
                        views.transactions(),
                        topics,
                        clients,
                        frames,
                        store,
                        decisions(),
                        halfTimes,
                        dueTimes,
                        stats,
                        clock),
                new Transactions.Waiting(desk, gate, waiting, this::readAside));
    }

    SendBackHandler sendBack(IntUnaryOperator random) {
        SendBackHandler.Parts parts = new SendBackHandler.Parts(
                groups,
                topics,
                groupCreation,
                topicCreation,
                waiting,
                frames,
                store.coldReaders(),
                store.facts(),
                stats,
                config.replication().role() == BrokerRole.SYNC_MASTER,
                random);
        return new SendBackHandler(parts, live, dueTimes);
    }

    MetricSources metricSources(RemotingServer server) {
        return new MetricSources(
                stats,
                clients,
                topics,
                groups,
                store.log(),
                store.viewLoop()::appliedOffset,
                live,
                replication.part()::status,
                replication.part()::group,
                server::counters);
    }

    /** Who is told what becomes of the locks on queues. */
    QueueLockHandlers.Watcher lockWatcher() {
        return new QueueLockHandlers.Watcher() {
            @Override
            public void freed(String group) {
                notices.tell(group);
            }

            @Override
            public void wanted() {
                wakeViews(); // the sweep comes sooner now
            }

            @Override
            public boolean isThere(String group, String clientId) {
                ConsumerGroup members = clients.consumers(group);
                return members != null && members.member(clientId) != null;
            }
        };
    }

    private void onConsumersChanged(ConsumerGroup before, ConsumerGroup after) {
        notices.changed(before, after);
        conflicts.look(after.name());
        if (after.members().size() < before.members().size()) {
            long nowMs = clock.monotonicMs();
            before.clientIds().stream()
                    .filter(id -> after.member(id) == null)
                    .forEach(id -> locks.ways().left(after.name(), id, nowMs));
        }
    }

    /** A topic that was there is another now, or gone when {@code after} is null. View loop. */
    private void onTopicChanged(TopicConfig before, @Nullable TopicConfig after) {
        if (after == null) {
            locks.forgetTopic(before.topicName());
        } else if (after.readQueueNums() < before.readQueueNums()
                || (Permission.isReadable(before.perm()) && !Permission.isReadable(after.perm()))) {
            waiters.wakeTopic(before.topicName());
        }
    }

    /** A group that was there is another now, or gone when {@code after} is null. View loop. */
    private void onGroupChanged(SubscriptionGroupConfig before, @Nullable SubscriptionGroupConfig after) {
        if (after == null) {
            locks.forgetGroup(before.groupName());
        }
        if (after == null || (before.consumeEnable() && !after.consumeEnable())) {
            waiters.wakeGroup(before.groupName());
        }
    }

    /** A group was deleted with its offsets. */
    void groupGone(String group) {
        commits.forgetGroup(group);
        pullPositions.forgetGroup(group);
    }

    private void topicGone(String topic) {
        waiters.wakeTopic(topic);
        commits.forgetTopic(topic);
        pullPositions.forgetTopic(topic);
        stats.forgetTopic(topic);
    }
}
