package dev.perigee.raft;

import java.util.Arrays;

/** Arithmetic of majorities. Pure. */
final class Quorum {
    private Quorum() {}

    /** How many of so many are a majority. */
    static int of(int voters) {
        return voters / 2 + 1;
    }

    /** The largest offset that a majority has reached (Raft §5.3, figure 2: "a majority of matchIndex[i] ≥ N"). */
    static long reached(long[] offsetOfEachVoter) {
        long[] sorted = offsetOfEachVoter.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length - of(sorted.length)];
    }
}
