package dev.perigee.store.queue;

import dev.perigee.loop.Immutable;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * The stretches of a queue's offsets that stand for no message, ascending. They are not stored anywhere else, so a gap
 * costs 16 bytes however long it is; a queue gets one per loss of a tail.
 */
@Immutable
final class QueueGaps {
    static final QueueGaps NONE = new QueueGaps(new long[0]);

    /** Begin and end (exclusive) in turn. */
    private final long[] bounds;

    private QueueGaps(long[] bounds) {
        this.bounds = bounds;
    }

    /** With one more gap, behind all others. */
    QueueGaps plus(long from, long to) {
        int size = bounds.length;
        if (size > 0 && bounds[size - 1] == from) {
            long[] longer = bounds.clone();
            longer[size - 1] = to;
            return new QueueGaps(longer);
        }
        long[] more = Arrays.copyOf(bounds, size + 2);
        more[size] = from;
        more[size + 1] = to;
        return new QueueGaps(more);
    }

    /** Without the gaps that end at or before an offset. */
    QueueGaps behind(long offset) {
        int gone = 0;
        while (gone < bounds.length && bounds[gone + 1] <= offset) {
            gone += 2;
        }
        return gone == 0 ? this : new QueueGaps(Arrays.copyOfRange(bounds, gone, bounds.length));
    }

    /** The end of the gap that holds an offset; the offset itself when none does. */
    long endOf(long offset) {
        int at = firstEndingBehind(offset);
        return at < bounds.length && bounds[at] <= offset ? bounds[at + 1] : offset;
    }

    /** Where the first gap behind an offset that lies in none begins; {@link Long#MAX_VALUE} when there is none. */
    long nextStart(long offset) {
        int at = firstEndingBehind(offset);
        return at < bounds.length ? bounds[at] : Long.MAX_VALUE;
    }

    private int firstEndingBehind(long offset) {
        int low = 0;
        int high = bounds.length / 2;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (bounds[2 * middle + 1] > offset) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return 2 * low;
    }

    void write(DataOutput target) throws IOException {
        target.writeInt(bounds.length);
        for (long bound : bounds) {
            target.writeLong(bound);
        }
    }

    static QueueGaps read(DataInput source) throws IOException {
        int size = source.readInt();
        QueueGaps gaps = NONE;
        for (int i = 0; i < size; i += 2) {
            gaps = gaps.plus(source.readLong(), source.readLong());
        }
        return gaps;
    }

    @Override
    public String toString() {
        return Arrays.toString(bounds);
    }
}
