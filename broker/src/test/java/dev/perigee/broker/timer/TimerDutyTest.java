package dev.perigee.broker.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.topic.TopicConfig;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Deliveries over a real store whose loops, clock, cold readers and memory are the test's. */
class TimerDutyTest {
    private static final int COLD_TASKS = 3;

    private final Set<Long> onDisk = new HashSet<>(); // offsets
    private TimerWorld world;

    @BeforeEach
    void open() throws Exception {
        world = new TimerWorld(1_000, COLD_TASKS);
        world.duty = new TimerDuty(new TimerDuty.Parts(
                world.view,
                world.topics,
                world.store.log(),
                (offset, sizeBytes) -> !onDisk.contains(offset),
                world.frames,
                world.store.facts(),
                world::coldRead,
                new BrokerStats("c", ZoneId.of("UTC"), world.nowMs),
                world.timer,
                world.clock,
                () -> {}));
        world.store.facts().append(new TopicChanged(TopicConfig.of("T", 1, 6)), (result, end) -> {});
        world.settle();
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    private long waits(long delayMs) {
        FrameDraft draft = new FrameDraft().body(ByteBuffer.wrap("m".getBytes(StandardCharsets.UTF_8)));
        DueTime.At due = world.after(delayMs);
        WaitingFrames.delay(draft, new PropertyEdit(), "T", 0, due, RecallHash.NONE);
        return world.append(WaitingFrames.topicOf(due), WaitingFrames.queueOf(due), draft);
    }

    private long delivered() {
        return world.store.queues().queues("T").stream()
                .mapToLong(queue -> queue.maxOffset())
                .sum();
    }

    @Test
    void whatIsInMemoryIsDeliveredAtItsTime() {
        waits(50);
        world.pass(49);
        assertThat(delivered()).isZero();
        world.pass(1);
        assertThat(delivered()).isOne();
    }

    @Test
    void whatIsNotInMemoryIsReadAheadOfItsTime() {
        world.coldReadersRun = false;
        waits(60_000);
        world.pass(60_000 - TimerHorizon.SOON_MS);
        assertThat(world.coldTasks).as("a look for what is due soon").hasSize(1);
        world.runColdTasks();
        world.pass(TimerHorizon.SOON_MS - WarmAhead.AHEAD_MS - 1);
        assertThat(world.coldTasks).isEmpty();
        world.pass(1);
        assertThat(world.coldTasks).hasSize(1);
    }

    @Test
    void aFullColdQueueDelaysOnlyWhatIsCold() {
        for (int i = 0; i < 10; i++) {
            onDisk.add(waits(50));
            waits(50);
        }
        world.coldReadersRun = false;
        for (int i = 0; i < COLD_TASKS; i++) {
            world.coldTasks.add(() -> {});
        }
        world.pass(50);
        assertThat(delivered()).as("those in memory").isEqualTo(10);
        waits(20);
        world.pass(20);
        assertThat(delivered()).as("later ones too").isEqualTo(11);
        world.coldTasks.clear();
        world.pass(10);
        assertThat(world.coldTasks)
                .as("the cold ones are tried again a moment later")
                .isNotEmpty();
        world.runColdTasks();
        assertThat(delivered()).isEqualTo(21);
    }

    @Test
    void coldOnesShareATask() {
        waits(1); // has all loaded that is due within half a minute
        for (int i = 0; i < 60; i++) {
            onDisk.add(waits(20_000));
        }
        world.coldReadersRun = false;
        world.nowMs += 20_000;
        world.store.loops().forEach(loop -> loop.doWork(world.clock.monotonicMs()));
        assertThat(world.coldTasks).hasSize(1);
        world.runColdTasks();
        assertThat(delivered()).isEqualTo(61);
    }
}
