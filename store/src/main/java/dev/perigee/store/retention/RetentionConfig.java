package dev.perigee.store.retention;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.InOrder;
import java.time.ZoneId;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * When segments go.
 *
 * @param retentionMs age, in log time, at which a segment has expired
 * @param deleteHours hours of the day, 0–23, in which expired segments go
 * @param zone where those hours are
 * @param urgentUsedPercent share of the disk in use from which expired segments go at any hour
 * @param checkIntervalMs how often age and space are looked at
 */
@Immutable
public record RetentionConfig(
        long retentionMs, Set<Integer> deleteHours, ZoneId zone, int urgentUsedPercent, long checkIntervalMs) {
    private static final int DEFAULT_URGENT_USED_PERCENT = 75;
    private static final long DEFAULT_CHECK_INTERVAL_MS = 10_000;
    private static final int MAX_HOUR = 23;

    public RetentionConfig {
        deleteHours = InOrder.copyOf(deleteHours);
        if (retentionMs < 1 || checkIntervalMs < 1 || urgentUsedPercent < 0 || urgentUsedPercent > 100) {
            throw new IllegalArgumentException("retentionMs " + retentionMs + " and checkIntervalMs " + checkIntervalMs
                    + " must be positive, urgentUsedPercent " + urgentUsedPercent + " 0 to 100");
        }
        for (int hour : deleteHours) {
            if (hour < 0 || hour > MAX_HOUR) {
                throw new IllegalArgumentException("deleteWhen has hour " + hour + ", allowed are 0 to 23");
            }
        }
    }

    /**
     * The usual configuration.
     *
     * @param deleteWhen hours of the day separated by {@code ;}, as in RocketMQ's configuration, for instance {@code 04}
     */
    public static RetentionConfig of(int retentionHours, String deleteWhen, ZoneId zone) {
        return new RetentionConfig(
                TimeUnit.HOURS.toMillis(retentionHours),
                hours(deleteWhen),
                zone,
                DEFAULT_URGENT_USED_PERCENT,
                DEFAULT_CHECK_INTERVAL_MS);
    }

    /**
     * The hours in a {@code deleteWhen} setting.
     *
     * @throws IllegalArgumentException when one is no number
     */
    public static Set<Integer> hours(String deleteWhen) {
        Set<Integer> hours = new TreeSet<>();
        for (String hour : deleteWhen.split(";", -1)) {
            try {
                hours.add(Integer.parseInt(hour.trim()));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "deleteWhen '" + deleteWhen + "' must be hours 0 to 23 separated by ';'", e);
            }
        }
        return hours;
    }
}
