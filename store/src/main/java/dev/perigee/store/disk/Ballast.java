package dev.perigee.store.disk;

import dev.perigee.loop.ThreadSafe;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of real blocks beside the log. When a write of the log finds the disk full, whoever filled it, the file goes, the
 * write is done again, and nothing more is taken until there is room for a new one. So a full disk refuses, and does not
 * end, the broker.
 *
 * <p>The log loop gives it up, the preparer makes it; {@link #isSpent} is for any thread.
 */
@ThreadSafe
public final class Ballast {
    /** The file, beside the log's folder. */
    public static final String FILE = "ballast";

    private static final int MAX_BYTES = 16 << 20;
    private static final int SEGMENT_PART = 64;
    /** What one write may have: a staged batch, or a message of the usual largest size. */
    private static final int WRITE_BYTES = 5 << 20;
    /** Of small segments, whose messages are small as well, not more than this part. */
    private static final int MOST_OF_SEGMENT = 4;

    private static final int PAGE_BYTES = 4096;
    private static final int STEP_BYTES = 4 << 20;
    private static final int BLOCK_BYTES = 256 << 10;
    /** It is made only where so many times its size is free: not from the last bytes of others. */
    private static final int ROOM_FACTOR = 4;

    private static final Logger LOG = LoggerFactory.getLogger(Ballast.class);

    private enum State {
        /** Not made yet, but about to be: there is room for it. The log goes on without. */
        MISSING,
        HELD,
        /** Given up, and not made again yet: nothing may be appended. */
        SPENT
    }

    private final Disk disk;
    private final int sizeBytes;
    private volatile State state;
    private volatile Runnable onSpent = () -> {};
    private int filledBytes;

    private Ballast(Disk disk, int sizeBytes, State state) {
        this.disk = disk;
        this.sizeBytes = sizeBytes;
        this.state = state;
    }

    /**
     * Looks whether the file is there, whole. Where it is not, and there is no room to make it, it counts as given up: the
     * run before has spent it, or the disk was full before there was one, and a write that fails would end the broker.
     */
    public static Ballast open(Disk disk, int segmentSizeBytes) throws IOException {
        int size = sizeBytes(segmentSizeBytes);
        boolean whole = false;
        if (disk.exists(FILE)) {
            try (DiskFile file = disk.openRead(FILE)) {
                whole = file.size() == size;
            }
        }
        if (whole) {
            return new Ballast(disk, size, State.HELD);
        }
        long freeBytes = disk.freeBytes();
        long wantedBytes = (long) ROOM_FACTOR * size;
        if (freeBytes >= wantedBytes) {
            return new Ballast(disk, size, State.MISSING);
        }
        LOG.error(
                "event=ballast_absent bytes={} freeBytes={} wantedBytes={}"
                        + " effect=nothing_is_appended_until_space_returns",
                size,
                freeBytes,
                wantedBytes);
        return new Ballast(disk, size, State.SPENT);
    }

    /** Its size: enough for the write under way, also that of a replica that takes in a whole frame, and a small part of a usual segment. */
    static int sizeBytes(int segmentSizeBytes) {
        int part = Math.max(segmentSizeBytes / SEGMENT_PART, Math.min(segmentSizeBytes / MOST_OF_SEGMENT, WRITE_BYTES));
        return Math.min(MAX_BYTES, (part + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    }

    /** Names what is to run when it is given up, on the log loop. Before anything runs. */
    public void onSpent(Runnable listener) {
        onSpent = listener;
    }

    /** Whether it was given up and is not back: nothing may be appended. */
    public boolean isSpent() {
        return state == State.SPENT;
    }

    /** What has to be free for it to be made again, where it was given up; else 0. Any thread. */
    public long wantedBytes() {
        return isSpent() ? (long) ROOM_FACTOR * sizeBytes : 0;
    }

    /**
     * Deletes the file if it is there and the disk is full. Log loop only.
     *
     * @return whether there is more room now, so that the failed write may be done again
     */
    public boolean giveUp(IOException failure) throws IOException {
        if (state != State.HELD || disk.freeBytes() >= sizeBytes) {
            return false;
        }
        disk.delete(FILE);
        state = State.SPENT;
        LOG.error(
                "event=ballast_spent bytes={} effect=nothing_is_appended_until_space_returns reason=\"{}\"",
                sizeBytes,
                failure.getMessage());
        onSpent.run();
        return true;
    }

    /** Whether it is neither there nor in the making. Preparer only, as is the rest. */
    public boolean isMissing() {
        return state != State.HELD;
    }

    /** Whether a step would do something, by what was last known of the disk. */
    public boolean hasWork(DiskSpace space) {
        return isMissing() && hasRoom(space.freeBytes());
    }

    private boolean hasRoom(long freeBytes) {
        return freeBytes + filledBytes >= (long) ROOM_FACTOR * sizeBytes;
    }

    /** Makes a part of it, if there is room for it still. Blocks for a few milliseconds. */
    public void step() throws IOException {
        if (!hasRoom(disk.freeBytes())) {
            return; // what it gave up just now is for the log
        }
        try (DiskFile file = disk.open(FILE)) {
            int end = Math.min(sizeBytes, filledBytes + STEP_BYTES);
            ByteBuffer zeros = ByteBuffer.allocate(BLOCK_BYTES);
            while (filledBytes < end) {
                int count = Math.min(BLOCK_BYTES, end - filledBytes);
                file.write(zeros.clear().limit(count), filledBytes);
                filledBytes += count;
            }
            if (filledBytes < sizeBytes) {
                return;
            }
            if (file.size() > sizeBytes) {
                file.resize(sizeBytes);
            }
            file.force();
        }
        filledBytes = 0;
        if (state == State.SPENT) {
            LOG.warn("event=ballast_back bytes={}", sizeBytes);
        }
        state = State.HELD;
    }
}
