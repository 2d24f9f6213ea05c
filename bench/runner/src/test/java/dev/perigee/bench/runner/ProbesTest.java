package dev.perigee.bench.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ProbesTest {
    private final Probes probes = new Probes();

    private void tell(String... lines) {
        List.of(lines).forEach(probes::add);
    }

    @Test
    void aSendThatBeganBeforeTheFaultIsNotTheFirstAfterIt() {
        tell("OK 990 1005", "OK 1010 2500", "OK 1020 1900", "FAILED 1000 1500 nobody there");

        assertThat(probes.acknowledged(1000)).hasValue(1900);
    }

    @Test
    void nothingIsServedWhileAllFail() {
        tell("OK 900 910", "FAILED 1000 1500 nobody there");

        assertThat(probes.acknowledged(1000)).isEmpty();
        assertThat(probes.failed(1000, 2000)).isEqualTo(1);
        assertThat(probes.firstFailure(1000, 2000)).isEqualTo("nobody there");
    }

    @Test
    void theLongestSilenceIsBetweenTwoAcknowledgementsOrABoundAndOne() {
        tell("OK 995 1010", "OK 1015 1020", "OK 1010 1300", "FAILED 1100 1200 busy", "OK 1390 1400");

        assertThat(probes.longestSilenceMs(1000, 1500)).isEqualTo(280);
        assertThat(probes.longestSilenceMs(1000, 2000)).isEqualTo(600);
        assertThat(probes.failed(1000, 1500)).isEqualTo(1);
    }

    @Test
    void whatIsNoSendIsPassedOver() {
        tell("MARK begin", "", "OK", "FAILED 1 2");

        assertThat(probes.acknowledged(0)).isEmpty();
        assertThat(probes.failed(0, Long.MAX_VALUE)).isZero();
    }
}
