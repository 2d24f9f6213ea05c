package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Encryption as a user of the commands meets it. */
class EncryptedUpTest {
    @TempDir
    private Path folder;

    private static void oneLine(Run run, int exitCode, String... parts) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(exitCode);
        assertThat(run.err().lines())
                .singleElement()
                .satisfies(line -> assertThat(line).startsWith("perigee: ").contains(parts));
    }

    @Test
    void anEnforcingUpServesCommandsWithTlsAndRefusesTheOthers() throws Exception {
        try (RunningUp up = new RunningUp(folder, "--set", "tls.server.mode=enforcing")) {
            assertThat(up.printed()).contains("./perigee send demo \"hello\" -n " + up.nameServer() + " --tls");

            Run sent = up.run("send", "sealed", "hello", "--tls");
            Run consumed = up.run("consume", "sealed", "--max", "1", "--tls");
            Run grouped = up.run("consume", "sealed", "--group", "readers", "--max", "1", "--tls");
            Run listed = up.run("topic", "list", "--tls");
            Run plain = up.run("topic", "list");

            assertThat(sent.exitCode()).as(sent.toString()).isEqualTo(ExitCode.OK);
            assertThat(consumed.out()).contains("  hello");
            assertThat(grouped.out()).contains("  hello");
            assertThat(listed.out()).contains("sealed");
            assertThat(plain.exitCode()).as(plain.toString()).isEqualTo(ExitCode.UNREACHABLE);
            assertThat(plain.err()).contains("as a port does that takes TLS only", "--tls encrypts");
        }
    }

    @Test
    void aPermissiveUpServesBoth() throws Exception {
        try (RunningUp up = new RunningUp(folder)) {
            assertThat(up.run("send", "open", "hello").exitCode()).isEqualTo(ExitCode.OK);
            Run sealed = up.run("consume", "open", "--max", "1", "--tls");
            assertThat(sealed.out()).contains("  hello");
        }
    }

    @Test
    void aCertificateThatCannotBeUsedStopsEveryServerBySettingAndFile() throws Exception {
        Path missing = folder.resolve("missing.crt");
        Path key = folder.resolve("missing.key");
        Path file = Files.writeString(
                folder.resolve("server.conf"),
                "listenPort=0\nbindAddress=127.0.0.1\nbrokerIP1=127.0.0.1\nstorePathRootDir=" + folder.resolve("store")
                        + "\nkvConfigPath=" + folder.resolve("kv.json") + "\ntls.server.certPath=" + missing
                        + "\ntls.server.keyPath=" + key + "\n");
        String[] named = {"tls.server.certPath=" + missing, "cannot be read"};

        Run up =
                Run.of("up", "--data", folder.toString(), "--namesrv-port", "0", "--broker-port", "0", "-c", "" + file);
        Run namesrv = Run.of(
                "namesrv",
                "-c",
                file.toString(),
                "--logs",
                folder.resolve("logs").toString());
        Run broker = Run.of("broker", "-c", file.toString());

        oneLine(up, ExitCode.USAGE, named);
        assertThat(namesrv.err().lines()).last().asString().contains(named);
        assertThat(broker.err().lines()).last().asString().contains(named);
        assertThat(namesrv.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(broker.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(folder.resolve("store")).doesNotExist();
    }

    @Test
    void anEnforcedModeThatCannotBeKeptStopsEveryServerByItsKey() {
        String[] words = {"--set", "tls.server.mode=enforcing", "--set", "tls.test.mode.enable=false"};
        Run up = Run.of("up", "--data", folder.toString(), words[0], words[1], words[2], words[3]);
        Run broker = Run.of("broker", words[0], words[1], words[2], words[3]);

        oneLine(up, ExitCode.USAGE, "tls.server.mode=enforcing", "tls.server.certPath");
        oneLine(broker, ExitCode.USAGE, "tls.server.mode=enforcing", "tls.server.certPath");
    }

    @Test
    void aBrokerWithUnusableRootsForItsNameServersDoesNotStart() {
        Path missing = folder.resolve("roots.pem");
        Run broker = Run.of(
                "broker",
                "--set",
                "storePathRootDir=" + folder.resolve("store"),
                "--set",
                "tls.enable=true",
                "--set",
                "tls.client.authServer=true",
                "--set",
                "tls.client.trustCertPath=" + missing);

        assertThat(broker.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(broker.err()).contains("tls.client.trustCertPath=" + missing);
    }

    @Test
    void rootsThatACommandCannotReadAreNamed() {
        Path missing = folder.resolve("roots.pem");
        oneLine(
                Run.of("topic", "list", "--tls-trust", missing.toString()),
                ExitCode.USAGE,
                "tls.client.trustCertPath=" + missing,
                "cannot be read");
    }
}
