package dev.perigee.client.admin;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageQueue;

/**
 * The dead letters of one group on one broker.
 *
 * @param minOffset offset of the oldest entry there is
 * @param endOffset offset the next entry gets
 * @param oldestMs when the oldest was stored, milliseconds since 1970; −1 when there is none
 * @param newestMs when the newest was stored; −1 when there is none
 */
@Immutable
public record DeadLetterQueue(
        String group, MessageQueue queue, long minOffset, long endOffset, long oldestMs, long newestMs) {
    /** How many entries there are. */
    public long count() {
        return endOffset - minOffset;
    }
}
