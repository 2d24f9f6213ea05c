package dev.perigee.faults.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.history.Availability.Span;
import dev.perigee.faults.history.Operation.Led;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ElectionsTest {
    private final Elections elections = new Elections(List.of(
            new Led("n0", 1, "n0", 10),
            new Led("n1", 1, "n0", 110),
            new Led("n1", 3, "n1", 120),
            new Led("n2", 4, "n2", 310),
            new Led("n0", 4, "n2", 390)));

    @Test
    void aTermCountsOnceWhenItIsFirstHeardOf() {
        assertThat(elections.count()).isEqualTo(3);
        assertThat(elections.in(new Span(100, 200))).isEqualTo(1);
        assertThat(elections.in(new Span(350, 400))).isZero();
    }

    @Test
    void thoseThatNoFaultCanHaveCausedAreOutsideOfAllSpans() {
        assertThat(elections.outside(new Span(50, 400), List.of(new Span(100, 200), new Span(380, 400))))
                .isEqualTo(1);
    }
}
