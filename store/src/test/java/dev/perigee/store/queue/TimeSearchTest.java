package dev.perigee.store.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.QueueEnds;
import dev.perigee.store.view.TestFrame;
import dev.perigee.store.view.ViewWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimeSearchTest {
    private final ViewWorld<ConsumeQueueView> world = QueueWorld.open(1, QueueWorld.SMALL);

    private long search(String topic, long timeMs, Boundary boundary) {
        return Objects.requireNonNull(world.settle().find(topic, 0)).offsetByTime(timeMs, boundary);
    }

    @Test
    void k06BatchOfOneStoreTimeIsFoundByItsEnds() {
        world.log().nowMs(5_000);
        for (int i = 0; i < 50; i++) {
            world.log().append("orders", 0);
        }
        assertThat(search("orders", 4_999, Boundary.LOWER)).isZero();
        assertThat(search("orders", 4_999, Boundary.UPPER)).isZero();
        assertThat(search("orders", 5_000, Boundary.LOWER)).isZero();
        assertThat(search("orders", 5_000, Boundary.UPPER)).isEqualTo(49);
        assertThat(search("orders", 5_001, Boundary.LOWER)).isEqualTo(50);
        assertThat(search("orders", 5_001, Boundary.UPPER)).isEqualTo(49);
        assertThat(search("orders", Long.MAX_VALUE, Boundary.LOWER)).isEqualTo(50);
        assertThat(search("orders", Long.MAX_VALUE, Boundary.UPPER)).isEqualTo(49);
    }

    @Test
    void k06BatchAmongOthersIsFoundByItsEnds() {
        for (long timeMs : new long[] {4_000, 5_000, 6_000}) {
            world.log().nowMs(timeMs);
            for (int i = 0; i < 50; i++) {
                world.log().append("orders", 0);
            }
        }
        assertThat(search("orders", 5_000, Boundary.LOWER)).isEqualTo(50);
        assertThat(search("orders", 5_000, Boundary.UPPER)).isEqualTo(99);
        assertThat(search("orders", 4_500, Boundary.LOWER)).isEqualTo(50);
        assertThat(search("orders", 4_500, Boundary.UPPER)).isEqualTo(49);
        assertThat(search("orders", 3_000, Boundary.UPPER)).isZero();
        assertThat(search("orders", 7_000, Boundary.LOWER)).isEqualTo(150);
    }

    @Test
    void queueWithoutMessagesAnswersWhereItEnds() {
        world.log().append(new QueueEnds("idle", Map.of(0, 9L)));
        world.log().append(new QueueEnds("fresh", Map.of(0, 0L)));
        for (Boundary boundary : Boundary.values()) {
            assertThat(search("idle", 5, boundary)).isEqualTo(9);
            assertThat(search("fresh", 5, boundary)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void searchAgreesWithALinearOne(long seed) throws Exception {
        Random random = new Random(seed);
        List<long[]> messages = new ArrayList<>();
        long offset = 0;
        for (int i = 0; i < 900; i++) {
            world.log().nowMs(world.log().nowMs() + (random.nextInt(3) == 0 ? random.nextInt(20) : 0));
            offset += random.nextInt(30) == 0 ? random.nextInt(9) : 0;
            world.log().append(TestFrame.of("orders", 0, offset).body(new byte[100]));
            messages.add(new long[] {offset++, world.log().nowMs()});
            world.log().append("others", 0);
        }
        if (seed % 2 == 0) {
            world.retain(world.log().log().segments().get(1).startOffset());
            long min = Objects.requireNonNull(world.settle().find("orders", 0)).minOffset();
            messages.removeIf(message -> message[0] < min);
        }
        long first = messages.get(0)[1];
        long last = messages.get(messages.size() - 1)[1];
        for (long timeMs = first - 2; timeMs <= last + 2; timeMs++) {
            long at = timeMs;
            long lowerTime = messages.stream()
                    .filter(message -> message[1] >= at)
                    .mapToLong(message -> message[0])
                    .findFirst()
                    .orElse(offset);
            long upper = messages.stream()
                    .filter(message -> message[1] <= at)
                    .mapToLong(message -> message[0])
                    .reduce((a, b) -> b)
                    .orElse(messages.get(0)[0]);
            assertThat(firstMessageFrom(search("orders", at, Boundary.LOWER)))
                    .as("lower %d seed %d", at, seed)
                    .isEqualTo(lowerTime);
            assertThat(search("orders", at, Boundary.UPPER))
                    .as("upper %d seed %d", at, seed)
                    .isEqualTo(upper);
        }
    }

    /** A search may point into the gap before a message. */
    private long firstMessageFrom(long offset) {
        ConsumeQueue queue = Objects.requireNonNull(world.view().find("orders", 0));
        EntryProbe probe = new EntryProbe(queue, ConsumeQueue.Holes.FAIL);
        return probe.seekMessage(offset) ? probe.queueOffset() : queue.maxOffset();
    }
}
