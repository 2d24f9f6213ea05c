package dev.perigee.namesrv.route;

import dev.perigee.loop.Immutable;

/** What became of a registration. */
public sealed interface Registered {
    /**
     * Taken.
     *
     * @param masterAddr for a slave whose master is live: the master's address; else ""
     * @param masterHaAddr for a slave whose master is live: where to replicate from; else ""
     */
    @Immutable
    record Taken(String masterAddr, String masterHaAddr) implements Registered {}

    /** Another address holds this id with a higher state version; the newcomer gets an empty answer. */
    @Immutable
    record Superseded(String holder) implements Registered {}

    /** An id never seen before announced exactly one topic: that is no table of a broker. */
    @Immutable
    record Refused(String reason) implements Registered {}
}
