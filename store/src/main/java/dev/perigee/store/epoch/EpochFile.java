package dev.perigee.store.epoch;

import dev.perigee.loop.Immutable;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The file that keeps the table of epochs of a log up to a checkpoint, so that a start need not look at what lies before. A
 * cache: whatever is wrong with it makes it absent.
 *
 * <pre>
 * 0       8        16            24      28                                     28+20n
 * | magic | log id | covered to  | n     | n times: number 4, id 8, start 8     | CRC-32C of all before 4 |
 * </pre>
 *
 * <p>Replaced whole, so that there is always a whole one or none.
 *
 * @param logId the log it speaks of
 * @param coveredTo the epochs of all bytes below are in it (exclusive)
 */
@Immutable
public record EpochFile(long logId, long coveredTo, EpochTable epochs) {
    /** Its name, beside the log's folder. */
    public static final String FILE = "epochs";

    private static final long MAGIC = 0x5045_5249_4550_4f31L; // PERIEPO1
    private static final int COUNT_AT = 24;
    private static final int ENTRIES_AT = 28;
    private static final int ENTRY_BYTES = 20;
    private static final int CRC_BYTES = 4;
    /** More are not read: a log with a new epoch every second would take half a year to have them. */
    private static final int MAX_EPOCHS = 1 << 24;

    /** Replaces the file, durably. Blocks. */
    public void write(Disk disk) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(ENTRIES_AT + epochs.epochs().size() * ENTRY_BYTES + CRC_BYTES);
        bytes.putLong(MAGIC).putLong(logId).putLong(coveredTo);
        bytes.putInt(epochs.epochs().size());
        for (Epoch epoch : epochs.epochs()) {
            bytes.putInt(epoch.number()).putLong(epoch.id()).putLong(epoch.startOffset());
        }
        bytes.putInt(crc(bytes, bytes.position())).flip();
        disk.replace(FILE, bytes);
    }

    /**
     * Reads the file. Blocks.
     *
     * @return empty when there is none, or it is damaged
     * @throws IOException when the disk cannot be read
     */
    public static Optional<EpochFile> read(Disk disk) throws IOException {
        if (!disk.exists(FILE)) {
            return Optional.empty();
        }
        try (DiskFile file = disk.openRead(FILE)) {
            long size = file.size();
            if (size < ENTRIES_AT + CRC_BYTES || size > ENTRIES_AT + (long) MAX_EPOCHS * ENTRY_BYTES + CRC_BYTES) {
                return Optional.empty();
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) size);
            file.read(bytes, 0);
            return parse(bytes.flip());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static Optional<EpochFile> parse(ByteBuffer bytes) {
        int crcAt = bytes.limit() - CRC_BYTES;
        int count = crcAt < ENTRIES_AT ? -1 : bytes.getInt(COUNT_AT);
        if (count != (crcAt - ENTRIES_AT) / ENTRY_BYTES
                || count * ENTRY_BYTES != crcAt - ENTRIES_AT
                || bytes.getInt(crcAt) != crc(bytes, crcAt)
                || bytes.getLong() != MAGIC) {
            return Optional.empty();
        }
        long logId = bytes.getLong();
        long coveredTo = bytes.getLong();
        bytes.position(ENTRIES_AT);
        List<Epoch> epochs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            epochs.add(new Epoch(bytes.getInt(), bytes.getLong(), bytes.getLong()));
        }
        try {
            return Optional.of(new EpochFile(logId, coveredTo, EpochTable.of(epochs)));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // out of order: never written so
        }
    }

    private static int crc(ByteBuffer bytes, int end) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().clear().limit(end));
        return (int) crc.getValue();
    }

    /** Removes the file: the next start makes the table anew from the log. Durable with the next sync of the folder. */
    public static void delete(Disk disk) throws IOException {
        disk.delete(FILE);
        disk.delete(FILE + Disk.DRAFT_SUFFIX);
    }
}
