package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskSpace;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.LogReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** A log engine on one thread: the test steps its loops, appends, and reads everything back. */
@OwnedBy("the test")
final class LogRig {
    static final int SEGMENT_BYTES = 64 * 1024;

    private final Disk disk;
    private final HandClock clock;
    private final Random random;
    private final List<Throwable> faults = new ArrayList<>();
    private final Supplier<? extends Replication> replications;
    private final LongSupplier checkpoint;
    private LogLoopConfig config;
    private long bootId = 1;
    private long senderWaitsMs = 1_000_000;
    private LogEngine engine;
    private Appender appender;

    LogRig(Disk disk, HandClock clock, Random random, FlushMode mode) throws IOException {
        this(disk, clock, random, config(mode, 64, 256 * 1024), () -> new SoloReplication(mode));
    }

    /** @param replications the replication of each opening */
    LogRig(
            Disk disk,
            HandClock clock,
            Random random,
            LogLoopConfig config,
            Supplier<? extends Replication> replications)
            throws IOException {
        this(disk, clock, random, config, replications, () -> -1);
    }

    /** @param checkpoint how far views are durable at each opening */
    LogRig(
            Disk disk,
            HandClock clock,
            Random random,
            LogLoopConfig config,
            Supplier<? extends Replication> replications,
            LongSupplier checkpoint)
            throws IOException {
        this.checkpoint = checkpoint;
        this.disk = disk;
        this.clock = clock;
        this.random = random;
        this.replications = replications;
        this.config = config;
        this.engine = openEngine();
        this.appender = engine.gate().newAppender(Runnable::run);
    }

    static LogLoopConfig config(FlushMode mode, int inboxRequests, long inboxBytes) {
        return new LogLoopConfig(
                SEGMENT_BYTES,
                mode,
                1_000,
                SEGMENT_BYTES / 2,
                inboxRequests,
                inboxBytes,
                64 * 1024,
                mode == FlushMode.SYNC ? 32 * 1024 : 0,
                new DiskSpace.SpaceRule(1 << 20, 0));
    }

    private LogEngine openEngine() throws IOException {
        LogEngine opened = LogEngine.open(
                new LogEngine.Seams(disk, clock, random, bootId, faults::add),
                config,
                replications.get(),
                logId -> checkpoint.getAsLong());
        opened.seed(FoldedLevels.of(opened.log()));
        return opened;
    }

    /** Opens again what was closed, killed or lost power. */
    void reopen() throws IOException {
        engine = openEngine();
        appender = engine.gate().newAppender(Runnable::run);
    }

    void reopen(LogLoopConfig other) throws IOException {
        config = other;
        reopen();
    }

    void bootId(long id) {
        bootId = id;
    }

    /** How long those that send from now on wait for the log to take what they send. */
    void senderWaitsMs(long ms) {
        senderWaitsMs = ms;
    }

    LogEngine engine() {
        return engine;
    }

    CommitLog log() {
        return engine.log();
    }

    List<Throwable> faults() {
        return faults;
    }

    Sent send(String topic, int queueId, String... bodies) {
        return send(topic, queueId, true, bodies);
    }

    Sent send(String topic, int queueId, boolean waitForStore, String... bodies) {
        Sent sent = new Sent(List.of(bodies));
        List<FrameDraft> drafts = new ArrayList<>();
        int size = 0;
        for (String body : bodies) {
            FrameDraft draft = new FrameDraft()
                    .topic(topic.getBytes(StandardCharsets.UTF_8))
                    .queueId(queueId)
                    .bornTimestampMs(clock.wallMs())
                    .body(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)));
            drafts.add(draft);
            size += draft.sizeBytes();
        }
        ByteBuffer space = appender.reserve(size);
        if (space == null) {
            sent.refuse(appender.refusal());
            return sent;
        }
        drafts.forEach(draft -> draft.writeTo(space));
        appender.submit(new AppendRequest(topic, queueId, bodies.length, waitForStore, sent)
                .arrived(clock.monotonicMs(), senderWaitsMs));
        return sent;
    }

    /** A short pass; false when something is left for the loop's own thread. */
    /** Appends a fact; what becomes of it is not waited for. */
    void fact(Fact fact) {
        new FactSink(engine.gate(), clock).append(fact, (result, endOffset) -> {});
    }

    boolean stepLogShortly() {
        return engine.logLoop().doShortWork(clock.monotonicMs());
    }

    void stepLog() {
        engine.logLoop().doWork(clock.monotonicMs());
    }

    void stepFlusher() {
        engine.flusher().doWork(clock.monotonicMs());
    }

    void stepPreparer() {
        engine.preparer().doWork(clock.monotonicMs());
    }

    /** Until nothing moves. */
    void settle() {
        int work = 1;
        while (work > 0) {
            long nowMs = clock.monotonicMs();
            work = engine.logLoop().doWork(nowMs)
                    + engine.flusher().doWork(nowMs)
                    + engine.logLoop().doWork(nowMs);
        }
    }

    /** Everything but closing the files. */
    void stopClean() throws IOException {
        engine.gate().close();
        settle();
        engine.closeClean();
    }

    void closeClean() throws IOException {
        stopClean();
        engine.close();
    }

    /** All confirmed frames but facts. */
    List<StoredFrame> messages() throws IOException {
        return readAll(log()).stream()
                .filter(frame -> !frame.topic().equals(dev.perigee.protocol.topic.SystemTopic.FACTS))
                .toList();
    }

    static List<StoredFrame> readAll(CommitLog log) throws IOException {
        List<StoredFrame> frames = new ArrayList<>();
        LogReader reader = new LogReader(log, log.startOffset());
        MessageFrame frame = new MessageFrame();
        while (reader.next()) {
            frame.wrap(reader.buffer(), reader.framePosition());
            byte[] body = new byte[frame.bodyLength()];
            frame.buffer().get(frame.bodyAt(), body);
            frames.add(new StoredFrame(
                    reader.frameOffset(),
                    reader.frameSizeBytes(),
                    frame.topic(),
                    frame.queueId(),
                    frame.queueOffset(),
                    frame.storeTimestampMs(),
                    FactCodec.isFact(frame) ? "" : new String(body, StandardCharsets.UTF_8)));
        }
        return frames;
    }
}
