package dev.perigee.client.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.ManualClock;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SendPolicyTest {
    private static final List<MessageQueue> QUEUES = List.of(
            new MessageQueue("T", "a", 0),
            new MessageQueue("T", "a", 1),
            new MessageQueue("T", "b", 0),
            new MessageQueue("T", "b", 1));

    private final ManualClock clock = new ManualClock();
    private final LatencyTable latencies = new LatencyTable(clock);
    private final SendPolicy policy = new SendPolicy(latencies, 0);

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "49, 0",
        "50, 0",
        "549, 0",
        "550, 2000",
        "1799, 2000",
        "1800, 5000",
        "3000, 6000",
        "5000, 10000",
        "14999, 10000",
        "15000, 30000",
        "99999, 30000"
    })
    void latencyClassDecidesHowLongABrokerIsAvoided(long latencyMs, long avoidMs) {
        assertThat(LatencyTable.avoidForMs(latencyMs)).isEqualTo(avoidMs);
    }

    @Test
    void goesRoundAllQueues() {
        assertThat(List.of(choose(""), choose(""), choose(""), choose(""), choose("")))
                .containsExactly(QUEUES.get(0), QUEUES.get(1), QUEUES.get(2), QUEUES.get(3), QUEUES.get(0));
    }

    @Test
    void leavesTheBrokerThatJustFailed() {
        assertThat(choose("a").brokerName()).isEqualTo("b");
        assertThat(choose("b").brokerName()).isEqualTo("a");
    }

    @Test
    void avoidsASlowBrokerUntilItsTimeIsOver() {
        latencies.answered("a", 600);
        for (int i = 0; i < 8; i++) {
            assertThat(choose("").brokerName()).isEqualTo("b");
        }
        clock.advanceMs(2_000);
        assertThat(List.of(choose(""), choose(""), choose("")).stream().map(MessageQueue::brokerName))
                .contains("a");
    }

    @Test
    void prefersAReachableBrokerWhenNoneIsAvailable() {
        latencies.refused("a");
        latencies.failed("b");
        for (int i = 0; i < 8; i++) {
            assertThat(choose("").brokerName()).isEqualTo("b");
        }
    }

    @Test
    void takesSimplyTheNextWhenNobodyIsReachable() {
        latencies.refused("a");
        latencies.refused("b");
        assertThat(List.of(choose("a"), choose("a"), choose("a"), choose("a"))).containsExactlyElementsOf(QUEUES);
    }

    @Test
    void oneGoodAnswerClearsABroker() {
        latencies.refused("a");
        latencies.answered("a", 3);
        assertThat(latencies.isAvailable("a")).isTrue();
        assertThat(latencies.isReachable("a")).isTrue();
    }

    private MessageQueue choose(String failed) {
        return policy.choose(QUEUES, failed);
    }
}
