package dev.perigee.client.admin;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageQueue;
import java.util.OptionalLong;

/**
 * Where a group's position in a queue is and where it is to go.
 *
 * @param from the position now; empty when the group has none
 * @param to the position wanted
 * @param minOffset first offset of the queue
 * @param endOffset offset the next message gets
 */
@Immutable
public record OffsetMove(MessageQueue queue, OptionalLong from, long to, long minOffset, long endOffset) {
    /**
     * Messages that will not be consumed because the position goes forward over them. A group without a position may begin with the
     * first message, so what lies before the position wanted counts as skipped.
     */
    public long skips() {
        return Math.max(0, to - Math.max(from.orElse(minOffset), minOffset));
    }

    /** Messages that will be consumed once more. */
    public long repeats() {
        return from.isPresent() ? Math.max(0, from.getAsLong() - to) : 0;
    }

    /** Whether the queue can be read at the position wanted. */
    public boolean isWithinQueue() {
        return to >= minOffset && to <= endOffset;
    }
}
