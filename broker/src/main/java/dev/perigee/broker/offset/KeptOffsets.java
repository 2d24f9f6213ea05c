package dev.perigee.broker.offset;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.stats.ReplicaOffsets;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code kept-offsets} beside the log's folder: what consumers committed to a slave and its master has not got, so that a
 * restart of the slave takes none of it back. Replaced whole.
 *
 * <pre>
 * | magic 8 "PERIOFF1" | crc32c of the JSON 8 | JSON, see {@link ReplicaOffsets} |
 * </pre>
 *
 * A file that cannot be read is left aside with a warning: consumers then begin some messages too early.
 */
@OwnedBy("preparer")
public final class KeptOffsets {
    /** The file. */
    public static final String FILE = "kept-offsets";

    private static final long MAGIC = 0x504552494f464631L;
    private static final int HEAD_BYTES = 2 * Long.BYTES;
    private static final int MAX_BYTES = 256 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(KeptOffsets.class);

    private final Disk disk;

    public KeptOffsets(Disk disk) {
        this.disk = disk;
    }

    /** What was kept; nothing when there is no file, or none that can be read. Blocks; before the loops run. */
    public List<QueueCommit> read() throws IOException {
        if (!disk.exists(FILE)) {
            return List.of();
        }
        try (DiskFile file = disk.openRead(FILE)) {
            int size = (int) Math.min(MAX_BYTES, file.size());
            ByteBuffer bytes = ByteBuffer.allocate(size);
            file.read(bytes, 0);
            bytes.flip();
            if (bytes.remaining() >= HEAD_BYTES && bytes.getLong() == MAGIC) {
                long sum = bytes.getLong();
                byte[] json = new byte[bytes.remaining()];
                bytes.get(json);
                if (sum == sum(json)) {
                    return Json.read(json, ReplicaOffsets.class).entries();
                }
            }
        } catch (BadBodyException e) {
            LOG.debug("event=kept_offsets_unreadable file={}", FILE, e);
        }
        LOG.warn("event=kept_offsets_unreadable file={} effect=\"consumers may begin too early\"", FILE);
        return List.of();
    }

    /** Keeps these and nothing else. Blocks. */
    void write(List<QueueCommit> entries) throws IOException {
        if (entries.isEmpty()) {
            disk.delete(FILE);
            disk.syncFolder("");
            return;
        }
        byte[] json = Json.write(new ReplicaOffsets(entries));
        ByteBuffer bytes = ByteBuffer.allocate(HEAD_BYTES + json.length);
        bytes.putLong(MAGIC).putLong(sum(json)).put(json).flip();
        disk.replace(FILE, bytes);
    }

    private static long sum(byte[] json) {
        CRC32C crc = new CRC32C();
        crc.update(json);
        return crc.getValue();
    }
}
