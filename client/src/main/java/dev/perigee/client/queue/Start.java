package dev.perigee.client.queue;

import dev.perigee.loop.Immutable;

/**
 * Where to start in a queue, and why there.
 *
 * @param offset the first offset to read
 * @param origin where it is from
 */
@Immutable
public record Start(long offset, Origin origin) {
    /** Where a start is from. */
    public enum Origin {
        /** Somebody stored it. */
        STORED,
        /** Nothing was stored: the consumer's policy says so, and only storing it makes it last. */
        POLICY
    }
}
