package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.message.MessageExt;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages that wait for their retry while the broker is killed come in their time, all of them, and once. */
@Tag("full")
final class RetriesSurviveSigkillTest {
    private static final int MESSAGES = 20;

    /** Level n waits n seconds. */
    private static final String LEVELS =
            IntStream.rangeClosed(1, MESSAGES).mapToObj(i -> i + "s").collect(Collectors.joining(" "));

    @TempDir
    private Path folder;

    private final Map<String, Long> notBeforeMs = new HashMap<>();

    @Test
    void twentyRetriesComeInTheirTimeThoughTheBrokerIsKilledTwice() throws Exception {
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"), names.target().namesrv(), Map.of("messageDelayLevel", LEVELS));
                RetryCalls calls = new RetryCalls(broker.target().broker())) {
            for (int level = 1; level <= MESSAGES; level++) {
                notBeforeMs.put("m" + level, System.currentTimeMillis() + 1_000L * level);
                calls.fail("m" + level, level);
            }
            calls.fail("dead", -1);
            broker.kill();
            broker.start();
            awaitRetries(calls, MESSAGES / 2);
            broker.kill();
            broker.start();
            awaitRetries(calls, MESSAGES);
            List<MessageExt> retries = calls.contents(RetryCalls.RETRIES);
            assertThat(retries)
                    .extracting(MessageExt::bodyText)
                    .doesNotHaveDuplicates()
                    .containsExactlyInAnyOrderElementsOf(notBeforeMs.keySet());
            for (MessageExt retry : retries) {
                assertThat(retry.storeTimestampMs())
                        .as("store time of %s", retry.bodyText())
                        .isGreaterThanOrEqualTo(Objects.requireNonNull(notBeforeMs.get(retry.bodyText())));
                assertThat(retry.reconsumeTimes()).isEqualTo(1);
                assertThat(retry.properties()).containsEntry("RETRY_TOPIC", RetryCalls.FAILING);
            }
            assertThat(calls.contents(RetryCalls.DEAD))
                    .extracting(MessageExt::bodyText)
                    .containsExactly("dead");
        }
    }

    private static void awaitRetries(RetryCalls calls, int count) {
        Awaitility.await(count + " retries")
                .atMost(Duration.ofSeconds(60))
                .until(() -> calls.contents(RetryCalls.RETRIES).size() >= count);
    }
}
