package dev.perigee.store;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.store.append.AppendRequest;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.Appender;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.SoloReplication;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DyingDisk;
import dev.perigee.store.log.LogReader;
import dev.perigee.store.queue.QueueConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.UnaryOperator;

/** A store with synchronous flush on the test's thread, over a disk that loses power and under which the process may be killed. */
@OwnedBy("the test")
final class SteppedStore {
    static final String TOPIC = "orders";
    static final int SEGMENT_BYTES = 64 * 1024;
    /** The time between two turns of the loops. */
    static final long STEP_MS = 20;

    /** Acknowledged: where it is, and what it says. */
    record Acknowledged(long queueOffset, long physicalOffset, String body) {}

    final CrashingDisk disk;
    final DyingDisk dying;
    final List<Throwable> faults = new ArrayList<>();
    private final Disk seen;
    private final int segmentSizeBytes;
    private final Random random;
    private final List<Acknowledged> acknowledged = new ArrayList<>();
    private long passedMs;
    private int number;
    private final Clock clock = new Clock() {
        @Override
        public long wallMs() {
            return 1_700_000_000_000L + passedMs;
        }

        @Override
        public long monotonicNs() {
            return (1_000 + passedMs) * 1_000_000;
        }
    };

    SteppedStore(int seed) {
        this(seed, SEGMENT_BYTES, disk -> disk);
    }

    /** @param seenAs what the store sees in place of a disk */
    SteppedStore(int seed, int segmentSizeBytes, UnaryOperator<Disk> seenAs) {
        this.segmentSizeBytes = segmentSizeBytes;
        random = new Random(seed);
        disk = new CrashingDisk(random);
        dying = new DyingDisk(disk);
        seen = seenAs.apply(dying);
    }

    Store open() throws IOException {
        StoreConfig config =
                StoreConfig.defaults().withSegmentSizeBytes(segmentSizeBytes).withMinFreeBytes(0, 0);
        StoreSeams seams = new StoreSeams(seen, clock, random, 1, faults::add);
        return Store.open(
                config,
                seams,
                new SoloReplication(FlushMode.SYNC),
                Store.Views.none(),
                new QueueConfig(50_000, 64, 4096, 3, 4));
    }

    void run(Store store, long ms) {
        for (long end = passedMs + ms; passedMs < end; passedMs += STEP_MS) {
            for (Loop loop : store.loops()) {
                loop.doWork(clock.monotonicMs());
            }
        }
    }

    /** Time goes by of which no loop knows yet. */
    void pass(long ms) {
        passedMs += ms;
    }

    /** Only the log moves: what was sent is written and not flushed. */
    void stepLog(Store store) {
        store.loops().get(0).doWork(clock.monotonicMs());
    }

    /** Sends so many messages without running anything; which of them is acknowledged is noted when it happens. */
    void send(Appender appender, int count) {
        for (int i = 0; i < count; i++) {
            String key = "key" + number++;
            String body = key + ":" + "x".repeat(random.nextInt(1_500));
            FrameDraft draft = new FrameDraft()
                    .topic(TOPIC.getBytes(StandardCharsets.UTF_8))
                    .queueId(0)
                    .bornTimestampMs(clock.wallMs())
                    .body(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)))
                    .properties(PropertyText.ofUtf8(("KEYS\u0001" + key + "\u0002").getBytes(StandardCharsets.UTF_8)));
            draft.writeTo(Objects.requireNonNull(appender.reserve(draft.sizeBytes()), "no chunk space"));
            appender.submit(new AppendRequest(TOPIC, 0, 1, true, (request, result) -> {
                if (result == AppendResult.APPENDED) {
                    acknowledged.add(new Acknowledged(request.queueOffset(), request.physicalOffset(0), body));
                }
            }));
        }
    }

    List<Acknowledged> acknowledged() {
        return List.copyOf(acknowledged);
    }

    /** The key a body begins with. */
    static String keyOf(Acknowledged message) {
        return message.body().substring(0, message.body().indexOf(':'));
    }

    /** All confirmed frames from an offset on, facts too: from place to body. */
    static Map<Long, String> frames(Store store, long fromOffset) throws IOException {
        Map<Long, String> bodies = new HashMap<>();
        LogReader reader = new LogReader(store.log(), fromOffset);
        MessageFrame frame = new MessageFrame();
        while (reader.next()) {
            frame.wrap(reader.buffer(), reader.framePosition());
            byte[] body = new byte[frame.bodyLength()];
            frame.buffer().get(frame.bodyAt(), body);
            bodies.put(reader.frameOffset(), new String(body, StandardCharsets.UTF_8));
        }
        return bodies;
    }
}
