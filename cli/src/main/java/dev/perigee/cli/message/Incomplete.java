package dev.perigee.cli.message;

import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.UnreachableException;
import dev.perigee.client.query.Missing;
import java.util.List;

/** Brokers that were not heard to the end: what others gave was printed, and is not all. */
final class Incomplete {
    private Incomplete() {}

    /** @throws CommandException that names the brokers, when there are any */
    static void check(List<Missing> missing) throws CommandException {
        if (missing.isEmpty()) {
            return;
        }
        boolean isSilent = missing.stream()
                .map(Missing::failure)
                .anyMatch(failure ->
                        failure instanceof DeadlineExceededException || failure instanceof UnreachableException);
        throw new CommandException(
                isSilent ? ExitCode.UNREACHABLE : ExitCode.FAILED,
                "not all there is: "
                        + String.join(
                                "; ",
                                missing.stream()
                                        .map(broker -> "broker " + broker.brokerName() + ": " + broker.why())
                                        .toList()));
    }
}
