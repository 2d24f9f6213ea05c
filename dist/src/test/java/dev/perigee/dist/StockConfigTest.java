package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.Perigee;
import dev.perigee.cli.session.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sample files of the stock distribution, unmodified: masters start and serve, what is not built says so. */
class StockConfigTest {
    private static final long READY_LIMIT_MS = 60_000;

    @TempDir
    Path folder;

    /** A server command running in this process. */
    private static final class Running implements AutoCloseable {
        private final Lifecycle lifecycle = Lifecycle.byHand();
        private final StringWriter out = new StringWriter();
        private final StringWriter err = new StringWriter();
        private final CompletableFuture<Integer> exitCode;

        Running(List<String> words) throws InterruptedException {
            String[] all = words.toArray(String[]::new);
            exitCode = CompletableFuture.supplyAsync(() -> Perigee.commandLine(Main.serverCommands(lifecycle), all)
                    .setOut(new PrintWriter(out, true))
                    .setErr(new PrintWriter(err, true))
                    .execute(all));
            CompletableFuture<?> unused = exitCode.thenRun(lifecycle::readyOrOver);
            assertThat(lifecycle.awaitReady(READY_LIMIT_MS)).isTrue();
        }

        String lastWord() {
            String text = out.toString().strip();
            return text.substring(text.lastIndexOf(' ') + 1);
        }

        @Override
        public void close() {
            lifecycle.stop();
            assertThat(exitCode.join()).as(out + " " + err).isEqualTo(ExitCode.OK);
        }
    }

    private Path sample(String cluster, String name, int id, String role) throws IOException {
        Path file = folder.resolve(name + "-" + id + ".properties");
        Files.writeString(
                file,
                "brokerClusterName=%s%nbrokerName=%s%nbrokerId=%d%ndeleteWhen=04%nfileReservedTime=48%nbrokerRole=%s%nflushDiskType=ASYNC_FLUSH%n"
                        .formatted(cluster, name, id, role));
        return file;
    }

    /** Only folder, port and address differ from what a user would type. */
    private List<String> brokerWords(Path file, String nameServer) {
        List<String> words = new ArrayList<>(List.of("broker", "-c", file.toString(), "-n", nameServer));
        for (String setting : List.of(
                "storePathRootDir=" + folder.resolve(file.getFileName() + ".data"),
                "listenPort=0",
                "brokerIP1=127.0.0.1",
                "bindAddress=127.0.0.1",
                "mappedFileSizeCommitLog=16777216")) {
            words.addAll(List.of("--set", setting));
        }
        return words;
    }

    private Running nameServer() throws Exception {
        Path file = folder.resolve("namesrv.conf");
        Files.writeString(
                file,
                "listenPort=0%nbindAddress=127.0.0.1%nkvConfigPath=%s%norderMessageEnable=true%nserverWorkerThreads=8%n"
                        .formatted(folder.resolve("kv").resolve("kvConfig.json")));
        return new Running(List.of(
                "namesrv",
                "-c",
                file.toString(),
                "--logs",
                folder.resolve("logs").toString()));
    }

    @Test
    void twoMastersOfTheSampleClusterServeBesideANameServer() throws Exception {
        try (Running nameServer = nameServer();
                Running a = new Running(
                        brokerWords(sample("DefaultCluster", "broker-a", 0, "ASYNC_MASTER"), nameServer.lastWord()));
                Running b = new Running(
                        brokerWords(sample("DefaultCluster", "broker-b", 0, "ASYNC_MASTER"), nameServer.lastWord()))) {
            assertThat(nameServer.err.toString())
                    .isEqualTo("perigee: setting serverWorkerThreads is unknown and ignored\n");
            assertThat(a.err.toString()).isEmpty();
            assertThat(a.out.toString()).startsWith("broker broker-a ready on 127.0.0.1:");
            assertThat(b.out.toString()).startsWith("broker broker-b ready on 127.0.0.1:");

            assertThat(Run.of("topic", "create", "demo", "-n", nameServer.lastWord())
                            .exitCode())
                    .isEqualTo(ExitCode.OK);
            assertThat(Run.of("send", "demo", "hello", "-n", nameServer.lastWord())
                            .out())
                    .contains("SEND_OK");
            assertThat(Run.of("consume", "demo", "--max", "1", "-n", nameServer.lastWord())
                            .out())
                    .endsWith("  hello\n");
        }
    }

    @Test
    void upObeysTheFileAndNamesWhatItDoesNotTake() throws Exception {
        Path file = folder.resolve("broker.conf");
        Files.writeString(
                file,
                "brokerName=mine%nlistenPort=0%nstorePathCommitLog=/elsewhere%nnamesrvAddr=10.0.0.1:9876%nbrokerIP1=10.0.0.2%nmappedFileSizeCommitLog=16777216%n"
                        .formatted());
        String before = Files.readString(file);
        String data = folder.resolve("data").toString();
        try (Running up = new Running(List.of("up", "-c", file.toString(), "--data", data, "--namesrv-port", "0"))) {
            assertThat(up.out.toString()).contains("(mine in DefaultCluster").doesNotContain(":10911 ");
            assertThat(up.err.toString().lines())
                    .hasSize(3)
                    .anySatisfy(line -> assertThat(line)
                            .startsWith("perigee: setting brokerIP1=10.0.0.2 is not obeyed by up")
                            .contains("use --host"))
                    .anySatisfy(line -> assertThat(line)
                            .startsWith("perigee: setting namesrvAddr=10.0.0.1:9876 is not obeyed by up"))
                    .anySatisfy(line -> assertThat(line)
                            .startsWith("perigee: setting storePathCommitLog is not supported")
                            .contains("storePathRootDir"));
        }
        assertThat(file).content().isEqualTo(before);
    }
}
