package dev.perigee.cli.option;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import picocli.CommandLine.ITypeConverter;

/**
 * Reads a moment: milliseconds since 1970, or date and time as in ISO 8601, which are this machine's where they name no zone.
 * Gives milliseconds since 1970.
 */
public final class Moment implements ITypeConverter<Long> {
    private static final String ACCEPTED =
            "milliseconds since 1970 or a time like 2026-11-30T08:15, 2026-11-30T08:15:30Z or 2026-11-30T08:15:30+02:00";

    /** Called by picocli. */
    public Moment() {}

    @Override
    public Long convert(String text) {
        String stripped = text.strip();
        try {
            long ms = stripped.chars().allMatch(c -> c >= '0' && c <= '9')
                    ? Long.parseLong(stripped)
                    : instant(stripped).toEpochMilli();
            if (ms >= 0) {
                return ms;
            }
        } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
            throw new UnacceptedValueException(text, ACCEPTED);
        }
        throw new UnacceptedValueException(text, ACCEPTED);
    }

    private static Instant instant(String text) {
        boolean namesZone = text.endsWith("Z") || text.matches(".*T.*[+-]\\d\\d.*");
        return namesZone
                ? OffsetDateTime.parse(text).toInstant()
                : LocalDateTime.parse(text).atZone(ZoneId.systemDefault()).toInstant();
    }
}
