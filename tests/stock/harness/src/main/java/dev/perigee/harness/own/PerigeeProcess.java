package dev.perigee.harness.own;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.harness.FreePorts;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.RemotingProbe;
import dev.perigee.harness.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Perigee's launcher in a JVM of its own, on loopback ports nobody else uses: {@link #up} runs NameServer and broker together as a user's
 * first command does, {@link #namesrv} and {@link #broker} run one of them from a configuration file. Can be killed and started again on
 * the same data and ports.
 */
public final class PerigeeProcess implements AutoCloseable {
    private static final String MAIN = "dev.perigee.dist.Main";
    private static final Duration READY = Duration.ofMinutes(3);
    private static final String CLUSTER = "DefaultCluster";
    private static final String BROKER = "perigee-a";

    private final Path directory;
    private final String name;
    private final List<String> arguments;
    private final Target target;
    private final List<String> jvmOptions = new ArrayList<>();
    private Callable<Boolean> ready = () -> false;
    private @Nullable JavaProcess process;

    private PerigeeProcess(Path directory, String name, List<String> arguments, Target target) {
        this.directory = directory.toAbsolutePath();
        this.name = name;
        this.arguments = arguments;
        this.target = target;
    }

    /** {@code perigee up}, with more options if need be. */
    public static PerigeeProcess up(Path directory, String... more) throws IOException {
        PerigeeProcess up = notStarted(directory, more);
        Target target = up.target;
        return up.start(() -> RemotingProbe.accepts(target.broker())
                && RemotingProbe.clusterOf(target.namesrv()).isPresent());
    }

    /** The same with a broker that asks about transactions within seconds, where it would wait for half a minute. */
    public static PerigeeProcess upAskingSoon(Path directory) throws IOException {
        return up(directory, "--set", "transactionTimeOut=1000", "--set", "transactionCheckInterval=1000");
    }

    /** The same where plain text is refused, so that only its own word tells that it is ready. */
    public static PerigeeProcess encryptedUp(Path directory, String... more) throws IOException {
        List<String> options = new ArrayList<>(List.of("--set", "tls.server.mode=enforcing"));
        options.addAll(List.of(more));
        PerigeeProcess up = notStarted(directory, options.toArray(String[]::new));
        return up.start(() -> up.process().stdout().contains("is ready"));
    }

    private static PerigeeProcess notStarted(Path directory, String... more) throws IOException {
        int namesrvPort = FreePorts.one();
        int brokerPort = FreePorts.forBroker();
        List<String> arguments = new ArrayList<>(List.of(
                "up",
                "--data",
                directory.toAbsolutePath().resolve("data").toString(),
                "--namesrv-port",
                Integer.toString(namesrvPort),
                "--broker-port",
                Integer.toString(brokerPort)));
        arguments.addAll(List.of(more));
        String namesrv = "127.0.0.1:" + namesrvPort;
        String broker = "127.0.0.1:" + brokerPort;
        Target target = new Target(namesrv, broker, "", "");
        return new PerigeeProcess(directory, "up", arguments, target);
    }

    /** {@code perigee namesrv -c file}. */
    public static PerigeeProcess namesrv(Path directory) throws IOException {
        int port = FreePorts.one();
        String address = "127.0.0.1:" + port;
        Path home = Files.createDirectories(directory.toAbsolutePath());
        Path file = write(
                home.resolve("namesrv.conf"),
                Map.of(
                        "listenPort",
                        Integer.toString(port),
                        "bindAddress",
                        "127.0.0.1",
                        "kvConfigPath",
                        home.resolve("kv.json").toString()));
        return new PerigeeProcess(
                        directory,
                        "namesrv",
                        List.of("namesrv", "-c", file.toString()),
                        new Target(address, "", "", ""))
                .start(() -> RemotingProbe.accepts(address));
    }

    /** {@code perigee broker -c file}, registered at some NameServer, with more settings and options of the JVM if need be. */
    public static PerigeeProcess broker(Path directory, String namesrv, Map<String, String> more, String... jvmOptions)
            throws IOException {
        int port = FreePorts.forBroker();
        String address = "127.0.0.1:" + port;
        Path home = Files.createDirectories(directory.toAbsolutePath());
        Map<String, String> settings = new TreeMap<>(Map.of(
                "brokerClusterName",
                CLUSTER,
                "brokerName",
                BROKER,
                "brokerId",
                "0",
                "namesrvAddr",
                namesrv,
                "brokerIP1",
                "127.0.0.1",
                "listenPort",
                Integer.toString(port),
                "storePathRootDir",
                home.resolve("store").toString(),
                "mappedFileSizeCommitLog",
                Integer.toString(16 << 20)));
        settings.putAll(more);
        Path file = write(home.resolve("broker.conf"), settings);
        PerigeeProcess broker = new PerigeeProcess(
                directory,
                "broker",
                List.of("broker", "-c", file.toString()),
                new Target(namesrv, address, CLUSTER, BROKER));
        broker.jvmOptions.addAll(List.of(jvmOptions));
        return broker.start(() -> RemotingProbe.accepts(address) && RemotingProbe.knowsBroker(namesrv, BROKER));
    }

    private static Path write(Path file, Map<String, String> settings) throws IOException {
        StringBuilder lines = new StringBuilder();
        settings.forEach(
                (key, value) -> lines.append(key).append('=').append(value).append('\n'));
        return Files.writeString(file, lines.toString());
    }

    private PerigeeProcess start(Callable<Boolean> whenReady) throws IOException {
        ready = whenReady;
        return start();
    }

    /** Starts it again on the same data and ports, after a kill or a stop, with further options for this start if need be. */
    public PerigeeProcess start(String... more) throws IOException {
        JavaProcess started = launch(more);
        Awaitility.await(started + " is ready")
                .atMost(READY)
                .pollInterval(Duration.ofMillis(50))
                .failFast(() -> assertThat(started.isAlive())
                        .as(() -> started.stdout() + started.stderr())
                        .isTrue())
                .until(ready);
        return this;
    }

    /** Gives a stopped broker or NameServer other settings, in its file, for its next start. */
    public void reconfigure(Map<String, String> changes) throws IOException {
        Path file = directory.resolve(name + ".conf");
        Map<String, String> settings = new TreeMap<>();
        for (String line : Files.readAllLines(file)) {
            int sign = line.indexOf('=');
            settings.put(line.substring(0, sign), line.substring(sign + 1));
        }
        settings.putAll(changes);
        write(file, settings);
    }

    /** The same without waiting until it is ready. */
    public JavaProcess launch(String... more) throws IOException {
        JavaProcess started = new JavaCommand(name, MAIN, System.getProperty("java.class.path"), directory)
                .options("-Xms64m", "-Xmx512m", "-XX:MaxDirectMemorySize=512m")
                .options("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1") // it lives for a minute
                .options(jvmOptions.toArray(String[]::new)) // of two that contradict each other the later counts
                .arguments(arguments.toArray(String[]::new))
                .arguments(more)
                .start();
        process = started;
        return started;
    }

    /** Where it is, with the names it registered. */
    public Target target() {
        return target.brokerName().isEmpty()
                ? RemotingProbe.clusterOf(target.namesrv()).orElse(target)
                : target;
    }

    /** Its JVM. */
    public JavaProcess process() {
        return Objects.requireNonNull(process, "not started");
    }

    /** Kills it as a power cut of the process would (SIGKILL). */
    public void kill() {
        process().kill();
    }

    /** Stops it as a service stop would (SIGTERM). */
    @Override
    public void close() {
        process().stop();
    }
}
