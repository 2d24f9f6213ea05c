package dev.perigee.store.log;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.disk.Disk;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The segments that are no longer part of the log and whose files may still be borrowed. There are as many as the log had
 * segments at most.
 */
@ThreadSafe
final class TrimmedSegments {
    private final Disk disk;
    private final Queue<LogSegment> waiting = new ConcurrentLinkedQueue<>();

    TrimmedSegments(Disk disk) {
        this.disk = disk;
    }

    /** One more, later in the log than those before. */
    void add(LogSegment segment) {
        waiting.add(segment);
    }

    /**
     * Deletes the files nobody borrows any more, oldest first so that the rest stays consecutive on the disk. Preparer only.
     *
     * @return how many still wait for their borrowers
     */
    int deleteFree() throws IOException {
        LogSegment first = waiting.peek();
        while (first != null && first.abandoned()) {
            first.delete();
            disk.syncFolder(LogStorage.FOLDER); // one by one, or a power loss could leave a gap
            waiting.remove();
            first = waiting.peek();
        }
        return waiting.size();
    }
}
