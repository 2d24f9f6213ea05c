package dev.perigee.replica;

import dev.perigee.loop.Immutable;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;

/**
 * The random name of a data folder, made once (R6): a broker whose disk was wiped is another node, whatever its settings say.
 * Kept in the file {@code node-id} beside the log's folder, as 16 hex digits and a line feed.
 *
 * @param text lower-case hex digits without leading zeros, as it stands in hellos and facts
 */
@Immutable
public record NodeId(String text) {
    /** The file, beside the log's folder. */
    public static final String FILE = "node-id";

    private static final int DIGITS = 16;
    private static final int HEX = 16;

    /**
     * The folder's name; made, durably, when it has none. Blocks.
     *
     * @throws IOException also when the file is there and unreadable: a node must not change its name by itself
     */
    public static NodeId of(Disk disk, RandomGenerator random) throws IOException {
        return disk.exists(FILE) ? read(disk) : make(disk, random);
    }

    private static NodeId read(Disk disk) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(DIGITS + 1);
        try (DiskFile file = disk.openRead(FILE)) {
            file.read(bytes, 0);
        }
        String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
        if (!text.matches("[0-9a-f]{" + DIGITS + "}\n")) {
            throw new IOException("file " + FILE + " does not hold " + DIGITS
                    + " hex digits: it names this data folder towards its replicas; restore it from a copy");
        }
        return new NodeId(Long.toHexString(Long.parseUnsignedLong(text.strip(), HEX)));
    }

    private static NodeId make(Disk disk, RandomGenerator random) throws IOException {
        long id = random.nextLong() | 1; // never 0, which stands for none
        String line = String.format("%016x", id) + "\n";
        disk.replace(FILE, ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)));
        return new NodeId(Long.toHexString(id));
    }
}
