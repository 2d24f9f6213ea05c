package dev.perigee.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import org.junit.jupiter.api.Test;

class ReasonLogTest {
    private long nowMs;
    private final Clock clock = new Clock() {
        @Override
        public long wallMs() {
            return nowMs;
        }

        @Override
        public long monotonicNs() {
            return nowMs * 1_000_000;
        }
    };

    @Test
    void writesAReasonOnceAMinuteAndAnotherOneAtOnce() {
        ReasonLog log = new ReasonLog(clock);
        assertThat(log.isNews("a")).isTrue();
        assertThat(log.isNews("a")).isFalse();
        assertThat(log.isNews("b")).isTrue();
        nowMs = ReasonLog.REPEAT_MS - 1;
        assertThat(log.isNews("b")).isFalse();
        nowMs = ReasonLog.REPEAT_MS;
        assertThat(log.isNews("b")).isTrue();
    }
}
