package dev.perigee.broker.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class DayTotalsTest {
    private static final ZoneId ZONE = ZoneId.of("Asia/Shanghai");
    private static final long EVENING =
            LocalDateTime.of(2026, 3, 1, 23, 0).atZone(ZONE).toInstant().toEpochMilli();
    private static final long DAY_MS = Duration.ofDays(1).toMillis();

    private final DayTotals totals = new DayTotals(ZONE, EVENING);

    @Test
    void theFirstDayBeganAtZero() {
        totals.sample(EVENING + 10_000, 50);
        assertThat(totals.todayMorning()).isZero();
        assertThat(totals.yesterdayMorning()).isZero();
    }

    @Test
    void midnightMovesTheMarksOnce() {
        totals.sample(EVENING + 3_600_000, 100);
        totals.sample(EVENING + 3_610_000, 120);
        assertThat(totals.todayMorning()).isEqualTo(100);
        assertThat(totals.yesterdayMorning()).isZero();

        totals.sample(EVENING + DAY_MS + 3_600_000, 300);
        assertThat(totals.todayMorning()).isEqualTo(300);
        assertThat(totals.yesterdayMorning()).isEqualTo(100);
    }

    @Test
    void aDayNobodyLookedAtCountedNothing() {
        totals.sample(EVENING + 2 * DAY_MS, 100);
        assertThat(totals.todayMorning()).isEqualTo(100);
        assertThat(totals.yesterdayMorning()).isEqualTo(100);
    }

    @Test
    void aClockThatWasSetBackChangesNothing() {
        totals.sample(EVENING + DAY_MS, 100);
        totals.sample(EVENING, 120);
        assertThat(totals.todayMorning()).isEqualTo(100);
    }
}
