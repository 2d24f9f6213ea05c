package dev.perigee.group;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.replica.NodeId;
import dev.perigee.store.Store;
import dev.perigee.store.StoreConfig;
import dev.perigee.store.StoreSeams;
import dev.perigee.store.append.AppendRequest;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.Appender;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.LogReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The store and the group of one broker on the test's thread, over a disk that loses power and a network in memory. */
@OwnedBy("the test")
final class GroupNode {
    static final int SEGMENT_BYTES = 64 << 10;
    private static final String TOPIC = "orders";
    /** Among the loops of a store. */
    private static final int FLUSHER = 1;

    CrashingDisk disk;
    final int port;
    /** Of the next time it is opened. */
    FlushMode flush = FlushMode.SYNC;

    /** Why its log is to be set aside by the next start; null while it is not. */
    @Nullable
    String tooOld;

    /** Why its start is refused; null while it is not. It goes on here, as a process does until it is stopped. */
    @Nullable
    String refused;

    final List<Throwable> faults = new ArrayList<>();
    /** What became of each message sent here, in the order in which that was known. */
    final List<AppendResult> results = new ArrayList<>();
    /** What was acknowledged here: where it lies, and what it says. */
    final Map<Long, String> acknowledged = new TreeMap<>();

    private final GroupConfig config;
    private final Random random;
    private final Clock clock;
    private final MemoryTransport network;
    private long bootId = 1;
    private @Nullable Store store;
    private @Nullable Group group;
    private @Nullable RemotingServer server;
    private @Nullable HandlerTable handlers;
    private long frozenUntilMs;
    private long stalledUntilMs;
    private @Nullable Appender appender;
    private int sent;

    GroupNode(GroupConfig config, int port, Random random, Clock clock, MemoryTransport network) {
        this.config = config;
        this.port = port;
        this.random = random;
        this.clock = clock;
        this.network = network;
        this.disk = new CrashingDisk(random);
    }

    String id() {
        return config.selfId();
    }

    boolean isUp() {
        return store != null;
    }

    Store store() {
        return Objects.requireNonNull(store);
    }

    CommitLog log() {
        return store().log();
    }

    GroupStanding standing() {
        Group now = group;
        return now == null ? GroupStanding.before(config.configured()) : now.standing();
    }

    boolean leads() {
        return standing().leads();
    }

    void open() throws Exception {
        Group opened = new Group(config, new Group.Seams(disk, network, ClientConfig.DEFAULT, clock, random), flush);
        opened.onTooOld(why -> tooOld = why.getMessage());
        StoreConfig stores = StoreConfig.defaults()
                .withSegmentSizeBytes(SEGMENT_BYTES)
                .withMinFreeBytes(0, 0)
                .withFlushMode(flush);
        StoreSeams seams = new StoreSeams(disk, clock, random, bootId, faults::add);
        Store made = Store.open(
                stores, seams, opened.replication(), new Store.Views(List.of(), facts -> List.of(opened.duty())));
        try {
            handlers = opened.begin(made);
        } catch (IOException e) {
            opened.close();
            made.close();
            throw e;
        }
        refused = null;
        opened.onRefused(why -> refused = why);
        hear();
        opened.start();
        group = opened;
        store = made;
        appender = made.newAppender(Runnable::run);
    }

    /** It stands still, as a stopped process does; its connections stay. */
    void freeze(long ms) {
        frozenUntilMs = clock.monotonicMs() + ms;
    }

    /** Nothing becomes durable there. */
    void stallDisk(long ms) {
        stalledUntilMs = clock.monotonicMs() + ms;
    }

    /** Nobody can connect to it, and what was connected is not; it still reaches others. */
    void deaf() {
        Objects.requireNonNull(server).close();
        server = null;
    }

    boolean isDeaf() {
        return server == null;
    }

    /** It can be connected to again. */
    void hear() throws Exception {
        RemotingServer listening = new RemotingServer(
                ServerConfig.of("127.0.0.1", port), Objects.requireNonNull(handlers), network, clock);
        listening.start();
        server = listening;
    }

    /** Its part in the group, for orders. */
    Group group() {
        return Objects.requireNonNull(group);
    }

    /** The name of its folder. */
    long nodeId() throws IOException {
        return Long.parseUnsignedLong(NodeId.of(disk, random).text(), 16);
    }

    /** Its disk has what another one's has; before it is opened. */
    void copy(GroupNode other) throws IOException {
        disk.putAll(other.disk);
    }

    /** Its disk is another one, with nothing on it; while it is down. */
    void wipe() {
        disk = new CrashingDisk(random);
    }

    /** One pass of every loop. */
    void step() {
        Store running = store;
        if (running == null || clock.monotonicMs() < frozenUntilMs) {
            return;
        }
        for (int i = 0; i < running.loops().size(); i++) {
            if (i != FLUSHER || clock.monotonicMs() >= stalledUntilMs) {
                running.loops().get(i).doWork(clock.monotonicMs());
            }
        }
    }

    void send(int bodyBytes) {
        Appender to = Objects.requireNonNull(appender);
        byte[] body = (id() + ":" + sent++ + ":" + "x".repeat(bodyBytes)).getBytes(StandardCharsets.UTF_8);
        FrameDraft draft = new FrameDraft()
                .topic(TOPIC.getBytes(StandardCharsets.UTF_8))
                .queueId(0)
                .bornTimestampMs(clock.wallMs())
                .body(ByteBuffer.wrap(body));
        ByteBuffer space = to.reserve(draft.sizeBytes());
        if (space == null) {
            return; // it stands still, and takes nothing more
        }
        draft.writeTo(space);
        to.submit(new AppendRequest(TOPIC, 0, 1, true, (request, result) -> {
            results.add(result);
            if (result == AppendResult.APPENDED) {
                acknowledged.put(request.physicalOffset(0), new String(body, StandardCharsets.UTF_8));
            }
        }));
    }

    /** The text of the message that is confirmed at an offset; empty where none is. */
    Optional<String> read(long offset) throws IOException {
        LogReader reader = new LogReader(log(), offset);
        if (!reader.next() || reader.frameOffset() != offset) {
            return Optional.empty();
        }
        MessageFrame frame = new MessageFrame();
        frame.wrap(reader.buffer(), reader.framePosition());
        byte[] body = new byte[frame.bodyLength()];
        frame.buffer().get(frame.bodyAt(), body);
        return Optional.of(new String(body, StandardCharsets.UTF_8));
    }

    private void disconnect() {
        if (server != null) {
            server.close();
        }
        Objects.requireNonNull(group).close();
        server = null;
        group = null;
    }

    /** The process goes, the machine stays. */
    void kill() {
        disconnect();
        disk.kill();
        store = null;
    }

    /** Power goes: what is not on the disk may be lost. */
    void crash() {
        disconnect();
        disk.crash();
        bootId++;
        store = null;
    }

    /** Everything that is written. */
    byte[] bytes() {
        return bytesFrom(log().startOffset());
    }

    /** The same, from an offset on. */
    byte[] bytesFrom(long offset) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        long at = offset;
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
