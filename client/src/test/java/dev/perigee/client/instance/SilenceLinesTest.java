package dev.perigee.client.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.ManualClock;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class SilenceLinesTest {
    private final ManualClock clock = new ManualClock();
    private final SilenceLines lines = new SilenceLines(clock);

    @Test
    void aBrokerThatFailsOftenGetsOneLineInAPeriodWhichCountsTheRest() {
        assertThat(lines.failed("a:1")).isEqualTo(1);
        assertThat(lines.failed("a:1")).isZero();
        clock.advanceMs(SilenceLines.PERIOD_MS - 1);
        assertThat(lines.failed("a:1")).isZero();
        clock.advanceMs(1);
        assertThat(lines.failed("a:1")).isEqualTo(3);
        assertThat(lines.failed("a:1")).isZero();
    }

    @Test
    void oneBrokerTakesNoLineFromAnother() {
        assertThat(lines.failed("a:1")).isEqualTo(1);
        assertThat(lines.failed("b:1")).isEqualTo(1);
    }

    @Test
    void aBrokerThatLeftTheRoutesIsForgotten() {
        assertThat(lines.failed("a:1")).isEqualTo(1);
        lines.keepOnly(Set.of("b:1"));
        assertThat(lines.failed("a:1")).isEqualTo(1);
    }
}
