package dev.perigee.faults.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.fault.Partition.Deaf;
import dev.perigee.faults.fault.Partition.Shape;
import org.junit.jupiter.api.Test;

final class PartitionTest {
    @Test
    void oneAloneHearsNobodyAndIsNotHeard() {
        assertThat(Shape.ALONE.of(3, 1))
                .containsExactly(new Deaf(0, 1), new Deaf(1, 0), new Deaf(1, 2), new Deaf(2, 1));
    }

    @Test
    void halvesAreAMajorityAndTheRest() {
        assertThat(Shape.HALVES.of(3, 2)).isEqualTo(Shape.ALONE.of(3, 2));
        assertThat(Shape.HALVES.of(5, 4))
                .hasSize(2 * 2 * 3)
                .contains(new Deaf(4, 1), new Deaf(0, 1), new Deaf(3, 0))
                .doesNotContain(new Deaf(4, 0), new Deaf(0, 4), new Deaf(1, 2));
        assertThat(Shape.HALVES.of(2, 0)).containsExactly(new Deaf(0, 1), new Deaf(1, 0));
    }

    @Test
    void oneWayIsOneWay() {
        assertThat(Shape.DEAF.of(3, 0)).containsExactly(new Deaf(0, 1), new Deaf(0, 2));
        assertThat(Shape.MUTE.of(3, 0)).containsExactly(new Deaf(1, 0), new Deaf(2, 0));
    }

    @Test
    void inARingEveryNodeHearsItsTwoNeighbours() {
        assertThat(Shape.RING.of(5, 0))
                .hasSize(5 * 2)
                .contains(new Deaf(0, 2), new Deaf(0, 3))
                .doesNotContain(new Deaf(0, 1), new Deaf(0, 4));
        assertThat(Shape.RING.of(3, 0)).isEmpty();
    }

    @Test
    void inAChainTheEndsHearOneNeighbourOnly() {
        assertThat(Shape.CHAIN.of(3, 1)).containsExactly(new Deaf(0, 1), new Deaf(1, 0));
        assertThat(Shape.CHAIN.of(5, 0)).hasSize(2 * 6).contains(new Deaf(0, 4), new Deaf(4, 0), new Deaf(0, 2));
        assertThat(Shape.CHAIN.of(2, 0)).isEmpty();
    }
}
