package dev.perigee.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class QuorumTest {
    @Test
    void anyTwoMajoritiesShareAVoter() {
        for (int voters = 1; voters <= 32; voters++) {
            assertThat(2 * Quorum.of(voters)).as("%d voters", voters).isGreaterThan(voters);
            assertThat(2 * (Quorum.of(voters) - 1)).as("%d voters", voters).isLessThanOrEqualTo(voters);
        }
    }

    /** Against the words of the paper: the largest offset such that a majority is at it or beyond. */
    @Test
    void whatIsReachedIsTheLargestOffsetThatAMajorityHolds() {
        SplittableRandom chance = new SplittableRandom(7);
        for (int round = 0; round < 5_000; round++) {
            long[] held = chance.longs(1 + chance.nextInt(9), 0, 20).toArray();
            long expected = -1;
            for (long offset = 0; offset < 20; offset++) {
                long at = offset;
                long holders = Arrays.stream(held).filter(end -> end >= at).count();
                expected = 2 * holders > held.length ? offset : expected;
            }
            assertThat(Quorum.reached(held)).as(Arrays.toString(held)).isEqualTo(expected);
        }
    }

    @Test
    void countingLeavesTheOffsetsAsTheyAre() {
        long[] held = {5, 1, 3};

        assertThat(Quorum.reached(held)).isEqualTo(3);
        assertThat(held).containsExactly(5, 1, 3);
    }
}
