package dev.perigee.store.disk;

import java.io.IOException;

/** A held lock on a name of a {@link Disk}; closing gives it back. */
public interface DiskLock extends AutoCloseable {
    @Override
    void close() throws IOException;
}
