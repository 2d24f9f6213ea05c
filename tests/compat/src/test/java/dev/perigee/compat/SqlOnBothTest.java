package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.DriverException;
import dev.perigee.harness.QueueAt;
import dev.perigee.harness.Received;
import dev.perigee.harness.StockCluster;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.StockPuller;
import dev.perigee.harness.StockPuller.Pulled;
import dev.perigee.harness.own.PerigeeProcess;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same stock client puts the same SQL92 expressions to a running stock broker and to Perigee, over the same messages, and gets the same
 * ones. Expressions and properties are those of {@code sql-oracle.tsv}, a sample of the expressions and all properties. Left out is what
 * Perigee documents to do otherwise: what a stock broker passes over in silence behind an expression, numbers next to zero, and whole
 * numbers of more than 32 bits. Bad expressions are put by consumers that start; in a plain pull a stock broker takes one for no filter at
 * all, and Perigee refuses it.
 */
@Tag("full")
@SuppressWarnings("try") // a consumer that should not start is stopped without being named
class SqlOnBothTest {
    private static final int EVERY = 5;
    private static final int EVERY_BAD = 25;
    private static final int BAD = 23;
    private static final String TOPIC = "sql-on-both";
    private static final Set<String> TAKEN_HERE_ONLY =
            Set.of("a = 0.0", "a > 0.0", "a < 0.0", "a = -0.0", "a > -0.0", "a < -0.0", "a = 1e-400");
    private static final int INT_BITS = 31;

    @Test
    void aStockClientGetsTheSameMessagesFromBoth(@TempDir Path folder) throws IOException {
        List<String> usable = sample(EVERY, verdict -> !verdict.equals("bad"));
        List<String> bad = sample(EVERY_BAD, verdict -> verdict.equals("bad"));
        assertThat(usable).hasSizeGreaterThan(100);
        Set<Map<String, String>> properties = properties();
        ExecutorService beside = Executors.newSingleThreadExecutor();
        try (PerigeeProcess perigee = PerigeeProcess.up(folder.resolve("perigee"));
                StockCluster stock = new StockCluster(folder.resolve("stock")).start();
                StockDriver ours = StockDriver.impatient(
                        StockPeer.CLIENT5,
                        folder.resolve("ours"),
                        perigee.target().namesrv());
                StockDriver theirs = StockDriver.impatient(
                                StockPeer.CLIENT5,
                                folder.resolve("theirs"),
                                stock.target().namesrv())
                        .atStockBrokers()) {
            CompletableFuture<Map<String, String>> there =
                    CompletableFuture.supplyAsync(() -> answers(theirs, usable, properties), beside);
            assertThat(answers(ours, usable, properties)).isEqualTo(there.join());
            assertThat(Set.copyOf(there.join().values()))
                    .as("they tell messages apart")
                    .hasSizeGreaterThan(40);
            CompletableFuture<List<Integer>> refusedThere =
                    CompletableFuture.supplyAsync(() -> refusals(theirs, bad), beside);
            assertThat(refusals(ours, bad)).containsOnly(BAD).hasSameSizeAs(bad);
            assertThat(refusedThere.join()).containsOnly(BAD).hasSameSizeAs(bad);
        } finally {
            beside.shutdown();
        }
    }

    /** What each expression lets through: the numbers of the messages. */
    private static Map<String, String> answers(
            StockDriver driver, List<String> expressions, Set<Map<String, String>> properties) {
        Map<String, String> answers = new LinkedHashMap<>();
        try (StockProducer producer = driver.producer("sql-producer");
                StockPuller puller = driver.puller("sql-puller")) {
            await("the topic").atMost(OwnBench.PATIENCE).ignoreExceptions().until(() -> {
                producer.createTopic(TOPIC, 1);
                return producer.queues(TOPIC).size() == 1;
            });
            int number = 0;
            for (Map<String, String> each : properties) {
                producer.send("sync", TOPIC, "body", Integer.toString(number++), "properties", each);
            }
            QueueAt queue = puller.queues(TOPIC).get(0);
            assertThat(puller.max(queue)).as("all are sent").isEqualTo(number);
            // Before its first heartbeat a client takes every broker for too old.
            await("the heartbeat")
                    .atMost(OwnBench.PATIENCE)
                    .ignoreExceptions()
                    .until(() -> !answer(puller, queue, "TRUE", 1).isEmpty());
            for (String expression : expressions) {
                answers.put(expression, answer(puller, queue, expression, number));
            }
        }
        return answers;
    }

    /** The codes with which consumers of these expressions are refused at their start. */
    private static List<Integer> refusals(StockDriver driver, List<String> expressions) {
        List<Integer> codes = new ArrayList<>();
        for (String expression : expressions) {
            try (StockConsumer ignored =
                    driver.consumer("sql-group-" + codes.size(), TOPIC, "type", "SQL92", "expr", expression)) {
                codes.add(0);
            } catch (DriverException refused) {
                codes.add(refused.code());
            }
        }
        return codes;
    }

    private static String answer(StockPuller puller, QueueAt queue, String expression, long end) {
        List<String> through = new ArrayList<>();
        for (long offset = 0; offset < end; ) {
            Pulled pulled = puller.pull(queue, offset, "type", "SQL92", "expr", expression);
            pulled.messages().stream().map(Received::body).forEach(through::add);
            assertThat(pulled.next()).as(expression).isGreaterThan(offset);
            offset = pulled.next();
        }
        return String.join(" ", through);
    }

    /** Every so manieth of the expressions with such a verdict. */
    private static List<String> sample(int every, Predicate<String> wanted) throws IOException {
        Set<String> all = new LinkedHashSet<>();
        for (String[] row : rows()) {
            if (wanted.test(row[2]) && !row[2].equals("cut") && !TAKEN_HERE_ONLY.contains(row[0])) {
                all.add(plain(row[0]));
            }
        }
        List<String> inOrder = List.copyOf(all);
        List<String> some = new ArrayList<>();
        for (int i = 0; i < inOrder.size(); i += every) {
            some.add(inOrder.get(i));
        }
        return some;
    }

    private static Set<Map<String, String>> properties() throws IOException {
        Set<Map<String, String>> all = new LinkedHashSet<>();
        for (String[] row : rows()) {
            Map<String, String> properties = new HashMap<>();
            for (String pair : row[1].split(";")) {
                int equals = pair.indexOf('=');
                if (equals > 0) {
                    properties.put(plain(pair.substring(0, equals)), plain(pair.substring(equals + 1)));
                }
            }
            if (properties.values().stream().noneMatch(SqlOnBothTest::isBeyond32Bits)) {
                all.add(properties);
            }
        }
        return all;
    }

    private static boolean isBeyond32Bits(String value) {
        return value.matches("[+-]?[0-9]+") && new BigInteger(value).bitLength() > INT_BITS;
    }

    private static List<String[]> rows() throws IOException {
        try (InputStream in = Objects.requireNonNull(SqlOnBothTest.class.getResourceAsStream("/sql-oracle.tsv"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.split("\t", -1))
                    .filter(columns -> columns.length == 3)
                    .toList();
        }
    }

    private static String plain(String escaped) {
        return escaped.replace("\\n", "\n").replace("\\t", "\t");
    }
}
