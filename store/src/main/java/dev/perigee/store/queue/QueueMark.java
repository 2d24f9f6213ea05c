package dev.perigee.store.queue;

import dev.perigee.loop.Immutable;

/**
 * Where a queue stands, at one moment of the view loop.
 *
 * @param minOffset queue offset of the oldest message
 * @param maxOffset queue offset of the next one
 * @param fileEnd entries below it are in the files
 * @param firstPhysical place in the log of the message at {@code minOffset}; Long.MAX_VALUE without one
 * @param lastPhysical place in the log of the last message the queue got, −1 when unknown
 * @param endsFactOffset place in the log of the fact that says where the queue ends, −1 when none says so
 * @param gaps offsets between the two that stand for no message
 */
@Immutable
record QueueMark(
        long minOffset,
        long maxOffset,
        long fileEnd,
        long firstPhysical,
        long lastPhysical,
        long endsFactOffset,
        QueueGaps gaps) {
    /** The oldest entry of the log without which the next offset of the queue would be lost (R12). */
    long liveOffset() {
        return Math.max(lastPhysical, endsFactOffset);
    }
}
