package dev.perigee.broker.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.DelayLevels;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.StoreLink;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.Store;
import dev.perigee.store.StoreConfig;
import dev.perigee.store.StoreSeams;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.append.SoloReplication;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.view.Duty;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Deliveries over a real store whose loops, clock, cold readers and memory are the test's. */
class TimerDutyTest {
    private static final int COLD_TASKS = 3;

    private long nowMs = 1_760_000_000_000L;
    private final Clock clock = new Clock() {
        @Override
        public long wallMs() {
            return nowMs;
        }

        @Override
        public long monotonicNs() {
            return nowMs * 1_000_000L;
        }
    };
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final TimerView view = new TimerView(new MemoryViewStores());
    private final StoreLink link = new StoreLink();
    private final FactDesk desk = new FactDesk(link, link, link::wake);
    private final TopicView topics = new TopicView(desk);
    private final Set<Long> onDisk = new HashSet<>(); // offsets
    private final Queue<Runnable> coldTasks = new ArrayDeque<>();
    private boolean coldReadersRun = true;
    private Store store;
    private DueTimes times;
    private Duty duty = now -> 0;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(
                StoreConfig.defaults().withSegmentSizeBytes(1 << 20),
                new StoreSeams(disk, clock, new SplittableRandom(1), 1, cause -> {
                    throw new AssertionError(cause);
                }),
                new SoloReplication(StoreConfig.defaults().flushMode()),
                new Store.Views(
                        List.of(topics, view),
                        facts -> List.of(new Duty() {
                            @Override
                            public int doWork(long now) {
                                return duty.doWork(now);
                            }

                            @Override
                            public long nextDeadlineMs() {
                                return Long.MAX_VALUE;
                            }
                        })));
        view.prepare();
        link.connect(store);
        TimerClock timer = new TimerClock(clock, 0, Long.MIN_VALUE);
        times = new DueTimes(Objects.requireNonNull(DelayLevels.parse("1s 5s")), 1_000, timer);
        duty = new TimerDuty(new TimerDuty.Parts(
                view,
                topics,
                store.log(),
                (offset, sizeBytes) -> !onDisk.contains(offset),
                new FrameLookup(store.log(), 1 << 20),
                store.facts(),
                this::coldRead,
                new BrokerStats("c", ZoneId.of("UTC"), nowMs),
                timer,
                clock,
                () -> {}));
        store.facts().append(new TopicChanged(TopicConfig.of("T", 1, 6)), (result, end) -> {});
        settle();
    }

    @AfterEach
    void close() throws Exception {
        store.close();
        view.close();
    }

    private boolean coldRead(Runnable task) {
        if (coldReadersRun) {
            task.run();
            return true;
        }
        return coldTasks.size() < COLD_TASKS && coldTasks.add(task);
    }

    private void settle() {
        for (int i = 0; i < 50; i++) {
            for (Loop loop : store.loops()) {
                loop.doWork(clock.monotonicMs());
            }
        }
    }

    private void pass(long ms) {
        nowMs += ms;
        settle();
    }

    private long waits(long delayMs) {
        FrameDraft draft = new FrameDraft().body(ByteBuffer.wrap("m".getBytes(StandardCharsets.UTF_8)));
        DueTime.At due = (DueTime.At) times.of(new Wish(null, null, Long.toString(delayMs), null, false));
        WaitingFrames.delay(draft, new PropertyEdit(), "T", 0, due, RecallHash.NONE);
        long[] offset = new long[1];
        int sizeBytes = draft.sizeBytes();
        store.facts()
                .append(
                        WaitingFrames.topicOf(due),
                        WaitingFrames.queueOf(due),
                        draft,
                        FactSink.Room.ORDINARY,
                        (result, end, queueOffset) -> offset[0] = end - sizeBytes);
        settle();
        return offset[0];
    }

    private long delivered() {
        return store.queues().queues("T").stream()
                .mapToLong(queue -> queue.maxOffset())
                .sum();
    }

    @Test
    void whatIsInMemoryIsDeliveredAtItsTime() {
        waits(50);
        pass(49);
        assertThat(delivered()).isZero();
        pass(1);
        assertThat(delivered()).isOne();
    }

    @Test
    void whatIsNotInMemoryIsReadAheadOfItsTime() {
        coldReadersRun = false;
        waits(60_000);
        pass(60_000 - TimerHorizon.SOON_MS);
        assertThat(coldTasks).as("a look for what is due soon").hasSize(1);
        runColdTasks();
        pass(TimerHorizon.SOON_MS - WarmAhead.AHEAD_MS - 1);
        assertThat(coldTasks).isEmpty();
        pass(1);
        assertThat(coldTasks).hasSize(1);
    }

    private void runColdTasks() {
        for (Runnable task = coldTasks.poll(); task != null; task = coldTasks.poll()) {
            task.run();
        }
        settle();
    }

    @Test
    void aFullColdQueueDelaysOnlyWhatIsCold() {
        for (int i = 0; i < 10; i++) {
            onDisk.add(waits(50));
            waits(50);
        }
        coldReadersRun = false;
        for (int i = 0; i < COLD_TASKS; i++) {
            coldTasks.add(() -> {});
        }
        pass(50);
        assertThat(delivered()).as("those in memory").isEqualTo(10);
        waits(20);
        pass(20);
        assertThat(delivered()).as("later ones too").isEqualTo(11);
        coldTasks.clear();
        pass(10);
        assertThat(coldTasks).as("the cold ones are tried again a moment later").isNotEmpty();
        runColdTasks();
        assertThat(delivered()).isEqualTo(21);
    }

    @Test
    void coldOnesShareATask() {
        waits(1); // has all loaded that is due within half a minute
        for (int i = 0; i < 60; i++) {
            onDisk.add(waits(20_000));
        }
        coldReadersRun = false;
        nowMs += 20_000;
        store.loops().forEach(loop -> loop.doWork(clock.monotonicMs()));
        assertThat(coldTasks).hasSize(1);
        runColdTasks();
        assertThat(delivered()).isEqualTo(61);
    }
}
