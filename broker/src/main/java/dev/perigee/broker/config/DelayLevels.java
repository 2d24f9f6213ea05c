package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The named delays of messages: level 1 is the first of the list (broker-client §5.2). */
@Immutable
public final class DelayLevels {
    /** The levels of a broker that is told no others. */
    public static final String DEFAULT_TEXT = "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h";

    /** What {@link #parse} accepts, in words. */
    public static final String ACCEPTED =
            "1 to 64 delays of 1s to 40d, separated by blanks; units s, m, h and d, for example 1s 5s 10s 1m 2h";

    private static final int MAX_LEVELS = 64;
    private static final int MAX_DIGITS = 9;
    private static final long MIN_MS = 1_000;
    private static final long MAX_MS = TimeUnit.DAYS.toMillis(40);

    private final String text;
    private final List<Long> delaysMs;

    private DelayLevels(String text, List<Long> delaysMs) {
        this.text = text;
        this.delaysMs = delaysMs;
    }

    /** The levels in a text; null when it is not as {@link #ACCEPTED} says. */
    public static @Nullable DelayLevels parse(String text) {
        String[] words = text.strip().split("\\s+");
        if (words.length > MAX_LEVELS || Arrays.stream(words).anyMatch(word -> delayMs(word) < 0)) {
            return null;
        }
        return new DelayLevels(
                String.join(" ", words),
                Arrays.stream(words).map(DelayLevels::delayMs).toList());
    }

    private static long delayMs(String word) {
        if (word.length() < 2
                || word.length() > MAX_DIGITS
                || !word.substring(0, word.length() - 1).matches("\\d+")) {
            return -1;
        }
        TimeUnit unit = unit(word.charAt(word.length() - 1));
        long delayMs = unit == null ? -1 : unit.toMillis(Long.parseLong(word, 0, word.length() - 1, 10));
        return delayMs < MIN_MS || delayMs > MAX_MS ? -1 : delayMs;
    }

    private static @Nullable TimeUnit unit(char letter) {
        return switch (letter) {
            case 's' -> TimeUnit.SECONDS;
            case 'm' -> TimeUnit.MINUTES;
            case 'h' -> TimeUnit.HOURS;
            case 'd' -> TimeUnit.DAYS;
            default -> null;
        };
    }

    /** How many levels there are; the last one is as many. */
    public int count() {
        return delaysMs.size();
    }

    /** A level that is there: one above the last counts as the last. For levels of 1 and above. */
    public int clamp(int level) {
        return Math.min(level, count());
    }

    /** How long a level from 1 to {@link #count} delays, in milliseconds. */
    public long delayMs(int level) {
        return delaysMs.get(level - 1);
    }

    /** The text, as it stands in a configuration. */
    @Override
    public String toString() {
        return text;
    }
}
