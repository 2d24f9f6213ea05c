package dev.perigee.broker.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.DelayLevels;
import dev.perigee.loop.Clock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a message is due that says this or that. */
class DueTimesTest {
    private static final long NOW_MS = 1_760_000_000_000L;
    private static final long SHIFT_MS = -5_000;
    private static final long MAX_SEC = 2_592_000;

    private static final Clock STANDING = new Clock() {
        @Override
        public long wallMs() {
            return NOW_MS;
        }

        @Override
        public long monotonicNs() {
            return 0;
        }
    };

    private final DueTimes times = new DueTimes(
            Objects.requireNonNull(DelayLevels.parse("1s 5s 10s")),
            MAX_SEC,
            new TimerClock(STANDING, SHIFT_MS, Long.MIN_VALUE));

    private DueTime due(
            @Nullable String level,
            @Nullable String delaySec,
            @Nullable String delayMs,
            @Nullable String deliverMs,
            boolean fired) {
        return times.of(new Wish(level, delaySec, delayMs, deliverMs, fired));
    }

    /** {@code waitMs} −1 stands for a refusal, 0 for at once. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    1 |  |  |  |  | 1000 | 1
                    3 |  |  |  |  | 10000 | 3
                    4 |  |  |  |  | 10000 | 3
                    9223372036854775807 |  |  |  |  | 10000 | 3
                    0 |  |  |  |  | 0 | 0
                    -7 |  |  |  |  | 0 | 0
                    x |  |  |  |  | -1 | 0
                    9223372036854775808 |  |  |  |  | -1 | 0
                    | 3 |  |  |  | 3000 | 0
                    | 0 |  |  |  | 0 | 0
                    | -1 |  |  |  | -1 | 0
                    | 2592000 |  |  |  | 2592000000 | 0
                    | 2592001 |  |  |  | -1 | 0
                    | 9223372036854775807 |  |  |  | -1 | 0
                    | x |  |  |  | -1 | 0
                    |  | 1 |  |  | 1 | 0
                    |  | 0 |  |  | 0 | 0
                    |  | -1 |  |  | -1 | 0
                    |  | 2592000000 |  |  | 2592000000 | 0
                    |  | 2592000001 |  |  | -1 | 0
                    |  | 9223372036854775807 |  |  | -1 | 0
                    |  |  | 1760000000001 |  | 1 | 0
                    |  |  | 1760000000000 |  | 0 | 0
                    |  |  | -9223372036854775808 |  | 0 | 0
                    |  |  | 1762592000000 |  | 2592000000 | 0
                    |  |  | 1762592000001 |  | -1 | 0
                    |  |  | 9223372036854775807 |  | -1 | 0
                    |  |  | x |  | -1 | 0
                    2 | x | x | x |  | 5000 | 2
                    0 | 3 | 4 | 5 |  | 3000 | 0
                    | 3 | 4 | 1760000000005 |  | 3000 | 0
                    |  | 4 | 1760000000005 |  | 4 | 0
                    2 | 3 | 4 | 5 | fired | 5000 | 2
                    """)
    void aTable(
            @Nullable String level,
            @Nullable String delaySec,
            @Nullable String delayMs,
            @Nullable String deliverMs,
            @Nullable String fired,
            long waitMs,
            int expectedLevel) {
        DueTime due = due(level, delaySec, delayMs, deliverMs, fired != null);
        if (waitMs < 0) {
            assertThat(due).isInstanceOf(DueTime.Bad.class);
        } else if (waitMs == 0) {
            assertThat(due).isInstanceOf(DueTime.AtOnce.class);
        } else {
            DueTime.At at = (DueTime.At) due;
            assertThat(at)
                    .isEqualTo(new DueTime.At(NOW_MS + SHIFT_MS + waitMs, SHIFT_MS, NOW_MS + SHIFT_MS, expectedLevel));
            assertThat(at.wallMs()).isEqualTo(NOW_MS + waitMs);
        }
    }

    @ParameterizedTest
    @CsvSource({",3,,", ",,3,", ",,,1760000000005", "0,3,,"})
    void whatHasWaitedByATimeAlreadyDoesNotWaitAgain(
            @Nullable String level, @Nullable String delaySec, @Nullable String delayMs, @Nullable String deliverMs) {
        assertThat(due(level, delaySec, delayMs, deliverMs, true)).isInstanceOf(DueTime.AtOnce.class);
    }

    @Test
    void exactlyTheLimitIsTakenAndOneMoreIsRefusedWithIt() {
        assertThat(due(null, Long.toString(MAX_SEC), null, null, false)).isInstanceOf(DueTime.At.class);
        assertThat(due(null, Long.toString(MAX_SEC + 1), null, null, false))
                .isEqualTo(new DueTime.Bad("TIMER_DELAY_SEC=2592001 is no whole number from 0 to 2592000"
                        + " (timerMaxDelaySec=2592000)"));
        assertThat(due(null, null, null, "1762592000001", false))
                .isEqualTo(new DueTime.Bad("TIMER_DELIVER_MS=1762592000001 is no time up to 1762592000000"
                        + " (the broker's clock says 1760000000000, timerMaxDelaySec=2592000)"));
    }

    @Test
    void whatAMessageAsksForIsNamed() {
        assertThat(new Wish("3", "4", "5", "6", false).asked()).isEqualTo("DELAY=3");
        assertThat(new Wish("x", null, null, null, true).asked()).isEqualTo("DELAY=x");
        assertThat(new Wish("0", "4", "5", "6", false).asked()).isEqualTo("TIMER_DELAY_SEC=4");
        assertThat(new Wish(null, null, "5", "6", false).asked()).isEqualTo("TIMER_DELAY_MS=5");
        assertThat(new Wish(null, null, null, "6", false).asked()).isEqualTo("TIMER_DELIVER_MS=6");
        assertThat(new Wish("0", "4", "5", "6", true).asked()).isNull();
        assertThat(Wish.NONE.asked()).isNull();
    }
}
