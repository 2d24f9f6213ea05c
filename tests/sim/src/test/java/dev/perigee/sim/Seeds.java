package dev.perigee.sim;

import java.util.stream.LongStream;

/** Which seeds are run. */
final class Seeds {
    private static final String ONE_SEED = "sim.seed";

    private Seeds() {}

    /** So many seeds beginning with the first; only the one asked for by {@code -Dsim.seed=N} when there is one. */
    static LongStream from(long first, long count) {
        Long asked = Long.getLong(ONE_SEED);
        return asked != null ? LongStream.of(asked) : LongStream.range(first, first + count);
    }
}
