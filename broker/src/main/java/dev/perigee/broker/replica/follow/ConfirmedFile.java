package dev.perigee.broker.replica.follow;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Keeps the highest confirm offset that a replica was told (R10): below it the replica gives up nothing by itself. Replaced
 * whole, so that a crash leaves the one before or the one after.
 *
 * <pre>
 * | magic 8 | log id 8 | confirm offset 8 | crc32c of the 24 bytes before 8 |
 * </pre>
 */
@OwnedBy("preparer")
final class ConfirmedFile {
    /** The file, beside the log's folder. */
    static final String FILE = "confirmed";

    private static final long MAGIC = 0x5045_5249_434e_4631L; // PERICNF1
    private static final int CRC_AT = 3 * Long.BYTES;
    private static final int BYTES = CRC_AT + Long.BYTES;

    private final Disk disk;

    ConfirmedFile(Disk disk) {
        this.disk = disk;
    }

    /**
     * What was kept of a log. Blocks.
     *
     * @param logId the log's name; what was kept of another log counts nothing
     * @return 0 when nothing was
     * @throws IOException also when the file is damaged: nothing says then what must not be cut
     */
    long read(long logId) throws IOException {
        if (!disk.exists(FILE)) {
            return 0;
        }
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        try (DiskFile file = disk.openRead(FILE)) {
            int count = file.read(bytes, 0);
            if (count < BYTES || bytes.getLong(0) != MAGIC || bytes.getLong(CRC_AT) != checksum(bytes)) {
                throw new IOException(
                        "file " + FILE + " is damaged: it says up to where this replica's log was confirmed, and "
                                + "what is confirmed must not be cut; delete it only if the master is known to have everything");
            }
        }
        return bytes.getLong(Long.BYTES) == logId ? bytes.getLong(2 * Long.BYTES) : 0;
    }

    /** Keeps an offset, durably before this returns. Blocks. */
    void write(long logId, long confirmOffset) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        bytes.putLong(MAGIC).putLong(logId).putLong(confirmOffset);
        bytes.putLong(checksum(bytes)).flip();
        disk.replace(FILE, bytes);
    }

    private static long checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().clear().limit(CRC_AT));
        return crc.getValue();
    }
}
