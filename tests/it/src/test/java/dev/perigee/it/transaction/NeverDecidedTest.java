package dev.perigee.it.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.transaction.TransactionListener;
import dev.perigee.client.transaction.TransactionProducer;
import dev.perigee.client.transaction.TransactionState;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.topic.TopicConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Check K11 with its real minute: asked about after it, then so often, then set aside, while the log does not grow. */
@Tag("soak")
final class NeverDecidedTest {
    private static final String TOPIC = "undecided";
    private static final String ASIDE = "TRANS_CHECK_MAX_TIME_TOPIC";
    private static final long IMMUNE_MS = 60_000;
    private static final long INTERVAL_MS = 5_000;
    private static final int CHECKS = 15;
    private static final long LATE_MS = 10_000;
    private static final int LARGEST_BYTES = (4 << 20) - 10;
    private static final long MOST_GROWTH_BYTES = 256 << 10;

    @TempDir
    private Path folder;

    private final Map<String, List<Long>> askedMs = new ConcurrentHashMap<>();

    @Test
    void whatNobodyDecidesIsAskedAboutAfterAMinuteAndFifteenTimesAndIsThenSetAside() throws Exception {
        Map<String, String> settings = Map.of(
                "transactionTimeOut", Long.toString(IMMUNE_MS),
                "transactionCheckInterval", Long.toString(INTERVAL_MS));
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"), names.target().namesrv(), settings);
                AdminClient admin = AdminClient.builder()
                        .nameServers(names.target().namesrv())
                        .callTimeoutMs(60_000)
                        .timeoutMs(60_000)
                        .build();
                TransactionProducer producer = producer(names.target().namesrv())) {
            admin.start();
            admin.topics().createOrUpdate(TopicConfig.of(TOPIC, 1));
            producer.start();
            byte[] large = new byte[LARGEST_BYTES];
            new Random(11).nextBytes(large);
            long sentMs = System.currentTimeMillis();
            List<String> ids = new ArrayList<>();
            for (byte[] body : List.of(new byte[] {1}, large)) {
                ids.add(producer.send(Message.of(TOPIC, body), TransactionState.UNKNOWN)
                        .transactionId());
            }
            long endOffset = logEndOffset(admin, broker);
            Awaitility.await("the last checks")
                    .atMost(Duration.ofMillis(IMMUNE_MS + CHECKS * (INTERVAL_MS + LATE_MS)))
                    .until(() -> ids.stream().allMatch(id -> asked(id).size() == CHECKS));
            long grownBytes = logEndOffset(admin, broker) - endOffset;
            System.out.println("first check after " + (asked(ids.get(0)).get(0) - sentMs) + " ms, the log grew by "
                    + grownBytes + " bytes");
            assertThat(grownBytes).isLessThan(MOST_GROWTH_BYTES);
            for (String id : ids) {
                assertThat(asked(id).get(0) - sentMs).isBetween(IMMUNE_MS, IMMUNE_MS + LATE_MS);
            }
            List<MessageExt> aside = awaitAside(admin);
            assertThat(aside).extracting(MessageExt::messageId).containsExactlyInAnyOrderElementsOf(ids);
            assertThat(aside)
                    .allSatisfy(each -> assertThat(each.properties())
                            .containsEntry("REAL_TOPIC", TOPIC)
                            .containsEntry("TRANSACTION_CHECK_TIMES", Integer.toString(CHECKS))
                            .containsKey("HALF_REASON"));
            assertThat(aside).extracting(MessageExt::body).contains(large);
            assertThat(ids).allSatisfy(id -> assertThat(asked(id)).hasSize(CHECKS));
            assertThat(admin.topics().maxOffset(admin.topics().queues(TOPIC).get(0)))
                    .isZero();
        }
    }

    private TransactionProducer producer(String namesrv) {
        return TransactionProducer.builder()
                .nameServers(namesrv)
                .group("undecided")
                .producer(settings -> settings.sendTimeoutMs(30_000).callTimeoutMs(30_000))
                .listener(new TransactionListener() {
                    @Override
                    public TransactionState execute(Message message, String transactionId, @Nullable Object argument) {
                        return TransactionState.UNKNOWN;
                    }

                    @Override
                    public TransactionState check(MessageExt half) {
                        asked(half.messageId()).add(System.currentTimeMillis());
                        return TransactionState.UNKNOWN;
                    }
                })
                .build();
    }

    private List<Long> asked(@Nullable String id) {
        return askedMs.computeIfAbsent(
                Objects.requireNonNull(id), unused -> Collections.synchronizedList(new ArrayList<>()));
    }

    private static long logEndOffset(AdminClient admin, PerigeeProcess broker) throws Exception {
        Map<String, String> info = admin.brokers().runtimeInfo(broker.target().broker());
        return Long.parseLong(Objects.requireNonNull(info.get("commitLogMaxOffset")));
    }

    private static List<MessageExt> awaitAside(AdminClient admin) {
        List<MessageExt> found = new ArrayList<>();
        Awaitility.await("both are set aside")
                .atMost(Duration.ofMillis(INTERVAL_MS + LATE_MS))
                .ignoreExceptions()
                .until(() -> {
                    found.clear();
                    for (MessageQueue queue : admin.topics().queues(ASIDE)) {
                        for (long offset = 0; offset < admin.topics().maxOffset(queue); offset++) {
                            Optional<MessageExt> one = admin.messages().byQueueOffset(queue, offset);
                            one.ifPresent(found::add);
                        }
                    }
                    return found.size() >= 2;
                });
        return found;
    }
}
