package dev.perigee.broker.pull;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PullPositionsTest {
    private final PullPositions positions = new PullPositions(2);

    @Test
    void theLastPullCountsAlsoWhenItIsBelowAnEarlierOne() {
        positions.pulled("g", "T", 0, 10);
        positions.pulled("g", "T", 0, 4);
        assertThat(positions.of("g", "T", 0)).isEqualTo(4);
        assertThat(positions.of("g", "T", 1)).isEqualTo(-1);
    }

    @Test
    void beyondTheLimitNothingNewIsRemembered() {
        positions.pulled("g", "T", 0, 1);
        positions.pulled("g", "T", 1, 1);
        positions.pulled("g", "T", 2, 1);
        positions.pulled("g", "T", 1, 9);
        assertThat(positions.of("g", "T", 2)).isEqualTo(-1);
        assertThat(positions.of("g", "T", 1)).isEqualTo(9);
    }

    @Test
    void whatIsGoneIsForgotten() {
        positions.pulled("g", "T", 0, 1);
        positions.pulled("h", "U", 0, 1);
        positions.forgetTopic("T");
        positions.forgetGroup("h");
        assertThat(positions.of("g", "T", 0)).isEqualTo(-1);
        assertThat(positions.of("h", "U", 0)).isEqualTo(-1);
    }
}
