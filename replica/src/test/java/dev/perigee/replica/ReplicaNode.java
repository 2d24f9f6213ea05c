package dev.perigee.replica;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.protocol.header.replica.RangeAnswer;
import dev.perigee.protocol.header.replica.RangeHeader;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.replica.feed.CommitLogSource;
import dev.perigee.replica.feed.FeedServer;
import dev.perigee.replica.feed.FeedSource;
import dev.perigee.replica.feed.RangeReader;
import dev.perigee.replica.follow.Confirmed;
import dev.perigee.replica.follow.ConfirmedDuty;
import dev.perigee.replica.follow.ConfirmedFile;
import dev.perigee.replica.follow.ConfirmedKeeper;
import dev.perigee.replica.follow.MasterLink;
import dev.perigee.replica.follow.ReplicaLog;
import dev.perigee.replica.follow.Restoring;
import dev.perigee.replica.follow.SlaveReplication;
import dev.perigee.replica.repair.OpenLogRepair;
import dev.perigee.replica.repair.RangeRepair;
import dev.perigee.replica.sync.InSyncDuty;
import dev.perigee.replica.sync.MasterReplication;
import dev.perigee.replica.sync.ReplicaSlots;
import dev.perigee.replica.sync.ReplicationRules;
import dev.perigee.replica.takeover.TailTakeover;
import dev.perigee.replica.takeover.TailTakeover.Patience;
import dev.perigee.store.Store;
import dev.perigee.store.StoreConfig;
import dev.perigee.store.StoreSeams;
import dev.perigee.store.append.AppendRequest;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.Appender;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.Replication;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.DyingDisk;
import dev.perigee.store.epoch.ReplicaSet;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.LogNames;
import dev.perigee.store.view.Duty;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The store and the replication of one broker on the test's thread, over a disk that loses power and a network in memory. */
@OwnedBy("the test")
final class ReplicaNode {
    static final int MASTER_PORT = 10_912;
    static final int SEGMENT_BYTES = 64 << 10;
    private static final int FETCHED_BYTES = 5_000;
    private static final String TOPIC = "orders";

    final CrashingDisk disk;
    /** The same as the broker sees it. */
    final DyingDisk seen;
    /** Of the next time it is opened. */
    FlushMode flush = FlushMode.SYNC;
    /** Whether nothing of its log is in memory when it is fed from; of the next time it is opened. */
    boolean cold;

    final List<Throwable> faults = new ArrayList<>();
    /** Whether a synchronous master starts without those whom its log names; of the next time it is opened. */
    boolean acceptLoss;
    /** Whether, as a master, it waits for those that have a log where it has none. */
    boolean awaitsLogs;
    /** Who is known to have more when it starts as a master. */
    List<Long> farther = List.of();
    /** What the start of a master said that it waits for. */
    final List<String> waits = new ArrayList<>();
    /** What became of each message sent here, in the order in which that was known. */
    final List<AppendResult> results = new ArrayList<>();
    /** What was acknowledged here: where it lies, and what it says. */
    final Map<Long, String> acknowledged = new TreeMap<>();

    private final long brokerId;
    private final Random random;
    private final Clock clock;
    private final MemoryTransport network;
    private long bootId = 1;
    private @Nullable Store store;
    private @Nullable RemotingServer server;
    private @Nullable MasterLink link;
    private @Nullable Restoring restoring;
    private @Nullable OpenLogRepair repair;
    /** Why its log, as a slave's, is to be set aside; null while it is not. */
    @Nullable
    String tooOld;

    private @Nullable MasterReplication master;
    private @Nullable FeedServer fed;
    private @Nullable Appender appender;
    private int sent;

    ReplicaNode(long brokerId, Random random, Clock clock, MemoryTransport network) {
        this.brokerId = brokerId;
        this.random = random;
        this.clock = clock;
        this.network = network;
        this.disk = new CrashingDisk(random);
        this.seen = new DyingDisk(disk);
    }

    Store store() {
        return Objects.requireNonNull(store);
    }

    CommitLog log() {
        return store().log();
    }

    /** Why it and its master do not fit, as a slave; empty while they do. */
    Optional<String> refusal() {
        return Objects.requireNonNull(link).refusal();
    }

    boolean isFollowing() {
        return link != null && link.isFollowing();
    }

    private ReplicaIdentity identity() throws IOException {
        return new ReplicaIdentity("cluster", "broker-a", brokerId, NodeId.of(seen, random));
    }

    private Store open(Replication replication, Store.DutyMaker duties) throws IOException {
        StoreConfig config = StoreConfig.defaults()
                .withSegmentSizeBytes(SEGMENT_BYTES)
                .withMinFreeBytes(0, 0)
                .withFlushMode(flush);
        StoreSeams seams = new StoreSeams(seen, clock, random, bootId, faults::add);
        return Store.open(config, seams, replication, new Store.Views(List.of(), duties));
    }

    void openMaster(boolean synchronous) throws Exception {
        ReplicaSlots slots = new ReplicaSlots();
        ReplicationRules rules = new ReplicationRules(flush, synchronous, 2, 1, 3_000, 256L << 20, 15_000);
        MasterReplication replication = new MasterReplication(
                rules, slots, ConfirmedFile.confirmedIn(seen).offset());
        master = replication;
        List<Duty> duties = new ArrayList<>();
        store = open(
                replication,
                facts -> List.of(nowMs ->
                        duties.stream().mapToInt(duty -> duty.doWork(nowMs)).sum()));
        ConfirmedKeeper confirmed = new ConfirmedKeeper(seen, log(), Confirmed.NOTHING, store()::background);
        duties.add(new InSyncDuty(replication, store().facts()));
        duties.add(new ConfirmedDuty(confirmed));
        LogFacts facts = new LogFacts(identity(), log());
        FeedServer feeds = new FeedServer(facts, source(), slots, network, store().coldReaders(), clock, 0);
        fed = feeds;
        replication.onChange(feeds::logGrew, () -> {});
        repair = repair(feeds::connections);
        feeds.onDamage(repair);
        TailTakeover.Terms terms = new TailTakeover.Terms(
                (synchronous || store().recovery().followed()) && !acceptLoss
                        ? Patience.ALL_MUST_COME
                        : Patience.WHO_COMES,
                store().recovery().mayHaveLostTail() || store().recovery().followed(),
                store().recovery().isRestoring(),
                ConfirmedFile.confirmedIn(seen).offset(),
                acceptLoss,
                store().recovery().followed(),
                awaitsLogs && new LogFacts(identity(), log()).isEmpty() && !acceptLoss);
        TailTakeover takeover = new TailTakeover(
                facts,
                log(),
                store().received(),
                terms,
                network.loop(0),
                clock,
                new StartListener(replication, confirmed));
        feeds.whileStarting(takeover::hello);
        appender = store().newAppender(Runnable::run);
        RemotingServer opened =
                new RemotingServer(ServerConfig.of("127.0.0.1", MASTER_PORT), feeds.handlers(), network, clock);
        opened.start();
        server = opened;
        takeover.expect(farther);
        takeover.begin();
    }

    private final class StartListener implements TailTakeover.Listener {
        private final MasterReplication replication;
        private final ConfirmedKeeper confirmed;

        StartListener(MasterReplication replication, ConfirmedKeeper confirmed) {
            this.replication = replication;
            this.confirmed = confirmed;
        }

        @Override
        public void waits(String line) {
            waits.add(line);
        }

        @Override
        public void whole(Optional<ReplicaSet> named, long endOffset, boolean givesUp, int epoch) {
            try {
                confirmed.keepHere();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            replication.begin(named, givesUp, epoch);
        }
    }

    private FeedSource source() {
        CommitLogSource loaded = new CommitLogSource(log());
        return cold ? new ColdSource(loaded) : loaded;
    }

    void openSlave() throws IOException {
        OldLog.setAside(seen, Restoring.FILE);
        SlaveReplication replication = SlaveReplication.of(seen, flush);
        List<Duty> duties = new ArrayList<>();
        try (RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, clock)) {
            store = new RangeRepair(seen, (logId, confirmed, offset) -> fetch(client, logId, confirmed, offset))
                    .open(() -> open(replication, facts -> List.of(everywhere(duties))));
        }
        ReplicaLog own = new ReplicaLog(identity(), log(), store().received(), replication, seen, store()::background);
        own.recall(store());
        Restoring watched = Restoring.of(
                seen,
                log(),
                store().recovery().mayHaveLostTail() || own.endsBeforeConfirmed(),
                store().viewLoop()::appliedOffset,
                store()::background);
        own.restoring(watched);
        own.onTooOld(why -> tooOld = why.getMessage());
        duties.add(watched);
        restoring = watched;
        MasterLink opened =
                new MasterLink("127.0.0.1:" + MASTER_PORT, own, network, ClientConfig.DEFAULT, clock, random);
        RangeReader ranges = new RangeReader(new LogFacts(identity(), log()), source(), store().coldReaders());
        repair = repair(() -> opened.connection().stream().toList());
        ranges.onDamage(repair);
        opened.answerRanges(ranges);
        watched.onOver(() -> {
            store().restored();
            opened.restored();
        });
        opened.start();
        link = opened;
    }

    private OpenLogRepair repair(Supplier<Collection<Connection>> peers) {
        return new OpenLogRepair(log(), store()::mend, peers, network.loop(0), clock);
    }

    /** A reader has met damage there. */
    void meetDamage(long offset) {
        Objects.requireNonNull(repair).accept(offset);
    }

    /** How many damaged places are known to it. */
    int damagedPlaces() {
        return Objects.requireNonNull(repair).openPlaces();
    }

    private static Duty everywhere(List<Duty> duties) {
        return new Duty() {
            @Override
            public int doWork(long nowMs) {
                return duties.stream().mapToInt(duty -> duty.doWork(nowMs)).sum();
            }

            @Override
            public boolean runsEverywhere() {
                return true;
            }
        };
    }

    /** Why it may not be read, as a slave; empty when it may. */
    Optional<String> notYet() {
        return Objects.requireNonNull(restoring).notYet();
    }

    /** Whether those whom it counts, as a master, have all and know that it is confirmed. */
    boolean areSlavesLevel() {
        return Objects.requireNonNull(fed).areLevel(Objects.requireNonNull(master)::awaits);
    }

    /** Whom it counts, as a master. */
    List<InSyncMember> inSync() {
        return Objects.requireNonNull(master).inSync();
    }

    /** Little at a time, so that it takes several to mend a file. */
    private byte[] fetch(RemotingClient client, long logId, Confirmed confirmed, long offset) throws IOException {
        RangeHeader header = new RangeHeader(
                Long.toHexString(logId),
                offset,
                confirmed.offset(),
                confirmed.epoch(),
                Long.toHexString(confirmed.epochId()));
        CompletableFuture<Answer<RangeAnswer>> answer =
                client.call("127.0.0.1:" + MASTER_PORT, Rpcs.REPLICA_RANGE, header, null, Deadline.after(clock, 3_000));
        network.runUntilIdle(10_000);
        if (answer.isCompletedExceptionally() || !answer.join().isOk()) {
            throw new IOException(
                    answer.isCompletedExceptionally()
                            ? "no answer"
                            : answer.join().remarkText());
        }
        byte[] units = answer.join().body();
        return Arrays.copyOf(units, Math.min(units.length, FETCHED_BYTES));
    }

    /** What it would say to a master. */
    HelloHeader hello(long session) throws IOException {
        return new LogFacts(identity(), log()).hello(session, session, log().confirmOffset(), false);
    }

    /** What it would answer who searches for the fork. */
    ForkAnswer fork(int number) throws IOException {
        return new LogFacts(identity(), log()).fork(number);
    }

    /** Takes the end of a file of the log away, on its disk. */
    void shorten(long segmentStart, int bytes) throws IOException {
        try (DiskFile file = disk.open(LogNames.fileName(segmentStart))) {
            file.resize(SEGMENT_BYTES - bytes);
            file.force();
        }
    }

    /** Turns a bit of the log around, on its disk. */
    void damage(long offset) throws IOException {
        String name = LogNames.fileName(offset - offset % SEGMENT_BYTES);
        try (DiskFile file = disk.open(name)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            file.read(one, offset % SEGMENT_BYTES);
            one.put(0, (byte) (one.get(0) ^ 1)).clear();
            file.write(one, offset % SEGMENT_BYTES);
            file.force();
        }
    }

    /** One pass of every loop. */
    void step() {
        Store running = store;
        if (running != null) {
            for (Loop loop : running.loops()) {
                loop.doWork(clock.monotonicMs());
            }
        }
    }

    /** One pass of every loop but the one that forces. */
    void stepWithoutForcing() {
        List<Loop> loops = store().loops();
        for (int i = 0; i < loops.size(); i++) {
            if (i != 1) {
                loops.get(i).doWork(clock.monotonicMs());
            }
        }
    }

    /** One pass of every loop but that of the views. */
    void stepWithoutViews() {
        for (Loop loop : store().loops()) {
            if (!loop.equals(store().viewLoop())) {
                loop.doWork(clock.monotonicMs());
            }
        }
    }

    /** The log is written and sent, but not forced. */
    void stepLog() {
        store().loops().get(0).doWork(clock.monotonicMs());
    }

    void send(int bodyBytes) {
        Appender to = Objects.requireNonNull(appender);
        byte[] body = (sent++ + ":" + "x".repeat(bodyBytes)).getBytes(StandardCharsets.UTF_8);
        FrameDraft draft = new FrameDraft()
                .topic(TOPIC.getBytes(StandardCharsets.UTF_8))
                .queueId(0)
                .bornTimestampMs(clock.wallMs())
                .body(ByteBuffer.wrap(body));
        draft.writeTo(Objects.requireNonNull(to.reserve(draft.sizeBytes()), "no chunk space"));
        to.submit(new AppendRequest(TOPIC, 0, 1, true, (request, result) -> {
            results.add(result);
            if (result == AppendResult.APPENDED) {
                acknowledged.put(request.physicalOffset(0), new String(body, StandardCharsets.UTF_8));
            }
        }));
    }

    private void disconnect() {
        if (server != null) {
            server.close();
            server = null;
        }
        if (link != null) {
            link.close();
            link = null;
        }
    }

    /** In order. */
    void close() throws IOException {
        disconnect();
        store().close();
        store = null;
    }

    /** The process goes, the machine stays. */
    void kill() {
        disconnect();
        disk.kill();
        seen.liveAgain();
        store = null;
    }

    /** Power goes: what is not on the disk may be lost. */
    void crash() {
        disconnect();
        disk.crash();
        seen.liveAgain();
        bootId++;
        store = null;
    }

    /** Everything that is written. */
    byte[] bytes() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        long at = log().startOffset();
        while (at < log().endOffset()) {
            var lease = Objects.requireNonNull(log().leaseRest(at));
            byte[] some = new byte[(int) Math.min(lease.sizeBytes(), log().endOffset() - at)];
            lease.bytes().get(0, some);
            lease.release();
            all.writeBytes(some);
            at += some.length;
        }
        return all.toByteArray();
    }
}
