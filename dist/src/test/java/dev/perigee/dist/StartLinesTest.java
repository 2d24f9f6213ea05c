package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a start has to say to a person it says on the console, and once. */
class StartLinesTest {
    private static final byte[] TORN = {0, 0, 1, 0, 7, 7, 7};

    @TempDir
    private Path folder;

    private void tearTail() throws IOException {
        Path file = folder.resolve("broker").resolve("commitlog").resolve("00000000000000000000");
        byte[] log = Files.readAllBytes(file);
        int end = log.length;
        while (log[end - 1] == 0) {
            end--;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(TORN), end);
        }
    }

    @Test
    void aTailThatWasCutIsTold() throws Exception {
        RunningUp before = new RunningUp(folder);
        before.ok("send", "torn", "whole");
        assertThat(before.stop()).isEqualTo(ExitCode.OK);
        assertThat(before.printed()).doesNotContain("recovery cut");
        tearTail();

        try (RunningUp after = before.again()) {
            assertThat(after.printed().lines())
                    .filteredOn(line -> line.startsWith("perigee: recovery cut "))
                    .singleElement()
                    .asString()
                    .contains(" bytes of an unfinished tail off the log");
            assertThat(after.ok("consume", "torn", "--max", "1").out()).contains("  whole");
        }
    }

    @Test
    void foldersOfAStartWithReplicasAreNamedAlsoWhereTheOwnOneIsThere() throws Exception {
        RunningUp before = new RunningUp(folder);
        assertThat(before.stop()).isEqualTo(ExitCode.OK);
        assertThat(before.printed()).doesNotContain("--replicas");
        Path first = Files.createDirectory(folder.resolve("broker-n0"));
        Path second = Files.createDirectory(folder.resolve("broker-n1"));

        try (RunningUp after = before.again()) {
            assertThat(after.printed().lines())
                    .filteredOn(line -> line.contains("--replicas"))
                    .containsExactly("perigee: folders " + first + ", " + second
                            + " are of a start with --replicas: what they have is not served now");
        }
    }

    @Test
    @Tag("full")
    void aSettingThatIsIgnoredIsNamedOnce() throws Exception {
        Path both = folder.resolve("both.txt");
        Process up = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "up",
                        "--data",
                        folder.resolve("data").toString(),
                        "--namesrv-port",
                        "0",
                        "--broker-port",
                        "0",
                        "--set",
                        "mappedFileSizeCommitLog=16777216",
                        "--set",
                        "tls.server.mode=disabled",
                        "--set",
                        "someForgottenKey=1")
                .redirectErrorStream(true)
                .redirectOutput(both.toFile())
                .start();
        try {
            RunningUp.await(() -> Files.readString(both).contains("Try in another terminal"));
            up.destroy();
            assertThat(up.waitFor(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            up.destroyForcibly();
        }
        assertThat(Files.readString(both).lines())
                .filteredOn(line -> line.contains("someForgottenKey"))
                .containsExactly("perigee: setting someForgottenKey is unknown and ignored");
        assertThat(LogSetup.logFile(folder.resolve("data").resolve("logs")))
                .content()
                .contains("event=setting_ignored key=someForgottenKey");
    }
}
