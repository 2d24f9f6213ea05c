package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.Perigee;
import dev.perigee.remoting.FreePorts;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A NameServer, and the members of a group of three brokers that the test starts and stops, all in this process. */
final class RunningMembers implements AutoCloseable {
    static final String BROKER = "broker-a";

    private static final int SIZE = 3;
    private static final int PORT_STEP = 10;
    private static final long READY_LIMIT_MS = 60_000;

    /** One server. */
    private record Server(Lifecycle lifecycle, StringWriter out, CompletableFuture<Integer> exitCode) {
        static Server start(List<String> words) throws InterruptedException {
            Lifecycle lifecycle = Lifecycle.byHand();
            StringWriter out = new StringWriter();
            PrintWriter printer = new PrintWriter(out, true);
            String[] all = words.toArray(String[]::new);
            CompletableFuture<Integer> exitCode =
                    CompletableFuture.supplyAsync(() -> Perigee.commandLine(Main.serverCommands(lifecycle), all)
                            .setOut(printer)
                            .setErr(printer)
                            .execute(all));
            CompletableFuture<?> unused = exitCode.thenRun(lifecycle::readyOrOver);
            assertThat(lifecycle.awaitReady(READY_LIMIT_MS)).as(out.toString()).isTrue();
            assertThat(exitCode).as(out.toString()).isNotDone();
            return new Server(lifecycle, out, exitCode);
        }
    }

    private final Path folder;
    private final String nameServer = "127.0.0.1:" + FreePorts.one();
    private final int firstPort = FreePorts.forBrokers(SIZE, PORT_STEP);
    private final Server names;
    private final Map<Integer, Server> members = new TreeMap<>();

    /** None of the members runs. */
    RunningMembers(Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        Path settings = folder.resolve("namesrv.conf");
        Files.writeString(settings, "kvConfigPath=" + folder.resolve("kv.json") + "\n");
        names = Server.start(List.of(
                "namesrv",
                "-c",
                settings.toString(),
                "--logs",
                folder.resolve("logs").toString(),
                "--host",
                "127.0.0.1",
                "--port",
                nameServer.substring(nameServer.indexOf(':') + 1)));
    }

    /** Starts the member {@code n<index>}, and waits until it says that it is ready. */
    void start(int index) throws InterruptedException {
        String peers = IntStream.range(0, SIZE)
                .mapToObj(i -> "n" + i + "-127.0.0.1:" + (port(i) + 1))
                .collect(Collectors.joining(";"));
        List<String> words = new ArrayList<>(List.of("broker", "-n", nameServer));
        Map<String, String> settings = Map.of(
                "brokerName",
                BROKER,
                "bindAddress",
                "127.0.0.1",
                "brokerIP1",
                "127.0.0.1",
                "listenPort",
                Integer.toString(port(index)),
                "storePathRootDir",
                folder.resolve("n" + index).toString(),
                "mappedFileSizeCommitLog",
                "16777216",
                "raftPeers",
                peers,
                "raftSelfId",
                "n" + index,
                "raftElectionTimeout",
                "3000"); // none on a busy machine but those that are ordered
        settings.forEach((key, value) -> words.addAll(List.of("--set", key + "=" + value)));
        members.put(index, Server.start(words));
    }

    /** What the member printed since it was started. */
    String printed(int index) {
        return Objects.requireNonNull(members.get(index)).out().toString();
    }

    /** Where its NameServer is. */
    String nameServer() {
        return nameServer;
    }

    /** Where clients reach the member. */
    String address(int index) {
        return "127.0.0.1:" + port(index);
    }

    private int port(int index) {
        return firstPort + index * PORT_STEP;
    }

    /** Stops those in order, all at once, and waits until they have. */
    void stop(Integer... indexes) {
        List<Server> stopping = new ArrayList<>();
        for (int index : indexes) {
            Server member = members.remove(index);
            if (member != null) {
                member.lifecycle().stop();
                stopping.add(member);
            }
        }
        stopping.forEach(member -> member.exitCode().join());
    }

    /** Runs a command at its NameServer. */
    Run run(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("-n", nameServer));
        return Run.of(all.toArray(String[]::new));
    }

    @Override
    public void close() {
        stop(members.keySet().toArray(Integer[]::new));
        names.lifecycle().stop();
        names.exitCode().join();
    }
}
