package dev.perigee.store.log;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.frame.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Walks the frames of the confirmed log in order, skipping the blanks at segment ends. Reads ahead in blocks, so a walk
 * costs one system call per block, not per frame.
 */
@OwnedBy("its user")
public final class LogReader {
    private static final int BLOCK_BYTES = 256 * 1024;

    private final CommitLog log;
    private ByteBuffer buffer = ByteBuffer.allocateDirect(BLOCK_BYTES).limit(0);
    /** The offset of the buffer's first byte. */
    private long bufferOffset;

    private long position;
    private long frameOffset = -1;
    private int frameSizeBytes;

    public LogReader(CommitLog log, long offset) {
        this.log = log;
        this.position = offset;
        this.bufferOffset = offset;
    }

    /**
     * Goes to the next frame below the confirm offset.
     *
     * @return false when there is none yet; ask again later
     * @throws IOException also when the bytes there are no frame, or are not stored any more
     */
    public boolean next() throws IOException {
        while (position < log.confirmOffset()) {
            need(FrameLayout.HEAD_BYTES);
            int at = framePosition(position);
            int size = buffer.getInt(at);
            int magic = buffer.getInt(at + FrameLayout.MAGIC);
            if (magic == FrameLayout.BLANK_MAGIC) {
                position = log.nextSegmentStart(position);
            } else if (FrameLayout.isFrameMagic(magic) && size >= FrameLayout.MIN_BYTES) {
                need(size);
                frameOffset = position;
                frameSizeBytes = size;
                position += size;
                return true;
            } else {
                throw new IOException(
                        "no frame at offset " + position + ": size=" + size + " magic=0x" + Integer.toHexString(magic));
            }
        }
        return false;
    }

    /** Where the current frame lies in the log. */
    public long frameOffset() {
        return frameOffset;
    }

    /** Its size. */
    public int frameSizeBytes() {
        return frameSizeBytes;
    }

    /** A buffer that holds it; valid until the next {@link #next}. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** Where it begins in {@link #buffer()}. */
    public int framePosition() {
        return framePosition(frameOffset);
    }

    /** The offset after the current frame, or the one to continue at. */
    public long position() {
        return position;
    }

    /** Continues at another offset, which must be the start of a frame or of a blank. */
    public void seek(long offset) {
        position = offset;
    }

    private int framePosition(long offset) {
        return (int) (offset - bufferOffset);
    }

    /** Makes the buffer hold this many bytes from the position on. */
    private void need(int sizeBytes) throws IOException {
        if (position >= bufferOffset && position + sizeBytes <= bufferOffset + buffer.limit()) {
            return;
        }
        if (sizeBytes > log.nextSegmentStart(position) - position) {
            throw new IOException("frame at offset " + position + " of " + sizeBytes + " bytes leaves its segment");
        }
        if (sizeBytes > buffer.capacity()) {
            buffer = ByteBuffer.allocateDirect(sizeBytes);
        }
        bufferOffset = position;
        buffer.clear();
        int count = log.read(position, buffer);
        buffer.position(0).limit(count);
        if (count < sizeBytes) {
            throw new IOException("offset " + position + " has " + count + " of " + sizeBytes
                    + " bytes: not stored any more, or not confirmed whole");
        }
    }
}
