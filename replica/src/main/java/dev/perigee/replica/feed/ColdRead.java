package dev.perigee.replica.feed;

import dev.perigee.loop.OwnedBy;
import org.jspecify.annotations.Nullable;

/**
 * A piece of the log that has to come from the disk: read on a thread that may wait for it, once, while the feed touches neither
 * the reader nor the bytes. What came of it is for the event loop, which is told by a task of its own.
 */
@OwnedBy("the thread that reads, then the event loop")
final class ColdRead implements Runnable {
    private final UnitReader reader;
    private final FeedSource.Pinned bytes;
    private final long end;
    private final int room;
    private @Nullable FeedPiece piece;
    private @Nullable String failure;

    /** The parameters of {@link UnitReader#read}. */
    ColdRead(UnitReader reader, FeedSource.Pinned bytes, long end, int room) {
        this.reader = reader;
        this.bytes = bytes;
        this.end = end;
        this.room = room;
    }

    @Override
    public void run() {
        try {
            piece = reader.read(bytes, end, room, UnitReader.DiskWait.ALLOWED);
            if (piece == null && reader.stop() == UnitReader.Stop.DAMAGED) {
                failure = reader.damage();
            }
        } catch (RuntimeException | InternalError e) { // the JVM's way to say that a mapped page cannot be read
            failure = "the log cannot be read from offset " + bytes.fromOffset() + " on: " + e;
        }
    }

    /** What was read; null when there is no piece now. */
    @Nullable
    FeedPiece piece() {
        return piece;
    }

    /** Why nothing can be read; null when that is not so. */
    @Nullable
    String failure() {
        return failure;
    }
}
