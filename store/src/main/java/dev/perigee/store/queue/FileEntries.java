package dev.perigee.store.queue;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.queue.ConsumeQueue.Holes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The entries of one queue that are in its files, of which the one that was read last stays mapped. */
@ThreadSafe
final class FileEntries {
    private record Mapped(long index, ByteBuffer bytes) {}

    private final ConsumeQueue queue;
    private final QueueTails tails;
    private volatile @Nullable Mapped last;

    FileEntries(ConsumeQueue queue, QueueTails tails) {
        this.queue = queue;
        this.tails = tails;
    }

    /** Whether these entries lie in the file mapped last, and are loaded. Opens nothing. */
    boolean isLoaded(long from, long end) {
        int perFile = tails.config().entriesPerFile();
        Mapped known = last;
        int at = (int) (from % perFile);
        int count = (int) (end - from);
        return known != null
                && known.index() == from / perFile
                && at + count <= perFile
                && DiskFile.isLoaded(known.bytes().slice(at * QueueEntry.SIZE_BYTES, count * QueueEntry.SIZE_BYTES));
    }

    /**
     * Shows entries to a visitor, as {@link EntryBlock#show}, to the end of their file at most. May wait for the disk.
     *
     * @throws IllegalStateException at an entry that its file has lost, unless such are passed over
     */
    long show(long from, long end, Holes holes, EntryVisitor visitor) {
        int perFile = tails.config().entriesPerFile();
        ByteBuffer bytes = mapped(from / perFile);
        if (bytes == null) {
            return ~from;
        }
        long runEnd = Math.min(end, (from / perFile + 1) * perFile);
        int at = (int) (from % perFile) * QueueEntry.SIZE_BYTES;
        for (long offset = from; offset < runEnd; offset++, at += QueueEntry.SIZE_BYTES) {
            int size = bytes.getInt(at + QueueEntry.SIZE_AT);
            if (size == QueueEntry.NOT_WRITTEN) {
                if (offset < queue.minOffset()) {
                    return ~from; // the queue went on elsewhere under the reader
                }
                if (holes == Holes.FAIL) {
                    throw new IllegalStateException("the file of queue " + queue + " has lost the entry at offset "
                            + offset + "; it is built anew when consumequeue is deleted while the broker is stopped");
                }
            } else if (!visitor.visit(offset, bytes.getLong(at), size, bytes.getLong(at + QueueEntry.TAG_AT))) {
                return ~(offset + 1);
            }
        }
        return runEnd;
    }

    /** The file as a buffer; null when it was trimmed under the reader. */
    private @Nullable ByteBuffer mapped(long index) {
        Mapped known = last;
        if (known != null && known.index() == index) {
            return known.bytes();
        }
        try {
            ByteBuffer bytes = tails.files().map(queue.folder(), index);
            last = new Mapped(index, bytes);
            return bytes;
        } catch (IOException e) {
            if ((index + 1) * tails.config().entriesPerFile() <= queue.minOffset()) {
                return null;
            }
            throw new UncheckedIOException("reading queue " + queue + ", file " + index, e);
        }
    }
}
