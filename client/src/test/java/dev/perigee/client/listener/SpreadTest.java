package dev.perigee.client.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class SpreadTest {
    private static final long SHORT_NS = 1_000;
    private static final long LONG_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Spread spread = new Spread();

    private void calls(int count, long callNs) {
        for (int i = 0; i < count; i++) {
            spread.took(callNs);
        }
    }

    @Test
    void callsNobodyHasSeenYetGetAThreadEach() {
        assertThat(spread.threads(5, 0, 20)).isEqualTo(5);
        assertThat(spread.threads(500, 0, 20)).isEqualTo(20);
        assertThat(spread.threads(0, 0, 20)).isZero();
    }

    @Test
    void shortCallsShareOneThread() {
        calls(10, SHORT_NS);
        assertThat(spread.threads(1, 0, 20)).isEqualTo(1);
        assertThat(spread.threads(400, 0, 20)).isEqualTo(1);
    }

    @Test
    void evenTheShortestCallsAreNotLeftToOneThreadWithoutEnd() {
        calls(10, 0);
        assertThat(spread.threads(Spread.MAX_SHARE, 0, 20)).isEqualTo(1);
        assertThat(spread.threads(3L * Spread.MAX_SHARE, 0, 20)).isEqualTo(3);
    }

    @Test
    void longCallsGetAThreadEach() {
        calls(10, LONG_NS);
        assertThat(spread.threads(7, 0, 20)).isEqualTo(7);
    }

    @Test
    void threadsThatAreInLongCallsAreNotCountedOn() {
        calls(10, LONG_NS);
        assertThat(spread.threads(1, 5, 20)).isEqualTo(6);
        assertThat(spread.threads(3, 19, 20)).isEqualTo(20);
        calls(100, SHORT_NS);
        assertThat(spread.threads(1, 5, 20)).as("short calls are over at once").isEqualTo(1);
    }

    @Test
    void callsThatAreLongNowAndThenDoNotCount() {
        for (int i = 0; i < 100; i++) {
            calls(9, SHORT_NS);
            calls(1, LONG_NS);
        }
        assertThat(spread.threads(100, 0, 20)).isEqualTo(1);
    }

    @Test
    void aListenerThatBecomesSlowIsSpreadWithinItsNextHundredCalls() {
        calls(1_000, SHORT_NS);
        calls(100, LONG_NS);
        assertThat(spread.threads(20, 0, 20)).isEqualTo(20);
        calls(100, SHORT_NS);
        assertThat(spread.threads(20, 0, 20)).isEqualTo(1);
    }
}
