package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class DiskHealthTest {
    private static final long PATIENCE_MS = 1_000;
    private static final long STEP_MS = 150;

    private final DiskHealth health = new DiskHealth(PATIENCE_MS, STEP_MS);
    private long nowMs = 5_000;

    /** Looks every step for so long; gives what the last look said. */
    private boolean after(long ms, boolean hasRoom, long endOffset, long durableOffset) {
        boolean fit = health.isFit(nowMs, hasRoom, endOffset, durableOffset);
        for (long end = nowMs + ms; nowMs < end; ) {
            nowMs += Math.min(STEP_MS, end - nowMs);
            fit = health.isFit(nowMs, hasRoom, endOffset, durableOffset);
        }
        return fit;
    }

    @Test
    void aDiskOnWhichNothingWaitsIsFit() {
        assertThat(after(60_000, true, 100, 100)).isTrue();
    }

    @Test
    void aForceThatTakesLongerThanALeaderMayBeUnheardIsNotFit() {
        after(0, true, 100, 100);
        assertThat(after(PATIENCE_MS, true, 200, 100)).isTrue();
        assertThat(after(STEP_MS, true, 200, 100)).isFalse();
    }

    @Test
    void aForceThatGetsOnIsFitHoweverMuchWaits() {
        for (long durable = 100; durable < 2_000; durable += 100) {
            assertThat(after(PATIENCE_MS - STEP_MS, true, 1L << 30, durable)).isTrue();
        }
    }

    @Test
    void itIsFitAgainOnlyWhenAllHasBeenWellForAWhile() {
        after(2 * PATIENCE_MS, true, 200, 100);
        assertThat(after(DiskHealth.WELL_MS - STEP_MS, true, 200, 200)).isFalse();
        assertThat(after(STEP_MS, true, 200, 200)).isTrue();
    }

    @Test
    void withoutRoomForFactsItIsNotFitAtOnce() {
        after(0, true, 100, 100);
        assertThat(after(0, false, 100, 100)).isFalse();
    }

    @Test
    void aProcessThatStoodStillSaysNothingOfItsDisk() {
        after(STEP_MS, true, 200, 100);
        nowMs += 60_000;
        assertThat(health.isFit(nowMs, true, 200, 100)).isTrue();
    }
}
