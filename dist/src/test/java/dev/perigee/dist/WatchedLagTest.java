package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code group lag --watch} goes on over a restart of everything it asks. */
class WatchedLagTest {
    @TempDir
    private Path folder;

    @Test
    void aRestartIsToldAndOutlasted() throws Exception {
        RunningUp before = new RunningUp(folder);
        before.ok("send", "watched", "one");
        before.ok("consume", "watched", "--group", "watched-g", "--max", "1");
        Beside lag = Beside.run(
                "group",
                "lag",
                "watched-g",
                "--watch",
                "--every",
                "50",
                "--timeout",
                "1000",
                "--json",
                "-n",
                before.nameServer());
        RunningUp.await(() -> lag.out().toString().contains("\"lag\":0"));

        assertThat(before.stop()).isEqualTo(ExitCode.OK);
        RunningUp.await(() -> lag.err().toString().contains("perigee: the cluster is away ("));
        try (RunningUp after = before.again()) {
            after.ok("send", "watched", "two");
            RunningUp.await(() -> lag.out().toString().contains("\"lag\":1"));
        }
        assertThat(lag.err().toString()).contains("perigee: the cluster answers again");
        assertThat(lag.end()).isEqualTo(ExitCode.OK);
    }

    @Test
    void itEndsAfterAsManyTimesAsItIsTold() throws Exception {
        try (RunningUp up = new RunningUp(folder)) {
            up.ok("group", "create", "idle-g");
            Beside lag = Beside.run(
                    "group", "lag", "idle-g", "--watch", "--every", "1", "--max", "3", "-n", up.nameServer());
            assertThat(lag.exitCode().get(60, TimeUnit.SECONDS)).isEqualTo(ExitCode.OK);
            assertThat(lag.out().toString().lines()).hasSize(3);
        }
    }
}
