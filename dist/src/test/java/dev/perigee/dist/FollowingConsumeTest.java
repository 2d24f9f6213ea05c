package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code consume} follows a topic until Ctrl-C: over a restart of its broker, and not a moment longer. */
class FollowingConsumeTest {
    private static final long LIMIT_S = 60;
    private static final int ENDED_BY_SIGTERM = 143;

    @TempDir
    private Path folder;

    @Test
    void aRestartOfTheBrokerIsToldAndOutlasted() throws Exception {
        RunningUp before = new RunningUp(folder);
        String nameServer = before.nameServer();
        before.ok("send", "lasting", "one");
        Beside free = Beside.run("consume", "lasting", "--max", "2", "--timeout", "60000", "-n", nameServer);
        Beside grouped =
                Beside.run("consume", "lasting", "--group", "g", "--max", "2", "--timeout", "60000", "-n", nameServer);
        RunningUp.await(() -> free.out().toString().contains("  one"));
        RunningUp.await(() -> grouped.out().toString().contains("  one"));

        assertThat(before.stop()).isEqualTo(ExitCode.OK);
        RunningUp.await(() -> free.err().toString().contains("perigee: broker broker-a is away ("));
        try (RunningUp after = before.again()) {
            after.ok("send", "lasting", "two");

            assertThat(free.exitCode().get(LIMIT_S, TimeUnit.SECONDS)).isEqualTo(ExitCode.OK);
            assertThat(grouped.exitCode().get(LIMIT_S, TimeUnit.SECONDS)).isEqualTo(ExitCode.OK);
        }
        assertThat(free.out().toString().lines()).hasSize(2).last().asString().endsWith("  two");
        assertThat(grouped.out().toString().lines()).last().asString().endsWith("  two");
        assertThat(free.err().toString().lines())
                .hasSize(2)
                .last()
                .asString()
                .isEqualTo("perigee: broker broker-a answers again");
    }

    @Test
    void aReadingThatDoesNotFollowFailsWithTheBroker() throws Exception {
        RunningUp up = new RunningUp(folder);
        up.ok("send", "short", "one");
        String nameServer = up.nameServer();
        assertThat(up.stop()).isEqualTo(ExitCode.OK);

        Run run = Run.of("consume", "short", "--no-follow", "-n", nameServer, "--timeout", "2000");

        assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.UNREACHABLE);
    }

    @Test
    void aSignalEndsItAsSoonAsItHasEnded() throws Exception {
        try (RunningUp up = new RunningUp(folder)) {
            up.ok("send", "signalled", "one");
            for (List<String> more : List.of(List.<String>of(), List.of("--group", "g"))) {
                Path out = folder.resolve("out-" + more.size());
                Path err = folder.resolve("err-" + more.size());
                Process process = process(out, err, up.nameServer(), more);
                try {
                    RunningUp.await(() -> Files.readString(out).contains("  one"));
                    process.destroy();
                    assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS)).isTrue();
                } finally {
                    process.destroyForcibly();
                }
                assertThat(process.exitValue()).isEqualTo(ENDED_BY_SIGTERM);
                assertThat(Files.readString(err)).doesNotContain("cut off");
            }
            assertThat(up.ok("group", "lag", "g", "--json").out()).contains("\"lag\":0");
        }
    }

    private static Process process(Path out, Path err, String nameServer, List<String> more) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "consume",
                "signalled",
                "-n",
                nameServer));
        command.addAll(more);
        File outFile = out.toFile();
        return new ProcessBuilder(command)
                .redirectOutput(outFile)
                .redirectError(err.toFile())
                .start();
    }
}
