package dev.perigee.store.index;

import dev.perigee.loop.Immutable;

/**
 * What part of the log and of time the entries of a file cover.
 *
 * @param beginMs store time of the first entry
 * @param endMs store time of the last entry
 * @param beginOffset place of the frame of the first entry
 * @param endOffset place of the frame of the last entry
 */
@Immutable
record IndexRange(long beginMs, long endMs, long beginOffset, long endOffset) {
    static final IndexRange EMPTY = new IndexRange(0, 0, 0, 0);

    private static final long MS_PER_SECOND = 1000;

    IndexRange from(long offset, long timeMs) {
        return new IndexRange(timeMs, timeMs, offset, offset);
    }

    IndexRange to(long offset, long timeMs) {
        return new IndexRange(beginMs, timeMs, beginOffset, offset);
    }

    int secondsAt(long timeMs) {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(0, (timeMs - beginMs) / MS_PER_SECOND));
    }

    /** The earliest time an entry with these seconds may have. */
    long earliestMs(int seconds) {
        return beginMs + seconds * MS_PER_SECOND;
    }

    /** The latest time an entry with these seconds may have. */
    long latestMs(int seconds) {
        return seconds == Integer.MAX_VALUE ? Long.MAX_VALUE : earliestMs(seconds) + MS_PER_SECOND - 1;
    }
}
