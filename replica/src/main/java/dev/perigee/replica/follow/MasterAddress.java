package dev.perigee.replica.follow;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.log.PacedTask;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code master-address} beside the log's folder: where a slave was last told that its master replicates, {@code host:port} and a
 * line feed. So it finds a master that registers nowhere yet, because it waits for this very slave. What NameServers say is stronger.
 */
@ThreadSafe
public final class MasterAddress {
    /** The file. */
    public static final String FILE = "master-address";

    private static final int MAX_BYTES = 1_024;
    private static final Logger LOG = LoggerFactory.getLogger(MasterAddress.class);

    private final Disk disk;
    private final Predicate<PacedTask> background;
    private volatile String kept = "";

    /** @param background takes a task to the preparer; false when too many wait */
    public MasterAddress(Disk disk, Predicate<PacedTask> background) {
        this.disk = disk;
        this.background = background;
    }

    /** What was kept; empty when nothing was. Blocks. */
    public static String read(Disk disk) throws IOException {
        if (!disk.exists(FILE)) {
            return "";
        }
        ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
        try (DiskFile file = disk.openRead(FILE)) {
            file.read(bytes, 0);
        }
        String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
        return text.endsWith("\n") ? text.strip() : "";
    }

    /** Sees to it that this one is kept soon. Any thread. */
    public void keep(String address) {
        if (!address.equals(kept) && background.test(() -> write(address))) {
            kept = address;
        }
    }

    private boolean write(String address) {
        try {
            disk.replace(FILE, ByteBuffer.wrap((address + "\n").getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException e) {
            LOG.warn("event=master_address_not_kept file={} address={}", FILE, address, e);
        }
        return false;
    }
}
