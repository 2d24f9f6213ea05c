package dev.perigee.faults;

import com.alibaba.fastjson2.JSONObject;
import dev.perigee.faults.cluster.Cluster;
import dev.perigee.faults.history.History;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * The same load for every contestant, by stock 5.x clients in a JVM of their own: senders at a steady pace, each on one queue, and a group that
 * reads. Every operation is a line of its history file. For one thread.
 */
final class RecordedLoad implements AutoCloseable {
    private static final int SENDERS = 8;
    private static final int PER_SECOND = 500;
    private static final int SEND_TIMEOUT_MS = 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    /**
     * What the stock client does every 30 s by default: too seldom to see how long the cluster was away. Heartbeats stay as they are: the thread that
     * polls sends them too, and waits three seconds for a broker that has fallen silent.
     */
    private static final JSONObject SETTINGS = JSONObject.of("pollNameServerInterval", 200);

    private final StockDriver driver;
    private final String name;
    private final Path file;

    private RecordedLoad(StockDriver driver, String name, Path file) {
        this.driver = driver;
        this.name = name;
        this.file = file;
    }

    /** Begins; {@code askMs} is how often a client asks for offsets, 0 for never. */
    static RecordedLoad start(String namesrv, Path folder, int askMs) throws IOException {
        StockDriver driver = StockDriver.start(StockPeer.CLIENT5, folder.resolve("clients"), namesrv);
        try {
            StockProducer producer = driver.producer("faults_sender", "settings", SETTINGS);
            createTopic(producer);
            Path file = folder.resolve("history.txt");
            RecordedLoad load = new RecordedLoad(driver, producer.name(), file);
            load.begin(askMs);
            return load;
        } catch (RuntimeException | Error e) {
            driver.close();
            throw e;
        }
    }

    /** A pair refuses until its slave has come, and so does a broker that has just started. */
    private static void createTopic(StockProducer producer) {
        Awaitility.await("the topic")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .ignoreExceptions()
                .until(() -> {
                    producer.createTopic(Cluster.TOPIC, Cluster.QUEUES);
                    return producer.queues(Cluster.TOPIC).size() == Cluster.QUEUES;
                });
    }

    private void begin(int askMs) {
        JSONObject unused = driver.call(
                "history.begin",
                "name",
                name,
                "topic",
                Cluster.TOPIC,
                "group",
                Cluster.GROUP,
                "file",
                file.toString(),
                "senders",
                SENDERS,
                "perSecond",
                PER_SECOND,
                "timeoutMs",
                SEND_TIMEOUT_MS,
                "askMs",
                askMs,
                "settings",
                readerSettings());
    }

    private static JSONObject readerSettings() {
        JSONObject settings = new JSONObject(SETTINGS);
        settings.put("consumerPullTimeoutMillis", SEND_TIMEOUT_MS);
        return settings;
    }

    long acknowledged() {
        return driver.call("history.count").getLongValue("acknowledged");
    }

    /** Stops sending, lets the group read to the end, and reads all there is once more. Blocks. */
    History end() throws IOException {
        JSONObject ended = ask("history.end");
        if (!ended.getBooleanValue("readAll")) {
            System.out.println("faults: the group did not get to the end");
        }
        ask("history.audit");
        return History.read(file);
    }

    private JSONObject ask(String command) {
        JSONObject answer = driver.ask(command, "settings", readerSettings(), "patienceMs", PATIENCE.toMillis())
                .orTimeout(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
        if (!answer.getBooleanValue("ok")) {
            throw new IllegalStateException(command + " failed: " + answer);
        }
        return answer;
    }

    @Override
    public void close() {
        driver.close();
    }
}
