package dev.perigee.store.log;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.frame.FrameLayout;
import dev.perigee.store.frame.FrameVerifier;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Walks written bytes of the log, confirmed or not, and verifies each frame; the eyes of recovery. */
@OwnedBy("its user")
public final class LogScan {
    private static final int BLOCK_BYTES = 1 << 20;

    private final LogBytes storage;
    private final FrameVerifier check = new FrameVerifier();
    private ByteBuffer buffer;
    private long bufferOffset;

    public LogScan(LogBytes storage) {
        this(storage, BLOCK_BYTES);
    }

    /** @param blockBytes what is read at once, for one who jumps from place to place */
    public LogScan(LogBytes storage, int blockBytes) {
        this.storage = storage;
        this.buffer = ByteBuffer.allocateDirect(blockBytes).limit(0);
    }

    /** Checks what stands at an offset; details are in {@link #found()}. */
    public FrameVerifier.Verdict check(long offset) throws IOException {
        int segmentSize = storage.segmentSizeBytes();
        int available = (int) (segmentSize - offset % segmentSize);
        need(offset, Math.min(available, FrameLayout.MIN_BYTES));
        if (FrameVerifier.isPlausible(buffer, at(offset), available)) {
            need(offset, buffer.getInt(at(offset)));
        }
        return check.check(buffer, at(offset), available, offset);
    }

    /** What the last check found. */
    public FrameVerifier found() {
        return check;
    }

    /**
     * Searches for a sound, stamped frame in a range, aligned or not.
     *
     * @return its offset, or −1 when there is none
     */
    public long findFrame(long fromOffset, long toOffset) throws IOException {
        return find(fromOffset, toOffset, false, Long.MAX_VALUE);
    }

    /**
     * As {@link #findFrame}, but unstamped frames count too.
     *
     * @param patienceBytes a stretch of zeros that ends the search
     */
    long findSound(long fromOffset, long toOffset, long patienceBytes) throws IOException {
        return find(fromOffset, toOffset, true, patienceBytes);
    }

    /** The bytes of a range that was just checked, read-only. */
    public ByteBuffer bytes(long offset, int sizeBytes) {
        return buffer.slice(at(offset), sizeBytes).asReadOnlyBuffer();
    }

    private long find(long fromOffset, long toOffset, boolean unstampedToo, long patienceBytes) throws IOException {
        long at = fromOffset;
        long zerosFrom = fromOffset;
        while (at < toOffset && at - zerosFrom < patienceBytes) {
            int window = (int) Math.min(storage.segmentSizeBytes() - at % storage.segmentSizeBytes(), toOffset - at);
            need(at, Math.min(window, FrameLayout.HEAD_BYTES));
            int count = Math.min(window, buffered(at));
            boolean zero = isZero(at, count);
            long candidate = zero ? -1 : findMagic(at, count);
            if (candidate < 0) {
                // the last bytes may hold the beginning of a magic whose end is in the next block
                at += count < window && count >= FrameLayout.HEAD_BYTES ? count - FrameLayout.HEAD_BYTES + 1 : count;
                zerosFrom = zero ? zerosFrom : at;
            } else {
                FrameVerifier.Verdict verdict = check(candidate);
                if (verdict == FrameVerifier.Verdict.FRAME
                        || (unstampedToo && verdict == FrameVerifier.Verdict.UNSTAMPED)) {
                    return candidate;
                }
                at = candidate + 1;
                zerosFrom = at;
            }
        }
        return -1;
    }

    private boolean isZero(long offset, int count) {
        return count <= BLOCK_BYTES && buffer.slice(at(offset), count).mismatch(Zeros.block(count)) < 0;
    }

    private long findMagic(long offset, int count) {
        int start = at(offset);
        int last = start + count - FrameLayout.HEAD_BYTES;
        for (int i = start; i <= last; i++) {
            if (buffer.get(i + FrameLayout.MAGIC) == (byte) 0xDA
                    && FrameLayout.isFrameMagic(buffer.getInt(i + FrameLayout.MAGIC))) {
                return bufferOffset + i;
            }
        }
        return -1;
    }

    private int at(long offset) {
        return (int) (offset - bufferOffset);
    }

    private int buffered(long offset) {
        return buffer.limit() - at(offset);
    }

    private void need(long offset, int sizeBytes) throws IOException {
        if (offset >= bufferOffset && offset + sizeBytes <= bufferOffset + buffer.limit()) {
            return;
        }
        int segmentSize = storage.segmentSizeBytes();
        int available = (int) (segmentSize - offset % segmentSize);
        if (sizeBytes > buffer.capacity()) {
            buffer = ByteBuffer.allocateDirect(sizeBytes);
        }
        bufferOffset = offset;
        buffer.clear().limit(Math.min(buffer.capacity(), available));
        int count = storage.read(offset, buffer);
        buffer.flip();
        if (count < sizeBytes) {
            // a file cut short: what is missing reads as zeros, as it would once the file has its length again
            buffer.limit(Math.min(buffer.capacity(), available));
            while (count < buffer.limit()) {
                buffer.put(count++, (byte) 0);
            }
        }
    }
}
