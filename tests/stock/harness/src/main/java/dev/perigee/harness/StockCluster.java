package dev.perigee.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A stock NameServer and one stock broker, each in its own JVM, on loopback ports nobody else uses. */
public final class StockCluster implements AutoCloseable {
    private static final Duration READY = Duration.ofSeconds(60);
    private static final String NAME = "StockCluster";
    private static final String BROKER = "stock-a";

    private final Path directory;
    private final Map<String, String> settings = new TreeMap<>();
    private final int namesrvPort = FreePorts.one();
    private String namesrvAddress = "127.0.0.1:" + namesrvPort;
    private final int brokerPort = FreePorts.forBroker();
    private String heap = "512m";
    /** For lives of a minute, which no optimizing compiler and no parallel collector pays back. */
    private List<String> jvm = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private @Nullable JavaProcess namesrv;
    private @Nullable JavaProcess broker;

    /** A cluster that will keep everything below {@code directory}; nothing runs yet. */
    public StockCluster(Path directory) {
        this.directory = directory.toAbsolutePath();
        defaults();
    }

    private void defaults() {
        Path store = directory.resolve("store");
        with("brokerClusterName", NAME).with("brokerName", BROKER).with("brokerId", "0");
        with("brokerIP1", "127.0.0.1");
        with("bindAddress", "127.0.0.1");
        with("listenPort", Integer.toString(brokerPort)).with("haListenPort", Integer.toString(brokerPort + 1));
        with("storePathRootDir", store.toString());
        with("storePathCommitLog", store.resolve("commitlog").toString());
        with("mappedFileSizeCommitLog", Integer.toString(16 << 20));
        with("mappedFileSizeConsumeQueue", "600000");
        with("maxIndexNum", "100000").with("maxHashSlotNum", "25000");
        with("diskMaxUsedSpaceRatio", "99");
        with("enablePropertyFilter", "true");
        // Not even on a disk that is rather full the broker may remove what a test has yet to read.
        with("cleanFileForciblyEnable", "false");
        patience();
    }

    /** A broker that is cold, or did not run for a moment, refuses what waited, which is not what any test here asks about. */
    private void patience() {
        for (String queue : List.of("Send", "Pull", "LitePull", "Heartbeat", "Transaction", "Ack", "AdminBroker")) {
            with("waitTimeMillsIn" + queue + "Queue", "60000");
        }
        with("osPageCacheBusyTimeOutMills", "60000");
    }

    /** Sets a broker configuration key, for example {@code flushDiskType}. */
    public StockCluster with(String key, String value) {
        settings.put(key, value);
        return this;
    }

    /** Lets the broker ask about transactions within seconds, where it would wait for half a minute. */
    public StockCluster asksSoon() {
        with("transactionTimeOut", "1000").with("transactionCheckInterval", "1000");
        // Otherwise decisions are written down so much later that they are asked about once more.
        return with("transactionOpBatchInterval", "100");
    }

    /** Sets the broker's largest heap, for example {@code 2g}. */
    public StockCluster heap(String size) {
        heap = size;
        return this;
    }

    /** Lets the broker have the compilers and the collector of a JVM that lives long, as measurements need. */
    public StockCluster livesLong() {
        jvm = List.of();
        return this;
    }

    /** Lets the broker register at a NameServer somewhere else; then only {@link #startBroker} is to be called. */
    public StockCluster registeredAt(String namesrv) {
        namesrvAddress = namesrv;
        return this;
    }

    /** Starts both and returns when the NameServer knows the broker. */
    public StockCluster start() throws IOException {
        startNamesrv();
        startBroker();
        return this;
    }

    /** Starts the NameServer, for the first time or again. */
    public void startNamesrv() throws IOException {
        Path home = home("namesrv");
        Map<String, String> namesrvSettings = Map.of(
                "listenPort",
                Integer.toString(namesrvPort),
                "bindAddress",
                "127.0.0.1",
                "rocketmqHome",
                home.toString(),
                "kvConfigPath",
                home.resolve("kv.json").toString(),
                "configStorePath",
                home.resolve("namesrv.properties").toString());
        namesrv = server("namesrv", "org.apache.rocketmq.namesrv.NamesrvStartup", namesrvSettings)
                .options("-Xms64m", "-Xmx128m", "-XX:+UseSerialGC")
                .start();
        await(namesrv(), () -> RemotingProbe.accepts(target().namesrv()));
    }

    /** Starts the broker, for the first time or again on the same store. */
    public void startBroker() throws IOException {
        settings.put("rocketmqHome", home("broker").toString());
        settings.put("namesrvAddr", namesrvAddress);
        broker = server("broker", "org.apache.rocketmq.broker.BrokerStartup", settings)
                .options("-Xms256m", "-Xmx" + heap, "-XX:MaxDirectMemorySize=512m")
                .start();
        await(
                broker(),
                () -> RemotingProbe.accepts(target().broker())
                        && RemotingProbe.knowsBroker(target().namesrv(), BROKER));
    }

    private static void await(JavaProcess process, Callable<Boolean> ready) {
        Awaitility.await(process + " is ready")
                .atMost(READY)
                .pollInterval(Duration.ofMillis(50))
                .failFast(() -> assertThat(process.isAlive())
                        .as(() -> process.stdout() + process.stderr())
                        .isTrue())
                .until(ready);
    }

    private Path home(String name) throws IOException {
        return Files.createDirectories(directory.resolve(name));
    }

    private JavaCommand server(String name, String mainClass, Map<String, String> configuration) throws IOException {
        Path home = home(name);
        Path file = home.resolve(name + ".conf");
        StringWriter lines = new StringWriter();
        configuration.forEach(
                (key, value) -> lines.append(key).append('=').append(value).append('\n'));
        Files.writeString(file, lines.toString());
        return new JavaCommand(name, mainClass, StockPeer.SERVER5.classPath(), home)
                .options("-Drocketmq.home.dir=" + home)
                .options(jvm.toArray(String[]::new))
                .arguments("-c", file.toString());
    }

    /** Where it is. */
    public Target target() {
        return new Target(namesrvAddress, "127.0.0.1:" + brokerPort, NAME, BROKER);
    }

    /** The broker's JVM. */
    public JavaProcess broker() {
        return Objects.requireNonNull(broker, "not started");
    }

    /** The NameServer's JVM. */
    public JavaProcess namesrv() {
        return Objects.requireNonNull(namesrv, "not started");
    }

    /** Stops both, broker first. */
    @Override
    public void close() {
        if (broker != null) {
            broker.stop();
        }
        if (namesrv != null) {
            namesrv.stop();
        }
    }
}
