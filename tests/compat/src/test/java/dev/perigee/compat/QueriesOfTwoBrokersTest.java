package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.query.Found;
import dev.perigee.client.query.KeyQuery;
import dev.perigee.client.send.SendResult;
import dev.perigee.harness.Received;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockPuller;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.topic.TopicConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages of a topic that lies on two brokers are found by key, id and place, wherever they are, by clients of all makes. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class QueriesOfTwoBrokersTest {
    private static final String TOPIC = "on-two-brokers";
    private static final String KEY = "order-7";
    private static final int PER_BROKER = 4;

    private final List<AutoCloseable> started = new ArrayList<>();
    /** In the order of their store times, which all differ. */
    private final List<SendResult> sent = new ArrayList<>();

    private Path folder;
    private String namesrv;
    private AdminClient admin;

    private <T extends AutoCloseable> T keep(T part) {
        started.add(0, part);
        return part;
    }

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        folder = directory;
        PerigeeProcess names = keep(PerigeeProcess.namesrv(folder.resolve("names")));
        namesrv = names.target().namesrv();
        keep(PerigeeProcess.broker(folder.resolve("a"), namesrv, Map.of()));
        keep(PerigeeProcess.broker(folder.resolve("b"), namesrv, Map.of("brokerName", "perigee-b")));
        OwnBench bench = new OwnBench(names.target(), folder);
        admin = keep(bench.admin());
        await("both brokers").atMost(OwnBench.PATIENCE).ignoreExceptions().until(() -> {
            admin.topics().createOrUpdate(TopicConfig.of(TOPIC, 1));
            return admin.topics().queues(TOPIC).size() == 2;
        });
        List<MessageQueue> queues = admin.topics().queues(TOPIC);
        try (Producer producer = bench.producer()) {
            for (int i = 0; i < 2 * PER_BROKER; i++) {
                long lastMs = System.currentTimeMillis();
                sent.add(producer.send(
                        Message.builder(TOPIC)
                                .body("message " + i)
                                .keys(KEY, "k" + i)
                                .build(),
                        queues.get(i % 2)));
                await("the next millisecond")
                        .atMost(OwnBench.PATIENCE)
                        .until(() -> System.currentTimeMillis() > lastMs + 1);
            }
        }
        await("the index")
                .atMost(OwnBench.PATIENCE)
                .until(() -> found(2 * PER_BROKER, 0, Long.MAX_VALUE).size() == 2 * PER_BROKER);
    }

    @AfterAll
    void stop() throws Exception {
        for (AutoCloseable part : started) {
            part.close();
        }
    }

    private List<MessageExt> found(int max, long beginMs, long endMs) throws Exception {
        Found found = admin.messages().byKey(new KeyQuery(TOPIC, KEY, KeyQuery.Kind.INDEX_KEY, max, beginMs, endMs));
        assertThat(found.isComplete()).as(found.toString()).isTrue();
        return found.messages();
    }

    /** Bodies of those numbers, from the first down to the last. */
    private static List<String> newestFirst(int first, int last) {
        List<String> bodies = new ArrayList<>();
        for (int i = first; i >= last; i--) {
            bodies.add("message " + i);
        }
        return bodies;
    }

    @Test
    void ourQueryGivesTheNewestOfBothNewestFirstAndNoMoreThanAskedFor() throws Exception {
        for (int max = 1; max <= 2 * PER_BROKER; max++) {
            assertThat(found(max, 0, Long.MAX_VALUE))
                    .extracting(MessageExt::bodyText)
                    .isEqualTo(newestFirst(7, 8 - max));
        }
    }

    @Test
    void ourQueryKeepsToARangeOfStoreTimesToTheMillisecond() throws Exception {
        List<MessageExt> all = new ArrayList<>(found(2 * PER_BROKER, 0, Long.MAX_VALUE));
        Collections.reverse(all);
        assertThat(all).extracting(MessageExt::storeTimestampMs).doesNotHaveDuplicates();
        long secondMs = all.get(2).storeTimestampMs();
        long sixthMs = all.get(5).storeTimestampMs();
        assertThat(found(32, secondMs, sixthMs))
                .extracting(MessageExt::bodyText)
                .isEqualTo(newestFirst(5, 2));
        assertThat(found(32, secondMs + 1, sixthMs - 1))
                .extracting(MessageExt::bodyText)
                .isEqualTo(newestFirst(4, 3));
    }

    @Test
    void ourClientFindsEachByItsIdsWhereverItLies() throws Exception {
        for (int i = 0; i < sent.size(); i++) {
            SendResult one = sent.get(i);
            String body = "message " + i;
            assertThat(admin.messages().byUniqueKey(TOPIC, one.messageId()))
                    .hasValueSatisfying(read -> assertThat(read.bodyText()).isEqualTo(body));
            assertThat(admin.messages().byOffsetId(one.offsetMessageId()))
                    .hasValueSatisfying(read -> assertThat(read.bodyText()).isEqualTo(body));
        }
    }

    /** Of a stock client {@code max} is that of each broker, and it does not put the answers of brokers in order. */
    @ParameterizedTest
    @EnumSource(names = {"CLIENT5", "CLIENT4"})
    void stockClientsFindThemToo(StockPeer client) throws Exception {
        List<MessageExt> all = new ArrayList<>(found(2 * PER_BROKER, 0, Long.MAX_VALUE));
        Collections.reverse(all);
        try (StockDriver driver = StockDriver.impatient(client, folder.resolve("driver-" + client), namesrv);
                StockPuller puller = driver.puller("finders-" + client)) {
            assertThat(puller.query(TOPIC, KEY)).hasSize(2 * PER_BROKER);
            List<Received> newest = puller.query(TOPIC, KEY, "max", 2);
            assertThat(newest).extracting(Received::body).containsExactlyInAnyOrderElementsOf(newestFirst(7, 4));
            for (int of = 0; of < 2; of++) {
                int odd = of;
                assertThat(newest.stream().filter(each -> number(each) % 2 == odd))
                        .isSortedAccordingTo(Comparator.comparing(QueriesOfTwoBrokersTest::number)
                                .reversed());
            }
            assertThat(puller.query(
                            TOPIC,
                            KEY,
                            "begin",
                            all.get(2).storeTimestampMs(),
                            "end",
                            all.get(5).storeTimestampMs()))
                    .extracting(Received::body)
                    .containsExactlyInAnyOrderElementsOf(newestFirst(5, 2));
            for (int i = 0; i < sent.size(); i++) {
                assertThat(puller.view(TOPIC, sent.get(i).messageId()).body()).isEqualTo("message " + i);
                assertThat(puller.view(TOPIC, sent.get(i).offsetMessageId()).body())
                        .isEqualTo("message " + i);
            }
        }
    }

    private static int number(Received message) {
        return Integer.parseInt(message.body().substring("message ".length()));
    }
}
