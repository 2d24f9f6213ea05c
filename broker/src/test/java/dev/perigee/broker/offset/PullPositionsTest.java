package dev.perigee.broker.offset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class PullPositionsTest {
    private final PullPositions positions = new PullPositions(2);

    @Test
    void theLastPullCountsAlsoWhenItIsBelowAnEarlierOne() {
        positions.pulled("g", "T", 0, 10, "c");
        positions.pulled("g", "T", 0, 4, "c");
        assertThat(positions.of("g", "T", 0)).isEqualTo(4);
        assertThat(positions.of("g", "T", 1)).isEqualTo(-1);
    }

    @Test
    void theLastReaderIsTheOneThatPulledLastAlsoFromTheSamePlace() {
        positions.pulled("g", "T", 0, 10, "one");
        positions.pulled("g", "T", 0, 10, "other");
        assertThat(positions.lastReader("g", "T", 0)).isEqualTo("other");
        positions.pulled("g", "T", 0, 10, null);
        assertThat(positions.lastReader("g", "T", 0)).isNull();
    }

    @Test
    void whoAsksOrCommitsIsTheMoverAndWhoPullsIsNot() {
        positions.pulled("g", "T", 0, 10, "one");
        assertThat(positions.mover("g", "T", 0)).isNull();
        positions.moved("g", "T", 0, "one");
        positions.pulled("g", "T", 0, 12, "other");
        assertThat(positions.mover("g", "T", 0)).isEqualTo("one");
        positions.asked("g", "T", 0, "other");
        assertThat(positions.mover("g", "T", 0)).isEqualTo("other");
        assertThat(positions.lastReader("g", "T", 0)).isEqualTo("other");
        assertThat(positions.of("g", "T", 0)).isEqualTo(12);
        positions.moved("g", "T", 1, "one");
        assertThat(positions.of("g", "T", 1)).isEqualTo(-1);
        assertThat(positions.lastReader("g", "T", 1)).isNull();
    }

    @Test
    void whoReadsAgainFromAnOffsetHasPulledThereSinceItIsTheLastReader() {
        positions.pulled("g", "T", 0, 3, "one");
        positions.pulled("g", "T", 0, 9, "one");
        assertThat(positions.hasReadAgain("g", "T", 0, 3, "one")).isTrue();
        assertThat(positions.hasReadAgain("g", "T", 0, 2, "one")).isFalse();
        assertThat(positions.hasReadAgain("g", "T", 0, 9, "other")).isFalse();
        positions.pulled("g", "T", 0, 7, "other");
        positions.pulled("g", "T", 0, 9, "one");
        assertThat(positions.hasReadAgain("g", "T", 0, 3, "one")).isFalse();
    }

    @Test
    void beyondTheLimitNothingNewIsRemembered() {
        positions.pulled("g", "T", 0, 1, "c");
        positions.pulled("g", "T", 1, 1, "c");
        positions.pulled("g", "T", 2, 1, "c");
        positions.pulled("g", "T", 1, 9, "c");
        assertThat(positions.of("g", "T", 2)).isEqualTo(-1);
        assertThat(positions.isBeyondLimit("g", "T", 2)).isTrue();
        assertThat(positions.isBeyondLimit("g", "T", 1)).isFalse();
        assertThat(positions.of("g", "T", 1)).isEqualTo(9);
    }

    @Test
    void whatIsGoneIsForgotten() {
        positions.pulled("g", "T", 0, 1, "c");
        positions.pulled("h", "U", 0, 1, "c");
        positions.forgetTopic("T");
        positions.forgetGroup("h");
        assertThat(positions.of("g", "T", 0)).isEqualTo(-1);
        assertThat(positions.of("h", "U", 0)).isEqualTo(-1);
    }

    @Test
    void whoWasOvertakenKnowsNothingUntilItAsksOrGetsThere() {
        positions.moved("g", "T", 0, "one");
        positions.strangers("g", "T", 0, known -> known.readBy("192.0.2.1:1"));
        assertThat(strangers()).isEqualTo(new Strangers("192.0.2.1:1", List.of(), null));

        positions.movedElsewhere("g", "T", 0);
        positions.movedElsewhere("g", "T", 0);
        assertThat(positions.mover("g", "T", 0)).isNotNull().isNotEqualTo("one");
        assertThat(strangers()).isEqualTo(new Strangers(null, List.of(), "192.0.2.1:1"));

        positions.strangers("g", "T", 0, known -> known.movedBy("192.0.2.2:2"));
        assertThat(strangers()).isEqualTo(new Strangers("192.0.2.2:2", List.of("192.0.2.2:2"), "192.0.2.1:1"));
        positions.strangers("g", "T", 0, known -> known.askedBy("192.0.2.1:1"));
        assertThat(strangers()).isEqualTo(new Strangers("192.0.2.2:2", List.of("192.0.2.2:2", "192.0.2.1:1"), null));
        positions.asked("g", "T", 0, "one");
        assertThat(positions.mover("g", "T", 0)).isEqualTo("one");
    }

    private Strangers strangers() {
        return positions.strangers("g", "T", 0);
    }

    @Test
    void aLeadershipThatBeginsKnowsOfNobody() {
        positions.moved("g", "T", 0, "one");
        positions.beginAnew(7);
        assertThat(positions.mover("g", "T", 0)).isNull();
        assertThat(positions.sinceMs()).isEqualTo(7);
    }

    @Test
    void ofThoseThatKnowWhereAGroupStandsTheLastFewAreRemembered() {
        for (int i = 0; i <= Strangers.MAX_KNOWING; i++) {
            String address = "192.0.2.1:" + i;
            positions.strangers("g", "T", 0, known -> known.askedBy(address));
        }
        assertThat(strangers().isKnowing("192.0.2.1:0")).isFalse();
        assertThat(strangers().isKnowing("192.0.2.1:1")).isTrue();
        assertThat(strangers().knowing()).hasSize(Strangers.MAX_KNOWING).endsWith("192.0.2.1:" + Strangers.MAX_KNOWING);
    }
}
