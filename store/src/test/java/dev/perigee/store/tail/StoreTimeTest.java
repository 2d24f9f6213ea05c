package dev.perigee.store.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import org.junit.jupiter.api.Test;

final class StoreTimeTest {
    private static final class SetClock implements Clock {
        private long wallMs = 1_000_000;
        private long monotonicMs;

        @Override
        public long wallMs() {
            return wallMs;
        }

        @Override
        public long monotonicNs() {
            return monotonicMs * 1_000_000;
        }

        void pass(long ms) {
            wallMs += ms;
            monotonicMs += ms;
        }
    }

    private final SetClock clock = new SetClock();

    @Test
    void followsTheClock() {
        StoreTime time = new StoreTime(clock, 0);
        clock.pass(60_000);
        assertThat(time.next()).isEqualTo(1_060_000);
    }

    @Test
    void staysWhenTheClockGoesBack() {
        StoreTime time = new StoreTime(clock, 0);
        clock.wallMs -= 10_000;
        assertThat(time.next()).isEqualTo(1_000_000);
        clock.pass(10_001);
        assertThat(time.next()).isEqualTo(1_000_001);
    }

    @Test
    void neverBeginsBelowWhatTheLogHolds() {
        assertThat(new StoreTime(clock, 2_000_000).next()).isEqualTo(2_000_000);
    }

    @Test
    void takesAStepOfUpToFiveSecondsAtOnce() {
        StoreTime time = new StoreTime(clock, 0);
        clock.wallMs += 5_000;
        assertThat(time.next()).isEqualTo(1_005_000);
    }

    @Test
    void followsALargerStepATenthFasterThanTimePasses() {
        StoreTime time = new StoreTime(clock, 0);
        clock.wallMs += 3_600_000;
        assertThat(time.next()).isEqualTo(1_000_000);
        for (int i = 0; i < 1_000; i++) {
            clock.pass(1);
            time.next();
        }
        assertThat(time.last()).isEqualTo(1_001_100);
    }
}
