package dev.perigee.broker.transaction;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.config.TransactionSettings;
import dev.perigee.broker.timer.TimerClock;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** When halves are checked: by the broker's settings, or by what a message says of itself. */
@ThreadSafe
public final class HalfTimes {
    /** Longest immunity and longest interval a message may ask for, in seconds. */
    static final int MAX_SECONDS = 30 * 86_400;
    /** Most checks a message may ask for. */
    static final int MAX_CHECKS = 1_000;

    /**
     * When producers are asked first for a half.
     *
     * @param dueMs then, by the {@link TimerClock}
     * @param accepted when this was decided
     */
    @Immutable
    public record FirstCheck(long dueMs, TimerClock.Moment accepted) {}

    private final TransactionSettings settings;
    private final TimerClock clock;

    /** {@code clock} is what halves wait by. */
    public HalfTimes(TransactionSettings settings, TimerClock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** The time by which halves wait: the only one that their times are compared with. */
    long nowMs() {
        return clock.nowMs();
    }

    /** A time by which halves wait as the wall clock would tell it, as far as it is known: what people are told. */
    long wallMs(long timerMs) {
        return timerMs - clock.now().shiftMs();
    }

    /** Whether the broker takes no halves. */
    public boolean rejected() {
        return settings.rejected();
    }

    /** When producers are asked first for a half that is accepted now. */
    public FirstCheck firstCheck(@Nullable String immunity) {
        int seconds = number(immunity, 0, MAX_SECONDS);
        TimerClock.Moment now = clock.now();
        long waitMs = seconds < 0 ? settings.firstCheckMs() : TimeUnit.SECONDS.toMillis(seconds);
        return new FirstCheck(now.timerMs() + waitMs, now);
    }

    /** Time from one check to the next, in milliseconds. */
    long intervalMs(@Nullable String seconds) {
        int own = number(seconds, 1, MAX_SECONDS);
        return own < 0 ? settings.checkIntervalMs() : TimeUnit.SECONDS.toMillis(own);
    }

    /** Checks before a half is set aside. */
    int maxChecks(@Nullable String count) {
        int own = number(count, 1, MAX_CHECKS);
        return own < 0 ? settings.maxChecks() : own;
    }

    /** Age at which a half whose producers never come is set aside, in milliseconds. */
    long keptMs() {
        return settings.keptMs();
    }

    /** Whether the immunity that a message states is over, so that its producer may have been asked already; false without one. */
    boolean isImmunityOver(@Nullable String immunity, Half half) {
        int seconds = number(immunity, 0, MAX_SECONDS);
        return seconds > 0 && (half.checks() > 0 || nowMs() - half.acceptedMs() > TimeUnit.SECONDS.toMillis(seconds));
    }

    /** Why a half with these properties is not taken; null when it is. */
    public static @Nullable Refusal refuse(PropertyText given) {
        Refusal refusal = refuse(given, PropertyKey.CHECK_IMMUNITY_TIME, 0, MAX_SECONDS);
        if (refusal == null) {
            refusal = refuse(given, PropertyKey.CHECK_INTERVAL, 1, MAX_SECONDS);
        }
        return refusal == null ? refuse(given, PropertyKey.CHECK_MAX_TIMES, 1, MAX_CHECKS) : refusal;
    }

    private static @Nullable Refusal refuse(PropertyText given, String name, int least, int most) {
        String text = given.get(name);
        return text == null || number(text, least, most) >= 0
                ? null
                : new Refusal(
                        ResponseCode.MESSAGE_ILLEGAL,
                        "property " + name + "=" + text + " is no whole number from " + least + " to " + most);
    }

    /** −1 when it is none in that range. */
    private static int number(@Nullable String text, int least, int most) {
        try {
            int number = text == null ? -1 : Integer.parseInt(text.strip());
            return number >= least && number <= most ? number : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
