package dev.perigee.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The name of this run of the machine. */
public final class BootId {
    /** Of a system that names no run, or a container that hides the name: the same number says nothing about two starts. */
    public static final long UNKNOWN = 0;

    private static final Path LINUX = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Logger LOG = LoggerFactory.getLogger(BootId.class);

    private BootId() {}

    /** Reads it; {@link #UNKNOWN} where the system has none: every start then counts as one after a loss of power. */
    public static long read() {
        if (!Files.isReadable(LINUX)) {
            return UNKNOWN;
        }
        try {
            String digits = Files.readString(LINUX).strip().replace("-", "");
            return Long.parseUnsignedLong(digits.substring(0, 16), 16);
        } catch (IOException | NumberFormatException | StringIndexOutOfBoundsException e) {
            LOG.warn("event=boot_id_unreadable file={}", LINUX, e);
            return UNKNOWN;
        }
    }
}
