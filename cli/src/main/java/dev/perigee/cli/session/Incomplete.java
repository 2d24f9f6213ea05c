package dev.perigee.cli.session;

import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.UnreachableException;
import dev.perigee.client.query.Missing;
import java.util.List;
import java.util.stream.Stream;

/** Brokers that were not heard to the end: what others gave was printed, and is not all. */
public final class Incomplete {
    private Incomplete() {}

    /** @throws CommandException that names the brokers, each on a line of its own, when there are any */
    public static void check(List<Missing> missing) throws CommandException {
        if (!missing.isEmpty()) {
            throw CommandException.of(
                    exitCode(missing),
                    missing.stream()
                            .map(broker -> "not all there is: " + text(broker))
                            .toList());
        }
    }

    /**
     * What was looked for was not found, and may be where nobody could look.
     *
     * @param what what was not found
     */
    public static CommandException notFound(String what, List<Missing> missing) {
        return CommandException.of(
                exitCode(missing),
                Stream.concat(Stream.of(what), missing.stream().map(Incomplete::text))
                        .toList());
    }

    private static String text(Missing broker) {
        return "broker " + broker.brokerName() + ": " + broker.why();
    }

    private static int exitCode(List<Missing> missing) {
        boolean isSilent = missing.stream()
                .map(Missing::failure)
                .anyMatch(failure ->
                        failure instanceof DeadlineExceededException || failure instanceof UnreachableException);
        return isSilent ? ExitCode.UNREACHABLE : ExitCode.FAILED;
    }
}
