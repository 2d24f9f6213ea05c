package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.perigee.broker.member.StartRefusedException;
import dev.perigee.broker.registration.RefillWantedException;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import java.io.IOException;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class LifecycleTest {
    private final Lifecycle lifecycle = Lifecycle.byHand();
    private final IOException ofStop = new IOException("Read-only file system");

    private CommandException serve() {
        return Objects.requireNonNull(catchThrowableOfType(
                CommandException.class,
                () -> lifecycle.serve(() -> {
                    throw ofStop;
                })));
    }

    @Test
    void aFailedLogDecidesTheExitCodeAlsoWhenTheStopFailsToo() {
        lifecycle.fail(new IOException("Input/output error"));
        CommandException told = serve();
        assertThat(told.exitCode()).isEqualTo(ExitCode.LOG_FAILED);
        assertThat(told).hasMessageContaining("Input/output error");
        assertThat(told.getCause()).hasSuppressedException(ofStop);
    }

    @Test
    void aSlaveThatIsToBeStartedAgainHasNoFailedLog() throws Exception {
        lifecycle.fail(new RefillWantedException("slave", new IOException("its log ends at 7")));
        CommandException told =
                Objects.requireNonNull(catchThrowableOfType(CommandException.class, () -> lifecycle.serve(() -> {})));
        assertThat(told.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(told).hasMessage("start this slave again: its log ends at 7");
    }

    @Test
    void aMemberThatIsRefusedByItsGroupHasWrongSettings() throws Exception {
        lifecycle.fail(new StartRefusedException("its group is b, here it is a"));
        CommandException told =
                Objects.requireNonNull(catchThrowableOfType(CommandException.class, () -> lifecycle.serve(() -> {})));
        assertThat(told.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(told).hasMessage("its group is b, here it is a");
    }

    @Test
    void aStopThatFailsAloneIsAFailure() {
        lifecycle.stop();
        CommandException told = serve();
        assertThat(told.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(told).hasMessageContaining("Read-only file system");
    }
}
