package dev.perigee.store.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Files of a log to look through: the store's own while it recovers, or a folder opened by a tool. */
public interface LogBytes {
    /** The size of each file. */
    int segmentSizeBytes();

    /** The start of the oldest file. */
    long startOffset();

    /** The byte after the last place a file has room for. */
    long roomEnd();

    /**
     * Reads at an offset, at most to the end of its file.
     *
     * @return how many bytes; 0 when no file holds the offset
     */
    int read(long offset, ByteBuffer target) throws IOException;
}
