package dev.perigee.client.query;

import dev.perigee.loop.Immutable;

/**
 * Which messages of each queue are browsed: those that lie in both ranges.
 *
 * @param fromOffset first offset (inclusive)
 * @param endOffset last offset (exclusive)
 * @param beginMs earliest store time (inclusive), milliseconds since 1970
 * @param endMs latest store time (inclusive)
 */
@Immutable
public record BrowseRange(long fromOffset, long endOffset, long beginMs, long endMs) {
    /** Everything that is there when the browsing of a queue begins. */
    public static final BrowseRange ALL = new BrowseRange(0, Long.MAX_VALUE, 0, Long.MAX_VALUE);

    public BrowseRange {
        if (fromOffset < 0 || fromOffset > endOffset) {
            throw new IllegalArgumentException(
                    "fromOffset=" + fromOffset + " endOffset=" + endOffset + ", must be from 0 on and in this order");
        }
        if (beginMs < 0 || beginMs > endMs) {
            throw new IllegalArgumentException(
                    "beginMs=" + beginMs + " endMs=" + endMs + ", must be from 0 on and in this order");
        }
    }

    /** Messages by their place in each queue. */
    public static BrowseRange offsets(long fromOffset, long endOffset) {
        return new BrowseRange(fromOffset, endOffset, 0, Long.MAX_VALUE);
    }

    /** Messages by their store time. */
    public static BrowseRange times(long beginMs, long endMs) {
        return new BrowseRange(0, Long.MAX_VALUE, beginMs, endMs);
    }
}
