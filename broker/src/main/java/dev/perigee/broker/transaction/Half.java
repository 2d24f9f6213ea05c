package dev.perigee.broker.transaction;

import dev.perigee.broker.timer.TimerClock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.HalfRef;

/**
 * An undecided half of a transaction.
 *
 * @param birth where its first frame lay in the log; its name
 * @param offset where its newest copy lies
 * @param sizeBytes the length of that copy's frame
 * @param queueOffset its place in the queue of halves at its birth
 * @param nextCheckMs when its producers are asked next, by the {@link TimerClock}
 * @param checks how often they were asked
 * @param acceptedMs when it was accepted, by that clock
 */
@Immutable
record Half(long birth, long offset, int sizeBytes, long queueOffset, long nextCheckMs, int checks, long acceptedMs) {
    /** What a fact says of it; one of a log from before facts said when it was accepted counts from when it was to be checked. */
    static Half of(HalfRef ref) {
        return new Half(
                ref.birth(),
                ref.offset(),
                ref.sizeBytes(),
                ref.queueOffset(),
                ref.nextCheckMs(),
                ref.checks(),
                ref.acceptedMs() == 0 ? ref.nextCheckMs() : ref.acceptedMs());
    }

    /** As a fact names it. */
    HalfRef ref() {
        return new HalfRef(birth, offset, sizeBytes, queueOffset, nextCheckMs, checks, acceptedMs);
    }

    /** After its turn to be asked for. */
    Half checked(long nextMs, boolean counted) {
        return new Half(birth, offset, sizeBytes, queueOffset, nextMs, counted ? checks + 1 : checks, acceptedMs);
    }
}
