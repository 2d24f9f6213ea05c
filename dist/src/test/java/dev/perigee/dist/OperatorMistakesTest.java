package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.Perigee;
import dev.perigee.cli.session.ExitCode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The wrong file, the wrong folder, a reader that has gone: one line that says it, and an exit code. */
class OperatorMistakesTest {
    @TempDir
    Path folder;

    private Path file(String name, byte[] content) throws IOException {
        return Files.write(folder.resolve(name), content);
    }

    private static void refused(Run run, int exitCode, String line) {
        assertThat(run.err().lines()).containsExactly("perigee: " + line);
        assertThat(run.exitCode()).isEqualTo(exitCode);
    }

    @Test
    void stockFileWithCommentsInAnotherEncodingIsRead() throws IOException {
        byte[] gbk = {'#', ' ', (byte) 0xd6, (byte) 0xd0, (byte) 0xce, (byte) 0xc4, '\n'};
        byte[] rest = "brokerName=b-7\n".getBytes(StandardCharsets.US_ASCII);
        byte[] both = new byte[gbk.length + rest.length];
        System.arraycopy(gbk, 0, both, 0, gbk.length);
        System.arraycopy(rest, 0, both, gbk.length, rest.length);
        Run run = Run.of("broker", "-p", "-c", file("gbk.conf", both).toString());
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(run.lines()).contains("brokerName=b-7");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void byteOrderMarkIsNoPartOfTheFirstKey() throws IOException {
        byte[] content = "\uFEFFbrokerName=b-8\n".getBytes(StandardCharsets.UTF_8);
        Run run = Run.of("broker", "-p", "-c", file("bom.conf", content).toString());
        assertThat(run.lines()).contains("brokerName=b-8");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void fileThatIsNoTextIsRefusedByName() throws IOException {
        Path binary = file("broker.bin", new byte[] {'a', '=', 1, 0, 7});
        refused(
                Run.of("broker", "-p", "-c", binary.toString()),
                ExitCode.USAGE,
                binary + " is no file of settings: it is no text, its byte 3 is 0");
    }

    @Test
    void fileThatIsTooLargeForSettingsIsRefusedByName() throws IOException {
        Path large = file("large.conf", "#".repeat(ConfigFile.MAX_BYTES + 1).getBytes(StandardCharsets.US_ASCII));
        refused(
                Run.of("namesrv", "-p", "-c", large.toString()),
                ExitCode.USAGE,
                large + " is no file of settings: it has more than 1048576 bytes");
    }

    @Test
    void folderInPlaceOfAFileIsRefusedByName() {
        refused(Run.of("up", "-c", folder.toString()), ExitCode.USAGE, "cannot read " + folder + ": Is a directory");
    }

    @Test
    void faultsWhoseOwnTextIsThePathAloneGetWords() {
        assertThat(FileFault.text(new AccessDeniedException("/a/b"))).isEqualTo("/a/b: no permission");
        assertThat(FileFault.text(new FileAlreadyExistsException("/a")))
                .isEqualTo("/a: a file stands where a folder is wanted");
        assertThat(FileFault.text(new IOException("No space left on device"), "/data"))
                .isEqualTo("No space left on device (in /data)");
        assertThat(FileFault.text(new IOException("/a/lock is locked"), "/data"))
                .isEqualTo("/a/lock is locked");
    }

    @Test
    void fileWhereTheDataFolderShouldBeIsNamed() throws IOException {
        Path inTheWay = file("data", new byte[] {1});
        Run run = Run.of("broker", "--set", "storePathRootDir=" + inTheWay, "--set", "listenPort=0");
        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains("the broker does not start: ").contains(inTheWay.toString());
    }

    @Test
    void logFolderThatIsNoneIsRefusedByName() throws IOException {
        Path missing = folder.resolve("missing");
        refused(Run.of("log", "verify", missing.toString()), ExitCode.FAILED, "there is no folder " + missing);
        Path plain = file("plain", new byte[] {1});
        refused(Run.of("log", "dump", plain.toString()), ExitCode.FAILED, plain + " is no folder");
        Run empty = Run.of("log", "verify", folder.toString());
        refused(empty, ExitCode.FAILED, "no commit log file (20 digits) in " + folder + "/");
    }

    @Test
    void commandWhoseReaderHasGoneEndsWithOneLine() {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        StringWriter err = new StringWriter();
        int exitCode = Perigee.commandLine(Main.serverCommands(Lifecycle.byHand()), "version")
                .setOut(new PrintWriter(closed, true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(err, true))
                .execute("version");
        assertThat(exitCode).isEqualTo(ExitCode.FAILED);
        assertThat(err.toString().lines())
                .containsExactly("perigee: standard output takes no more: its reader has gone, or its disk is full");
    }
}
