package dev.perigee.replica;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.log.PacedTask;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Why a replica and its master do not fit, from the moment when that was found until it follows; kept in the file {@code refused} beside
 * the log's folder, in which the reason stands as text, so that it counts after a restart at which the master is away.
 */
@ThreadSafe
public final class KeptRefusal {
    /** The file. */
    public static final String FILE = "refused";

    private static final int MAX_BYTES = 4_096;
    private static final Logger LOG = LoggerFactory.getLogger(KeptRefusal.class);

    private final Disk disk;
    private final Predicate<PacedTask> background;
    private volatile @Nullable String reason;

    /** @param background takes a task to the preparer; false when too many wait */
    public KeptRefusal(Disk disk, Predicate<PacedTask> background) {
        this.disk = disk;
        this.background = background;
    }

    /**
     * Takes up what was found before the start. Blocks; before anything else.
     *
     * @throws IOException when the folder cannot be read
     */
    public void recall() throws IOException {
        if (disk.exists(FILE)) {
            ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
            try (DiskFile file = disk.openRead(FILE)) {
                file.read(bytes, 0);
            }
            reason = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8).strip();
        }
    }

    /** What was found last; empty while the two fit, or nothing is known. Any thread. */
    public Optional<String> reason() {
        return Optional.ofNullable(reason);
    }

    /** The two do not fit. Any thread. */
    public void refused(String why) {
        if (!why.equals(reason)) {
            reason = why;
            keep();
        }
    }

    /** The replica follows. Any thread. */
    public void follows() {
        if (reason != null) {
            reason = null;
            keep();
        }
    }

    private void keep() {
        if (!background.test(this::write)) {
            LOG.warn("event=refusal_not_kept file={} reason=\"too much waits for the disk\"", FILE);
        }
    }

    /** What is known then: several of these may wait. */
    private boolean write() {
        String why = reason;
        try {
            if (why != null) {
                byte[] text = (why + "\n").getBytes(StandardCharsets.UTF_8);
                disk.replace(FILE, ByteBuffer.wrap(text, 0, Math.min(MAX_BYTES, text.length)));
            } else if (disk.exists(FILE)) {
                disk.delete(FILE);
                disk.syncFolder("");
            }
        } catch (IOException e) {
            LOG.warn("event=refusal_not_kept file={}", FILE, e);
        }
        return false;
    }
}
