package dev.perigee.replica.follow;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.tail.HeadFacts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Keeps the highest confirm offset that a replica was told (R10): below it the replica gives up nothing by itself. Replaced
 * whole, so that a crash leaves the one before or the one after.
 *
 * <pre>
 * | magic 8 | log id 8 | confirm offset 8 | epoch of the byte before it 8 | its id 8 | crc32c of the 40 bytes before 8 |
 * </pre>
 */
@OwnedBy("preparer")
public final class ConfirmedFile {
    /** The file, beside the log's folder. */
    static final String FILE = "confirmed";

    private static final long MAGIC = 0x5045_5249_434e_4632L; // PERICNF2
    private static final int CRC_AT = 5 * Long.BYTES;
    private static final int BYTES = CRC_AT + Long.BYTES;

    /** Only the log's name is asked for. */
    private static final int ANY_SEGMENT_BYTES = 1 << 20;

    private final Disk disk;

    /** In the folder of a broker. */
    public ConfirmedFile(Disk disk) {
        this.disk = disk;
    }

    /**
     * How far the log in a folder was confirmed, as it was kept. Blocks.
     *
     * @throws IOException when the folder cannot be read, or what was kept is damaged
     */
    public static Confirmed confirmedIn(Disk disk) throws IOException {
        long logId = HeadFacts.read(disk, ANY_SEGMENT_BYTES).logId();
        return logId == 0 ? Confirmed.NOTHING : new ConfirmedFile(disk).read(logId);
    }

    /**
     * What was kept of a log. Blocks.
     *
     * @param logId the log's name; what was kept of another log counts nothing
     * @throws IOException also when the file is damaged: nothing says then what must not be cut
     */
    Confirmed read(long logId) throws IOException {
        if (!disk.exists(FILE)) {
            return Confirmed.NOTHING;
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
        bytes.position(Long.BYTES);
        return bytes.getLong() == logId
                ? new Confirmed(bytes.getLong(), (int) bytes.getLong(), bytes.getLong())
                : Confirmed.NOTHING;
    }

    /** Keeps it, durably before this returns. Blocks. */
    public void write(long logId, Confirmed confirmed) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        bytes.putLong(MAGIC).putLong(logId);
        bytes.putLong(confirmed.offset()).putLong(confirmed.epoch()).putLong(confirmed.epochId());
        bytes.putLong(checksum(bytes)).flip();
        disk.replace(FILE, bytes);
    }

    private static long checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().clear().limit(CRC_AT));
        return crc.getValue();
    }
}
