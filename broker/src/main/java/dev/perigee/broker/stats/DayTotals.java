package dev.perigee.broker.stats;

import dev.perigee.loop.ThreadSafe;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;

/**
 * A running total as it was at the last two midnights, local time; 0 for a midnight before the start. Midnight is noticed
 * at the first sample after it.
 */
@ThreadSafe
public final class DayTotals {
    private record Marks(long epochDay, long yesterdayMorning, long todayMorning) {}

    private final ZoneId zone;
    private volatile Marks marks;

    DayTotals(ZoneId zone, long nowWallMs) {
        this.zone = zone;
        this.marks = new Marks(day(nowWallMs), 0, 0);
    }

    /** To be called regularly by one thread. A clock that was set back changes nothing. */
    void sample(long nowWallMs, long total) {
        long today = day(nowWallMs);
        Marks before = marks;
        if (today == before.epochDay() + 1) {
            marks = new Marks(today, before.todayMorning(), total);
        } else if (today > before.epochDay()) {
            marks = new Marks(today, total, total); // nobody looked for a whole day: nothing was counted in it
        }
    }

    /** The total at the midnight before the last. */
    public long yesterdayMorning() {
        return marks.yesterdayMorning();
    }

    /** The total at the last midnight. */
    public long todayMorning() {
        return marks.todayMorning();
    }

    private long day(long wallMs) {
        return LocalDate.ofInstant(Instant.ofEpochMilli(wallMs), zone).toEpochDay();
    }
}
