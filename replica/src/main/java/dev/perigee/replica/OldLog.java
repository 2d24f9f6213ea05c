package dev.perigee.replica;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskLock;
import dev.perigee.store.epoch.EpochFile;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.log.SyncedToMark;
import dev.perigee.store.recovery.LogCut;
import dev.perigee.store.view.CheckpointFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a slave that was away for so long that its master's begins behind it: the next start sets it aside, so that the slave fills
 * itself anew, and it is removed when the new one is full (R21). Whatever it holds is before the master's first byte, and so expired.
 */
@OwnedBy("starting thread, then preparer")
public final class OldLog {
    /** The folder it is kept in. */
    public static final String FOLDER = "old-log";

    /** Says that the next start as a slave is to set the log aside, and why. */
    static final String WANTED = "refill-wanted";

    /** Beside the log's folder, what speaks of that log alone; offsets committed to this replica are older than all that the master has. */
    private static final List<String> MARKS = List.of(SyncedToMark.FILE, EpochFile.FILE, "confirmed", "kept-offsets");

    private static final Logger LOG = LoggerFactory.getLogger(OldLog.class);

    private OldLog() {}

    /** Has the next start set the log aside; durable when this returns. Blocks. */
    public static void wantRefill(Disk disk, String reason) throws IOException {
        disk.replace(WANTED, ByteBuffer.wrap((reason + "\n").getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * Of a broker that starts as a master: a log that was too old for its master's is no longer whole, and must not be set aside by a start
     * as a slave once this node has written to it. Blocks.
     *
     * @throws IOException when that is wanted
     */
    public static void requireNotWanted(Disk disk) throws IOException {
        if (disk.exists(WANTED)) {
            throw new IOException(
                    "the log ends before its master's began, and all that the master had was behind it (file " + WANTED
                            + "): a master that began with it would lose that; start this broker as a slave (brokerRole=SLAVE), or delete the file to"
                            + " accept the loss");
        }
    }

    /**
     * Sets the log of a slave aside, where that is wanted; what a crash interrupts the next start goes on with. Blocks; before the store is
     * opened.
     *
     * @param refilling the file that says that the log which is made now is not full
     */
    public static void setAside(Disk disk, String refilling) throws IOException {
        if (!disk.exists(WANTED)) {
            return;
        }
        DiskLock lock = disk.lock(LogCut.LOCK_FILE);
        try {
            LOG.warn("event=old_log_set_aside folder={}", FOLDER);
            disk.replace(
                    refilling, ByteBuffer.wrap("The log before is in old-log.\n".getBytes(StandardCharsets.US_ASCII)));
            CheckpointFile.deleteAll(disk); // they speak of that log, and views are made anew without them
            disk.makeFolder(FOLDER);
            disk.syncFolder("");
            for (String name : disk.list(LogStorage.FOLDER)) {
                disk.rename(LogStorage.FOLDER + "/" + name, FOLDER + "/" + name);
            }
            for (String name : MARKS) {
                if (disk.exists(name)) {
                    disk.rename(name, FOLDER + "/" + name);
                }
            }
            disk.syncFolder(FOLDER);
            disk.syncFolder(LogStorage.FOLDER);
            disk.syncFolder("");
            disk.delete(WANTED);
            disk.syncFolder("");
        } finally {
            lock.close();
        }
    }

    /**
     * Removes one file of it. Blocks a little.
     *
     * @return whether there may be more
     */
    public static boolean removeSome(Disk disk) throws IOException {
        if (!disk.exists(FOLDER)) {
            return false;
        }
        List<String> names = disk.list(FOLDER);
        if (names.isEmpty()) {
            disk.delete(FOLDER);
            disk.syncFolder("");
            LOG.info("event=old_log_removed folder={}", FOLDER);
        } else {
            disk.delete(FOLDER + "/" + names.get(0));
            disk.syncFolder(FOLDER); // the mark that says that it is here goes after it
        }
        return true;
    }
}
