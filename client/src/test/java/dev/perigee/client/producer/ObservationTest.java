package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.error.FailureSite;
import org.junit.jupiter.api.Test;

/** What observers are told of where a send failed. */
final class ObservationTest {
    @Test
    void theNameOfTheHostIsToldAsItIs() {
        FailureSite asked = new FailureSite("broker-a.eu-west-1:10911", "T", 1, 0);
        assertThat(Observation.addressOf(asked)).isEqualTo("broker-a.eu-west-1:10911");
        assertThat(Observation.addressOf(FailureSite.untried("T", 0))).isEmpty();
    }
}
