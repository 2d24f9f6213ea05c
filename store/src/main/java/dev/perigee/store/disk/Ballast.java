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

    /** Room for the largest unit ({@code StoreConfig.MAX_UNIT_BYTES}), which is not larger in larger segments, and for what is staged. */
    private static final int MAX_BYTES = 16 << 20;
    /** No unit has more than five such parts of a segment. */
    private static final int SEGMENT_PARTS = 8;

    private static final int UNIT_PARTS = 5;
    /** What may be staged before a unit is written by itself: more than that. */
    private static final int STAGED_BYTES = 1 << 20;

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
    private volatile int sizeBytes;
    private volatile State state;
    private volatile Runnable onSpent = () -> {};
    /** How often the file was deleted; with the state, written under this lock, so that what was deleted is not taken for made. */
    private volatile int deletions;

    private int filledBytes;
    private int deletionsBeforeFilled;

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
        absent(size, freeBytes, wantedBytes);
        return new Ballast(disk, size, State.SPENT);
    }

    private static void absent(int bytes, long freeBytes, long wantedBytes) {
        LOG.error(
                "event=ballast_absent bytes={} freeBytes={} wantedBytes={}"
                        + " effect=nothing_is_appended_until_space_returns",
                bytes,
                freeBytes,
                wantedBytes);
    }

    /** Its size: enough for what is staged and the largest unit behind it, also that of a replica. */
    static int sizeBytes(int segmentSizeBytes) {
        int unitBytes = Math.min(MAX_BYTES, segmentSizeBytes / SEGMENT_PARTS * UNIT_PARTS);
        int bytes = Math.min(MAX_BYTES, unitBytes + Math.min(segmentSizeBytes, STAGED_BYTES));
        return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }

    /**
     * The empty log has taken over segments of another size: it is to have the size for those. Until then what is there is given up as well
     * where it is needed. Log loop only.
     */
    public synchronized void fit(int segmentSizeBytes) {
        int fitting = sizeBytes(segmentSizeBytes);
        if (fitting != sizeBytes) {
            sizeBytes = fitting;
            state = state == State.HELD ? State.MISSING : state;
        }
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
        if (disk.freeBytes() >= sizeBytes || !disk.exists(FILE)) {
            return false;
        }
        disk.delete(FILE);
        spend();
        LOG.error(
                "event=ballast_spent bytes={} effect=nothing_is_appended_until_space_returns reason=\"{}\"",
                sizeBytes,
                failure.getMessage());
        onSpent.run();
        return true;
    }

    private synchronized void spend() {
        deletions++;
        state = State.SPENT;
    }

    /** Whether it is not there whole. Preparer only, as is the rest. */
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

    /**
     * Where it is missing and there is no room for it any more, it counts as given up: a write that fails would end the broker.
     *
     * @return whether it does, from now on
     */
    public synchronized boolean giveUpMissing(DiskSpace space) {
        if (state != State.MISSING || hasRoom(space.freeBytes())) {
            return false;
        }
        state = State.SPENT;
        absent(sizeBytes, space.freeBytes(), wantedBytes());
        return true;
    }

    /** Makes a part of it, if there is room for it still. Blocks for a few milliseconds. */
    public void step() throws IOException {
        int before = deletions;
        if (before != deletionsBeforeFilled) {
            deletionsBeforeFilled = before;
            filledBytes = 0;
        }
        if (!hasRoom(disk.freeBytes())) {
            return; // what it gave up just now is for the log
        }
        int size = sizeBytes;
        try (DiskFile file = disk.open(FILE)) {
            int end = Math.min(size, filledBytes + STEP_BYTES);
            ByteBuffer zeros = ByteBuffer.allocate(BLOCK_BYTES);
            while (filledBytes < end) {
                int count = Math.min(BLOCK_BYTES, end - filledBytes);
                file.write(zeros.clear().limit(count), filledBytes);
                filledBytes += count;
            }
            if (filledBytes < size) {
                return;
            }
            if (file.size() > size) {
                file.resize(size);
            }
            file.force();
        }
        filledBytes = 0;
        made(size, before);
    }

    /** Not when it was deleted meanwhile, or is to have another size since. */
    private synchronized void made(int size, int deletionsBefore) {
        if (size != sizeBytes || deletionsBefore != deletions) {
            return;
        }
        if (state == State.SPENT) {
            LOG.warn("event=ballast_back bytes={}", size);
        }
        state = State.HELD;
    }
}
