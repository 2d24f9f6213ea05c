package dev.perigee.broker.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.DelayLevels;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.StoreLink;
import dev.perigee.broker.mark.ClockNote;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.store.Store;
import dev.perigee.store.StoreConfig;
import dev.perigee.store.StoreSeams;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.append.SoloReplication;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.view.Duty;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.SplittableRandom;

/** A real store with waiting messages, whose loops, clock, cold readers and duty are the test's. */
final class TimerWorld {
    static final int SEGMENT_BYTES = 1 << 20;

    long nowMs = 1_760_000_000_000L;
    final Clock clock = new Clock() {
        @Override
        public long wallMs() {
            return nowMs;
        }

        @Override
        public long monotonicNs() {
            return nowMs * 1_000_000L;
        }
    };
    final TimerView view = new TimerView(new MemoryViewStores());
    final StoreLink link = new StoreLink();
    private final FactDesk desk = new FactDesk(link, link, link::wake);
    final TopicView topics = new TopicView(desk);
    final Queue<Runnable> coldTasks = new ArrayDeque<>();
    boolean coldReadersRun = true;
    private final int maxColdTasks;
    final Store store;
    final FrameLookup frames;
    final TimerClock timer = new TimerClock(clock, 0, ClockNote.UNTOLD);
    final DueTimes times;
    /** What the view loop runs. */
    Duty duty = now -> 0;

    /**
     * An open store in which nothing waits.
     *
     * @param maxDelaySec how far ahead a time may lie
     * @param maxColdTasks tasks that wait for cold readers at most, while those do not run
     */
    TimerWorld(long maxDelaySec, int maxColdTasks) throws Exception {
        this.maxColdTasks = maxColdTasks;
        store = Store.open(
                StoreConfig.defaults().withSegmentSizeBytes(SEGMENT_BYTES),
                new StoreSeams(new CrashingDisk(new Random(1)), clock, new SplittableRandom(1), 1, cause -> {
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
        times = new DueTimes(Objects.requireNonNull(DelayLevels.parse("1s 5s")), maxDelaySec, timer);
        frames = new FrameLookup(store.log(), SEGMENT_BYTES);
        settle();
    }

    /** Runs what waits for the disk now, or keeps it; false when too much is kept. */
    boolean coldRead(Runnable task) {
        if (coldReadersRun) {
            task.run();
            return true;
        }
        return coldTasks.size() < maxColdTasks && coldTasks.add(task);
    }

    void runColdTasks() {
        for (Runnable task = coldTasks.poll(); task != null; task = coldTasks.poll()) {
            task.run();
        }
        settle();
    }

    void settle() {
        for (int i = 0; i < 50; i++) {
            for (Loop loop : store.loops()) {
                loop.doWork(clock.monotonicMs());
            }
        }
    }

    /** Time passes. */
    void pass(long ms) {
        nowMs += ms;
        settle();
    }

    /** When a message is due that waits so long from now on. */
    DueTime.At after(long delayMs) {
        return (DueTime.At) times.of(new Wish(null, null, Long.toString(delayMs), null, false));
    }

    /** Appends a frame; gives where it lies. */
    long append(String topic, int queueId, FrameDraft draft) {
        long[] endOffset = {-1};
        int sizeBytes = draft.sizeBytes();
        store.facts()
                .append(
                        topic,
                        queueId,
                        draft,
                        FactSink.Room.ORDINARY,
                        (result, end, queueOffset) -> endOffset[0] = end);
        settle();
        assertThat(endOffset[0]).as("end of a frame in topic %s", topic).isPositive();
        return endOffset[0] - sizeBytes;
    }

    void close() throws Exception {
        store.close();
        view.close();
    }
}
