package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.fastjson2.JSON;
import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockCluster;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.protocol.message.MessageId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commit log of a real stock broker, read by {@code perigee log}: everything that was sent is found, nothing is altered. */
@Tag("full")
class StockLogTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TOPIC = "in-a-stock-log";
    private static final int SINGLE = 40;
    private static final int BATCHED = 12;

    @TempDir
    private Path folder;

    /** What was sent and what the stock client was told about it. */
    private record Known(String body, String tag, String keys, Map<String, String> properties, Sent sent) {}

    @Test
    @DisplayName("perigee log dump and verify read the commit log of a stock broker and change nothing")
    void reads() throws Exception {
        List<Known> known;
        Path store;
        try (StockCluster cluster = new StockCluster(folder.resolve("cluster")).start();
                StockDriver driver = StockDriver.impatient(
                        StockPeer.CLIENT5,
                        folder.resolve("driver"),
                        cluster.target().namesrv())) {
            store = folder.resolve("cluster").resolve("store");
            known = send(driver);
            check(known, store); // while the broker has it open
        }
        Map<Path, String> before = contents(store);
        check(known, store);
        check(known, store.resolve("commitlog"));
        assertThat(contents(store)).isEqualTo(before);
    }

    private static List<Known> send(StockDriver driver) {
        StockProducer producer = driver.producer("stock-log-senders");
        List<Known> known = new ArrayList<>();
        List<Sent> single = producer.send(
                "sync",
                TOPIC,
                "count",
                SINGLE,
                "body",
                "größe {i}",
                "tags",
                "tag{i}",
                "keys",
                "own{i} shared",
                "properties",
                Map.of("colour", "azur {i}"));
        for (int i = 0; i < SINGLE; i++) {
            known.add(new Known(
                    "größe " + i, "tag" + i, "own" + i + " shared", Map.of("colour", "azur " + i), single.get(i)));
        }
        Sent batch = producer.send("batch", TOPIC, "count", BATCHED, "body", "batched {i}", "keys", "b{i}")
                .get(0);
        assertThat(batch.isOk()).as(batch.toString()).isTrue();
        String[] ids = batch.msgId().split(",", -1);
        String[] places = batch.offsetMsgId().split(",", -1);
        assertThat(ids).hasSize(BATCHED);
        for (int i = 0; i < BATCHED; i++) {
            Sent one = new Sent(
                    batch.status(),
                    ids[i],
                    places[i],
                    batch.broker(),
                    batch.queueId(),
                    batch.queueOffset() + i,
                    "",
                    "",
                    "",
                    "",
                    "",
                    0);
            known.add(new Known("batched " + i, "", "b" + i, Map.of(), one));
        }
        return known;
    }

    private void check(List<Known> known, Path log) throws IOException {
        JSONObject totals = JSON.parseObject(perigee("log", "verify", log.toString(), "--json"));
        assertThat(totals.getIntValue("damagedRanges")).as(totals.toString()).isZero();
        assertThat(totals.getJSONArray("damaged")).isEmpty();
        List<JSONObject> frames = perigee("log", "dump", log.toString(), "--json")
                .lines()
                .map(JSON::parseObject)
                .toList();
        assertThat(frames.stream().filter(frame -> "UNSTAMPED".equals(frame.getString("verdict"))))
                .hasSize(totals.getIntValue("UNSTAMPED"));
        Map<Long, JSONObject> ofTopic = new TreeMap<>();
        frames.stream()
                .filter(frame -> TOPIC.equals(frame.getString("topic")))
                .forEach(frame -> ofTopic.put(frame.getLong("offset"), frame));
        assertThat(ofTopic).hasSameSizeAs(known);
        for (Known one : known) {
            long offset = MessageId.parse(one.sent().offsetMsgId()).physicalOffset();
            checkFrame(Objects.requireNonNull(ofTopic.get(offset), () -> "no frame of " + one + " at " + offset), one);
        }
    }

    private static void checkFrame(JSONObject frame, Known known) {
        assertThat(frame.getString("body")).isEqualTo(known.body());
        assertThat(frame.getIntValue("queue")).isEqualTo(known.sent().queueId());
        assertThat(frame.getLongValue("queueOffset")).isEqualTo(known.sent().queueOffset());
        JSONObject properties = frame.getJSONObject("properties");
        assertThat(properties.getString("UNIQ_KEY")).isEqualTo(known.sent().msgId());
        assertThat(properties.getString("KEYS")).isEqualTo(known.keys());
        assertThat(properties.getOrDefault("TAGS", "")).isEqualTo(known.tag());
        known.properties()
                .forEach((name, value) -> assertThat(properties.getString(name)).isEqualTo(value));
    }

    private String perigee(String... words) throws IOException {
        Path home = Files.createDirectories(folder.resolve("perigee"));
        JavaProcess process = new JavaCommand(
                        "perigee", "dev.perigee.dist.Main", System.getProperty("java.class.path"), home)
                .options("-Xmx256m", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8")
                .arguments(words)
                .start();
        int exitCode = process.awaitExit(PATIENCE);
        assertThat(exitCode)
                .as(() -> Arrays.toString(words) + process.stdout() + process.stderr())
                .isZero();
        return process.stdout();
    }

    /** Every file below a folder with a digest of its bytes. */
    private static Map<Path, String> contents(Path root) throws IOException, NoSuchAlgorithmException {
        Map<Path, String> digests = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
                digests.put(root.relativize(file), HexFormat.of().formatHex(digest));
            }
        }
        return digests;
    }
}
