package dev.perigee.broker.transaction;

import dev.perigee.broker.timer.TimerClock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.HalfRef;
import dev.perigee.protocol.fact.HalvesChecked;

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
 * @param askedMs when they were asked last, by that clock; 0 when nobody was, or the log does not say
 */
@Immutable
record Half(
        long birth,
        long offset,
        int sizeBytes,
        long queueOffset,
        long nextCheckMs,
        int checks,
        long acceptedMs,
        long askedMs) {
    /** What a fact says of it; one of a log from before facts said when it was accepted counts from when it was to be checked. */
    static Half of(HalfRef ref) {
        return new Half(
                ref.birth(),
                ref.offset(),
                ref.sizeBytes(),
                ref.queueOffset(),
                ref.nextCheckMs(),
                ref.checks(),
                ref.acceptedMs() == 0 ? ref.nextCheckMs() : ref.acceptedMs(),
                ref.askedMs());
    }

    /** As a fact names it. */
    HalfRef ref() {
        return new HalfRef(birth, offset, sizeBytes, queueOffset, nextCheckMs, checks, acceptedMs, askedMs);
    }

    /** Since when nobody has heard of it: it was accepted then, or its producers were asked last. */
    long quietSinceMs() {
        return Math.max(acceptedMs, askedMs);
    }

    /** After its turn to be asked for. */
    Half checked(HalvesChecked turn) {
        return new Half(
                birth,
                offset,
                sizeBytes,
                queueOffset,
                turn.nextCheckMs(),
                turn.counted() ? checks + 1 : checks,
                acceptedMs,
                turn.counted() ? Math.max(askedMs, turn.atMs()) : askedMs);
    }
}
