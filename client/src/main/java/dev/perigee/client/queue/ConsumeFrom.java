package dev.perigee.client.queue;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.group.ConsumeFromWhere;

/**
 * Where a group starts in a queue it has no position in.
 *
 * @param kind what counts
 * @param timestampMs for {@link Kind#TIMESTAMP}, milliseconds since 1970; 0 otherwise
 */
@Immutable
public record ConsumeFrom(Kind kind, long timestampMs) {
    /** What counts. */
    public enum Kind {
        LAST_OFFSET,
        FIRST_OFFSET,
        TIMESTAMP
    }

    public ConsumeFrom {
        if (timestampMs < 0) {
            throw new IllegalArgumentException("timestampMs=" + timestampMs + ", must not be below 0");
        }
    }

    /** At the end: only messages sent after the group first appeared. The default. */
    public static ConsumeFrom lastOffset() {
        return new ConsumeFrom(Kind.LAST_OFFSET, 0);
    }

    /** At the first message there is. */
    public static ConsumeFrom firstOffset() {
        return new ConsumeFrom(Kind.FIRST_OFFSET, 0);
    }

    /** At the first message stored at that time or later, milliseconds since 1970. */
    public static ConsumeFrom timestamp(long timestampMs) {
        return new ConsumeFrom(Kind.TIMESTAMP, timestampMs);
    }

    /** What the heartbeat says. */
    public ConsumeFromWhere onTheWire() {
        return switch (kind) {
            case LAST_OFFSET -> ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET;
            case FIRST_OFFSET -> ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET;
            case TIMESTAMP -> ConsumeFromWhere.CONSUME_FROM_TIMESTAMP;
        };
    }
}
