package dev.perigee.cli.message;

import dev.perigee.cli.option.Moment;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name a range of store times. */
final class TimeRange {
    @Option(
            names = "--from",
            paramLabel = "TIME",
            converter = Moment.class,
            description = "Stored at this time or later: 2026-11-30T08:15:30Z, or milliseconds since 1970.")
    private @Nullable Long from;

    @Option(
            names = "--to",
            paramLabel = "TIME",
            converter = Moment.class,
            description = "Stored at this time or earlier.")
    private @Nullable Long to;

    /** Called by picocli. */
    TimeRange() {}

    long beginMs() {
        return from == null ? 0 : from;
    }

    long endMs() {
        return to == null ? Long.MAX_VALUE : to;
    }

    /** For a sentence about what was looked for: empty when all of the time was. */
    String text() {
        return (from == null ? "" : " from " + Instant.ofEpochMilli(from))
                + (to == null ? "" : " to " + Instant.ofEpochMilli(to));
    }

    /** @throws CommandException when the range ends before it begins */
    void check() throws CommandException {
        if (beginMs() > endMs()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--from " + Instant.ofEpochMilli(beginMs()) + " is later than --to "
                            + Instant.ofEpochMilli(endMs()));
        }
    }
}
