package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.remoting.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher at the root, as a user runs it: real processes, on the jars of this build. */
class LauncherIT {
    private static final Duration READY_LIMIT = Duration.ofMinutes(3);
    private static final long COMMAND_LIMIT_S = 120;
    /** For a command of several tries, each of them a JVM. */
    private static final Duration TRIES_LIMIT = Duration.ofMinutes(15);

    private static final String PATIENT_MS = "60000";
    private static final int REPLICAS = 3;
    /** Between two brokers of {@code up}. */
    private static final int PORT_STEP = 10;

    @TempDir
    Path folder;

    /** The script at the root of the checkout. */
    static Path launcher() {
        Path at = Path.of("").toAbsolutePath();
        while (at != null && !Files.exists(at.resolve("perigee"))) {
            at = at.getParent();
        }
        if (at == null) {
            throw new IllegalStateException("the launcher was not found above the working directory");
        }
        return at.resolve("perigee");
    }

    private Process start(Path output, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(launcher().toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().remove("NAMESRV_ADDR");
        return builder.start();
    }

    private String run(String... words) throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "command", ".txt");
        Process process = start(output, words);
        assertThat(process.waitFor(COMMAND_LIMIT_S, TimeUnit.SECONDS)).isTrue();
        String printed = Files.readString(output);
        assertThat(process.exitValue()).as(printed).isZero();
        return printed;
    }

    @Test
    void upSendConsumeAndACleanStop() throws Exception {
        Path output = folder.resolve("up.txt");
        Process up = start(output, "up", "--namesrv-port", "0", "--broker-port", "0");
        try {
            String nameServer = nameServer(output);

            assertThat(run("send", "demo", "hällo", "-n", nameServer)).contains("SEND_OK");
            assertThat(run("consume", "demo", "--max", "1", "-n", nameServer)).endsWith("  hällo\n");
            assertThat(run("version")).contains("perigee ").doesNotContain("development");
        } finally {
            up.destroy();
        }
        assertThat(up.waitFor(COMMAND_LIMIT_S, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(output)).endsWith("stopped\n");
        assertThat(folder.resolve("data/logs/perigee.log")).content().contains("event=broker_unregistered");
    }

    @Tag("full")
    @Test
    void upWithReplicasElectsAMasterStopsInOrderAndComesBackOnOtherPorts() throws Exception {
        Path first = folder.resolve("first.txt");
        Process up = startGroup(first);
        try {
            String nameServer = nameServer(first);
            awaitPrinted("SEND_OK", "send", "demo", "hello", "--timeout", PATIENT_MS, "-n", nameServer);
            awaitPrinted("LEADER", "raft", "status", "broker-a", "--timeout", PATIENT_MS, "-n", nameServer);
        } finally {
            up.destroy();
        }
        assertThat(up.waitFor(COMMAND_LIMIT_S, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(first)).endsWith("stopped\n");
        assertThat(Files.readString(folder.resolve("data/logs/perigee.log")).lines())
                .filteredOn(line -> line.contains("event=broker_stopped"))
                .hasSize(REPLICAS);
        for (int i = 0; i < REPLICAS; i++) {
            assertThat(folder.resolve("data/broker-n" + i + "/commitlog")).isNotEmptyDirectory();
        }

        Path second = folder.resolve("second.txt");
        Process again = startGroup(second);
        try {
            String nameServer = nameServer(second);
            awaitPrinted("  hello\n", "consume", "demo", "--max", "1", "--timeout", PATIENT_MS, "-n", nameServer);
            assertThat(folder.resolve("data/logs/perigee.log")).content().contains("event=peer_address_differs");
        } finally {
            again.destroy();
        }
        assertThat(again.waitFor(COMMAND_LIMIT_S, TimeUnit.SECONDS)).isTrue();
    }

    private Process startGroup(Path output) throws IOException {
        return start(
                output,
                "up",
                "--replicas",
                Integer.toString(REPLICAS),
                "--namesrv-port",
                "0",
                "--broker-port",
                Integer.toString(FreePorts.forBrokers(REPLICAS, PORT_STEP)),
                "--set",
                "metricsExporterType=PROM",
                "--set",
                "metricsPromExporterPort=" + FreePorts.forBrokers(REPLICAS, PORT_STEP));
    }

    /** Runs a command again until it prints that: a machine that stands still for a second has a group elect anew. */
    private void awaitPrinted(String part, String... words) {
        await(String.join(" ", words)).atMost(TRIES_LIMIT).until(() -> {
            Path printed = Files.createTempFile(folder, "command", ".txt");
            Process process = start(printed, words);
            if (!process.waitFor(COMMAND_LIMIT_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            return Files.readString(printed).contains(part);
        });
    }

    /** Where the one that {@code up} started listens, when it is ready. */
    private static String nameServer(Path output) throws IOException {
        await().atMost(READY_LIMIT).until(() -> Files.readString(output).contains("./perigee topic list"));
        return Files.readString(output)
                .lines()
                .filter(line -> line.startsWith("  name server"))
                .map(line -> line.substring("  name server".length()).strip())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void helpVersionAndCompletionNeedNoServer() throws Exception {
        assertThat(run("help")).contains("Usage: perigee", "up", "namesrv", "topic", "completion");
        assertThat(run("topic", "create", "--help")).contains("Usage: perigee topic create", "--queues");
        assertThat(run("--version")).startsWith("perigee ");
        assertThat(run("version", "--json")).startsWith("{").contains("\"perigee\":", "\"java\":");
        Path script = Files.writeString(folder.resolve("completion.sh"), run("completion"));
        Process shell = new ProcessBuilder("bash", "-c", "source " + script + " && complete -p perigee")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("complete.txt").toFile())
                .start();
        assertThat(shell.waitFor(COMMAND_LIMIT_S, TimeUnit.SECONDS)).isTrue();
        assertThat(folder.resolve("complete.txt")).content().contains("_complete_perigee perigee");
    }

    @Test
    void aStockSampleFileStartsABrokerBesideANameServer() throws Exception {
        Path nameServerFile = Files.writeString(folder.resolve("namesrv.conf"), "listenPort=0\n");
        Path brokerFile = Files.writeString(folder.resolve("broker.conf"), """
                brokerClusterName=DefaultCluster
                brokerName=broker-a
                brokerId=0
                deleteWhen=04
                fileReservedTime=48
                brokerRole=ASYNC_MASTER
                flushDiskType=ASYNC_FLUSH
                """);
        Path nameServerOutput = folder.resolve("namesrv.txt");
        Path brokerOutput = folder.resolve("broker.txt");
        List<Process> started = new ArrayList<>();
        try {
            started.add(start(nameServerOutput, "namesrv", "-c", nameServerFile.toString()));
            String nameServer = "127.0.0.1:" + port(nameServerOutput, "name server ready on ");
            started.add(start(
                    brokerOutput,
                    "broker",
                    "-c",
                    brokerFile.toString(),
                    "-n",
                    nameServer,
                    "--set",
                    "storePathRootDir=store",
                    "--set",
                    "listenPort=0"));
            port(brokerOutput, "broker broker-a ready on ");
            assertThat(Files.readString(brokerOutput)).doesNotContain("perigee: setting");
            run("topic", "create", "demo", "-n", nameServer);
            assertThat(run("send", "demo", "hello", "-n", nameServer)).contains("SEND_OK");
        } finally {
            started.forEach(Process::destroy);
        }
        for (Process process : started) {
            assertThat(process.waitFor(COMMAND_LIMIT_S, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(folder.resolve("store/commitlog")).isNotEmptyDirectory();
        assertThat(folder.resolve("store/logs/perigee.log")).content().contains("event=broker_stopped");
    }

    @Test
    void upKeepsMessagesWhereTheFileSays() throws Exception {
        Path file = Files.writeString(
                folder.resolve("broker.conf"),
                "storePathRootDir=there\nstorePathCommitLog=there/commitlog\nlistenPort=0\n");
        Path output = folder.resolve("up.txt");
        Process up = start(output, "up", "-c", file.toString(), "--namesrv-port", "0");
        try {
            await().atMost(READY_LIMIT).until(() -> Files.readString(output).contains("./perigee topic list"));
            assertThat(Files.readString(output)).contains("messages in there").doesNotContain("perigee: setting");
        } finally {
            up.destroy();
        }
        assertThat(up.waitFor(COMMAND_LIMIT_S, TimeUnit.SECONDS)).isTrue();
        assertThat(folder.resolve("there/commitlog")).isNotEmptyDirectory();
        assertThat(folder.resolve("data/broker")).doesNotExist();
    }

    /** Waits for a line that begins so and gives the port at its end. */
    private static String port(Path output, String lineStart) {
        await().atMost(READY_LIMIT)
                .until(() -> Files.readString(output).lines().anyMatch(line -> line.startsWith(lineStart)));
        String line;
        try {
            line = Files.readString(output)
                    .lines()
                    .filter(text -> text.startsWith(lineStart))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return line.substring(line.lastIndexOf(':') + 1);
    }
}
