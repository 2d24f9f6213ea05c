package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.group.DiskHealth.Room;
import dev.perigee.raft.Fitness;
import org.junit.jupiter.api.Test;

final class DiskHealthTest {
    private static final long PATIENCE_MS = 1_000;
    private static final long STEP_MS = 150;

    private final DiskHealth health = new DiskHealth(PATIENCE_MS, STEP_MS);
    private long nowMs = 5_000;

    /** Looks every step for so long; gives what the last look said. */
    private Fitness after(long ms, Room room, long endOffset, long durableOffset) {
        Fitness fitness = health.look(nowMs, room, endOffset, durableOffset);
        for (long end = nowMs + ms; nowMs < end; ) {
            nowMs += Math.min(STEP_MS, end - nowMs);
            fitness = health.look(nowMs, room, endOffset, durableOffset);
        }
        return fitness;
    }

    @Test
    void aDiskOnWhichNothingWaitsIsWell() {
        assertThat(after(60_000, Room.ALL, 100, 100)).isEqualTo(Fitness.WELL);
    }

    @Test
    void aForceThatTakesLongerThanALeaderMayBeUnheardBlocksIt() {
        after(0, Room.ALL, 100, 100);
        assertThat(after(PATIENCE_MS, Room.ALL, 200, 100)).isEqualTo(Fitness.WELL);
        assertThat(after(STEP_MS, Room.ALL, 200, 100)).isEqualTo(Fitness.BLOCKED);
    }

    @Test
    void aForceThatGetsOnIsWellHoweverMuchWaits() {
        for (long durable = 100; durable < 2_000; durable += 100) {
            assertThat(after(PATIENCE_MS - STEP_MS, Room.ALL, 1L << 30, durable))
                    .isEqualTo(Fitness.WELL);
        }
    }

    @Test
    void itIsSlowUntilAllHasBeenWellForAWhile() {
        after(2 * PATIENCE_MS, Room.ALL, 200, 100);
        assertThat(after(DiskHealth.WELL_MS - STEP_MS, Room.ALL, 200, 200)).isEqualTo(Fitness.SLOW);
        assertThat(after(STEP_MS, Room.ALL, 200, 200)).isEqualTo(Fitness.WELL);
    }

    @Test
    void withoutRoomForFactsItIsBlockedAtOnce() {
        after(0, Room.ALL, 100, 100);
        assertThat(after(0, Room.NONE, 100, 100)).isEqualTo(Fitness.BLOCKED);
    }

    @Test
    void withRoomForFactsOnlyItIsFullAsLongAsThatIsSo() {
        after(0, Room.ALL, 100, 100);
        assertThat(after(STEP_MS, Room.FACTS, 100, 100)).isEqualTo(Fitness.FULL);
        assertThat(after(STEP_MS, Room.ALL, 100, 100)).isEqualTo(Fitness.WELL);
    }

    @Test
    void aProcessThatStoodStillSaysNothingOfItsDisk() {
        after(STEP_MS, Room.ALL, 200, 100);
        nowMs += 60_000;
        assertThat(health.look(nowMs, Room.ALL, 200, 100)).isEqualTo(Fitness.WELL);
    }
}
