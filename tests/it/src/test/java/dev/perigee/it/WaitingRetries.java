package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.message.MessageExt;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;

/** Failed messages and when each is to come again, written down beside the broker: the right answers after any restart. */
final class WaitingRetries {
    /** Level 1 is over before a kill, level 2 is not; {@code messageDelayLevel} of the broker. */
    static final String LEVELS = "1s 25s";

    private static final long[] DELAYS_MS = {1_000, 25_000};
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RetryCalls calls;
    private final Map<String, Long> notBeforeMs = new LinkedHashMap<>();
    private long lastFailedMs;

    WaitingRetries(RetryCalls calls) {
        this.calls = calls;
    }

    /** Lets that many more messages fail. */
    void fail(int count, int level) throws Exception {
        for (int i = 0; i < count; i++) {
            String body = "retry-" + notBeforeMs.size();
            notBeforeMs.put(body, System.currentTimeMillis() + DELAYS_MS[level - 1]);
            calls.fail(body, level);
        }
        lastFailedMs = System.currentTimeMillis();
    }

    /** Waits until as many have come again as are written down. */
    List<MessageExt> awaitAll() throws Exception {
        Awaitility.await(notBeforeMs.size() + " retries")
                .atMost(PATIENCE)
                .until(() -> calls.contents(RetryCalls.RETRIES).size() >= notBeforeMs.size());
        return calls.contents(RetryCalls.RETRIES);
    }

    /** The ones of level 2 still wait when this is called, or it shows nothing: on a machine that took too long for that. */
    void checkWaiting(int delivered) throws Exception {
        List<MessageExt> contents = calls.contents(RetryCalls.RETRIES);
        if (System.currentTimeMillis() < lastFailedMs + DELAYS_MS[1]) {
            assertThat(contents).as("delivered before").hasSize(delivered);
        } else {
            System.out.println("retries: the restart took longer than messages wait");
        }
    }

    /** Everything has come again once, none before its time, and what had come before is as it was. */
    void check(List<MessageExt> before) throws Exception {
        List<MessageExt> all = awaitAll();
        assertThat(all).extracting(MessageExt::bodyText).containsExactlyInAnyOrderElementsOf(notBeforeMs.keySet());
        for (MessageExt retry : all) {
            assertThat(retry.storeTimestampMs())
                    .as("store time of %s", retry.bodyText())
                    .isGreaterThanOrEqualTo(Objects.requireNonNull(notBeforeMs.get(retry.bodyText())));
        }
        for (int i = 0; i < before.size(); i++) {
            KnownMessages.checkSame(all.get(i), before.get(i));
        }
    }
}
