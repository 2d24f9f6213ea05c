package dev.perigee.store.disk;

import java.io.IOException;

/**
 * A force reached the disk and failed: what was written before may be lost although its pages look clean, so no later force
 * of the same bytes can be trusted. Every other failure of a {@link Disk}, such as a file that cannot be opened, leaves what
 * was written as it was, and may be tried again.
 */
public final class ForceFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param name the file or folder */
    public ForceFailedException(String name, IOException cause) {
        super("forcing " + name + " failed: " + cause.getMessage(), cause);
    }
}
