package dev.perigee.store.log;

import dev.perigee.loop.OwnedBy;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Walks the frames of the confirmed log in order, skipping the blanks at segment ends. Reads ahead in blocks, so a walk
 * costs one system call per block, not per frame.
 */
@OwnedBy("its user")
@SuppressWarnings("DoNotCallSuggester") // bodies follow
public final class LogReader {
    public LogReader(CommitLog log, long offset) {
        throw new UnsupportedOperationException();
    }

    /**
     * Goes to the next frame below the confirm offset.
     *
     * @return false when there is none yet; ask again later
     * @throws IOException also when the bytes there are no frame
     */
    public boolean next() throws IOException {
        throw new UnsupportedOperationException();
    }

    /** Where the current frame lies in the log. */
    public long frameOffset() {
        throw new UnsupportedOperationException();
    }

    /** Its size. */
    public int frameSizeBytes() {
        throw new UnsupportedOperationException();
    }

    /** A buffer that holds it; valid until the next {@link #next}. */
    public ByteBuffer buffer() {
        throw new UnsupportedOperationException();
    }

    /** Where it begins in {@link #buffer()}. */
    public int framePosition() {
        throw new UnsupportedOperationException();
    }

    /** The offset after the current frame, or the one to continue at. */
    public long position() {
        throw new UnsupportedOperationException();
    }

    /** Continues at another offset, which must be the start of a frame or of a blank. */
    public void seek(long offset) {
        throw new UnsupportedOperationException();
    }
}
