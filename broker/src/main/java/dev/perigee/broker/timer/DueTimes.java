package dev.perigee.broker.timer;

import dev.perigee.broker.config.DelayLevels;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.property.PropertyKey;
import java.util.concurrent.TimeUnit;

/**
 * Decides when messages are due. A delay level above 0 counts before all others, one above the last is the last; then seconds,
 * milliseconds and the delivery time, the first that is there (broker-client §5.3). Pure but for the clock.
 */
@ThreadSafe
public final class DueTimes {
    /** Stands for a text that names no level. */
    private static final int NO_LEVEL = -1;

    private final DelayLevels levels;
    private final long maxDelaySec;
    private final TimerClock clock;

    /** @param maxDelaySec how far ahead a time may lie, exactly so far included; levels are not bound by it */
    public DueTimes(DelayLevels levels, long maxDelaySec, TimerClock clock) {
        this.levels = levels;
        this.maxDelaySec = maxDelaySec;
        this.clock = clock;
    }

    /** When a message that wishes so is due, if it is sent, or committed, now. */
    public DueTime of(Wish wish) {
        int level = wish.level() == null ? 0 : level(wish.level());
        if (level == NO_LEVEL) {
            return new DueTime.Bad(PropertyKey.DELAY_LEVEL + "=" + wish.level() + " is no delay level, there are 1 to "
                    + levels.count() + "; one above is taken as the last, and one below 1 as none");
        }
        if (level > 0) {
            return ofLevel(level);
        }
        if (wish.fired()) {
            return DueTime.AtOnce.INSTANCE;
        }
        if (wish.delaySec() != null) {
            return after(PropertyKey.TIMER_DELAY_SEC, wish.delaySec(), TimeUnit.SECONDS);
        }
        if (wish.delayMs() != null) {
            return after(PropertyKey.TIMER_DELAY_MS, wish.delayMs(), TimeUnit.MILLISECONDS);
        }
        return wish.deliverMs() == null ? DueTime.AtOnce.INSTANCE : at(wish.deliverMs());
    }

    /** When a message is due that waits by a level from 1 on, from now. */
    public DueTime.At ofLevel(int level) {
        int counted = levels.clamp(level);
        TimerClock.Moment now = clock.now();
        return new DueTime.At(now.timerMs() + levels.delayMs(counted), now.shiftMs(), now.timerMs(), counted);
    }

    /** The level in a property's text; 0 for none, and {@link #NO_LEVEL} for a text that names none. */
    static int level(String text) {
        try {
            return (int) Math.max(0, Math.min(Integer.MAX_VALUE, Long.parseLong(text.strip())));
        } catch (NumberFormatException e) {
            return NO_LEVEL;
        }
    }

    private DueTime after(String property, String text, TimeUnit unit) {
        long max = unit.convert(maxDelaySec, TimeUnit.SECONDS);
        long delay = number(text, -1);
        if (delay < 0 || delay > max) {
            return new DueTime.Bad(property + "=" + text + " is no whole number from 0 to " + max
                    + " (timerMaxDelaySec=" + maxDelaySec + ")");
        }
        TimerClock.Moment now = clock.now();
        return delay == 0
                ? DueTime.AtOnce.INSTANCE
                : new DueTime.At(now.timerMs() + unit.toMillis(delay), now.shiftMs(), now.timerMs(), 0);
    }

    private DueTime at(String text) {
        TimerClock.Moment now = clock.now();
        long nowMs = now.wallMs();
        long latestMs = nowMs + TimeUnit.SECONDS.toMillis(maxDelaySec);
        long wallMs = number(text, Long.MAX_VALUE);
        if (wallMs > latestMs) {
            return new DueTime.Bad(PropertyKey.TIMER_DELIVER_MS + "=" + text + " is no time up to " + latestMs
                    + " (the broker's clock says " + nowMs + ", timerMaxDelaySec=" + maxDelaySec + ")");
        }
        return wallMs <= nowMs
                ? DueTime.AtOnce.INSTANCE
                : new DueTime.At(now.ofWall(wallMs), now.shiftMs(), now.timerMs(), 0);
    }

    private static long number(String text, long otherwise) {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }
}
