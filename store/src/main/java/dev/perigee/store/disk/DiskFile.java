package dev.perigee.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;

/**
 * An open file. Thread-safe for calls on different ranges; a {@link #force()} may run beside writes and then covers at
 * least those that returned before it began.
 */
public interface DiskFile extends AutoCloseable {
    /** The name it was opened by. */
    String name();

    /**
     * Reads at a position until the target is full or the file ends.
     *
     * @return the bytes read, 0 at or behind the end of the file
     */
    int read(ByteBuffer target, long position) throws IOException;

    /** Writes all remaining bytes of the source at a position; the file grows when needed, with zeros in any gap. */
    void write(ByteBuffer source, long position) throws IOException;

    /**
     * Makes the bytes and the size durable (fdatasync).
     *
     * @throws ForceFailedException when the disk fails it; that is final: the bytes may or may not be there
     */
    void force() throws IOException;

    /** Sets the size: cuts the end off, or appends zeros. */
    void resize(long size) throws IOException;

    /** The size in bytes. */
    long size() throws IOException;

    /** A read-only buffer over a range inside the file that shows later writes too, and stays valid after close. */
    ByteBuffer map(long position, int sizeBytes) throws IOException;

    /**
     * Whether a buffer lent by {@link #map}, or a slice of one, can be read now without waiting for the disk. One system
     * call; the answer may be old when it is given.
     */
    static boolean isLoaded(ByteBuffer bytes) {
        return !(bytes instanceof MappedByteBuffer mapped) || mapped.isLoaded();
    }

    @Override
    void close() throws IOException;
}
