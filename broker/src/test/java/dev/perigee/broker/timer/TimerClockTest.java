package dev.perigee.broker.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerClockTest {
    private static final long HOUR_MS = 3_600_000;
    private static final long START_MS = 1_760_000_000_000L;

    /** Two clocks that the test turns; reading the wall clock may take a while. */
    private static final class TwoClocks implements Clock {
        long wallMs = START_MS;
        long monotonicNs = 77;
        long readTakesMs;

        void pass(long ms) {
            wallMs += ms;
            monotonicNs += ms * 1_000_000L;
        }

        @Override
        public long wallMs() {
            long read = wallMs;
            pass(readTakesMs);
            return read;
        }

        @Override
        public long monotonicNs() {
            return monotonicNs;
        }
    }

    private final TwoClocks clocks = new TwoClocks();
    private final TimerClock clock = new TimerClock(clocks, 0, Long.MIN_VALUE);

    @Test
    void itIsTheWallClockWhileThatTakesNoSteps() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            clocks.pass(random.nextInt(5_000));
            assertThat(clock.nowMs()).isEqualTo(clocks.wallMs);
        }
        assertThat(clock.now().shiftMs()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {HOUR_MS, -HOUR_MS, 60, -60, 30 * 24 * HOUR_MS, -30 * 24 * HOUR_MS})
    void aStepOfTheWallClockIsNoneOfIts(long stepMs) {
        clocks.pass(1_000);
        clocks.wallMs += stepMs;
        assertThat(clock.nowMs()).isEqualTo(START_MS + 1_000);
        clocks.pass(500);
        TimerClock.Moment now = clock.now();
        assertThat(now.timerMs()).isEqualTo(START_MS + 1_500);
        assertThat(now.wallMs()).isEqualTo(clocks.wallMs);
        assertThat(now.ofWall(clocks.wallMs + 10_000))
                .as("a time of the wall clock as far ahead as it says")
                .isEqualTo(START_MS + 11_500);
    }

    @Test
    void stepsThatNobodyLookedAtInBetweenAddUp() {
        clocks.wallMs += HOUR_MS;
        clocks.pass(10 * HOUR_MS);
        clocks.wallMs -= 3 * HOUR_MS;
        assertThat(clock.nowMs()).isEqualTo(START_MS + 10 * HOUR_MS);
        clocks.wallMs += 2 * HOUR_MS;
        assertThat(clock.nowMs()).isEqualTo(START_MS + 10 * HOUR_MS);
        assertThat(clock.now().shiftMs()).isZero();
    }

    @Test
    void aClockThatIsAdjustedSlowlyIsFollowed() {
        for (int i = 0; i < 10_000; i++) {
            clocks.pass(1_000);
            clocks.wallMs += i % 2 == 0 ? 1 : 0;
            assertThat(clock.nowMs()).isEqualTo(clocks.wallMs);
        }
    }

    @Test
    void aThreadThatIsHeldUpBetweenTwoReadsSeesNoStep() {
        for (int i = 0; i < 100; i++) {
            clocks.pass(100);
            clocks.readTakesMs = 200;
            long before = clocks.wallMs;
            assertThat(clock.nowMs()).isBetween(before, clocks.wallMs);
            clocks.readTakesMs = 0;
            assertThat(clock.now().shiftMs()).isZero();
        }
    }

    @Test
    void aRestartGoesOnWithTheShift() {
        assertThat(new TimerClock(clocks, -HOUR_MS, START_MS - 2 * HOUR_MS).nowMs())
                .isEqualTo(START_MS - HOUR_MS);
        assertThat(new TimerClock(clocks, HOUR_MS, START_MS).nowMs()).isEqualTo(START_MS + HOUR_MS);
        for (long shiftMs : new long[] {0, -HOUR_MS, HOUR_MS}) {
            TimerClock fellBehind = new TimerClock(clocks, shiftMs, clocks.wallMs + 2 * HOUR_MS);
            assertThat(fellBehind.nowMs()).isEqualTo(clocks.wallMs + 2 * HOUR_MS);
            clocks.pass(1_000);
            assertThat(fellBehind.nowMs()).isEqualTo(clocks.wallMs + 2 * HOUR_MS);
        }
    }

    /** A master that starts knows of more of its log later; a step of the wall clock meanwhile is not forgotten for that. */
    @Test
    void whatIsKnownLaterOfAnEarlierRunCountsBesideAStepSince() {
        clocks.wallMs += HOUR_MS;
        assertThat(clock.now().shiftMs()).isEqualTo(-HOUR_MS);
        clock.goOnFrom(2 * HOUR_MS, Long.MIN_VALUE);
        assertThat(clock.now().shiftMs()).isEqualTo(HOUR_MS);
    }
}
