package dev.perigee.store.log;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.frame.FrameVerifier;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Walks a log for a tool and says of each place what stands there. Damage does not end the walk: the damaged range is
 * reported as one item and the walk goes on at the next sound frame.
 */
@OwnedBy("its user")
public final class LogScanner {
    /** So many zeros are the end of what was written; looking through the rest of a large file would take long. */
    private static final long ZEROS_THAT_END_BYTES = 64L << 20;

    private final LogFiles files;
    private final LogScan scan;
    private long nextOffset;
    private long offset = -1;
    private long sizeBytes;
    private FrameVerifier.Verdict verdict = FrameVerifier.Verdict.END;

    LogScanner(LogFiles files, long fromOffset) {
        this.files = files;
        this.scan = new LogScan(files);
        this.nextOffset = fromOffset;
    }

    /** Goes to the next frame, blank or damaged range; false at the end of what was written. */
    public boolean next() throws IOException {
        if (nextOffset >= files.endOffset()) {
            return false;
        }
        offset = nextOffset;
        verdict = scan.check(offset);
        sizeBytes = scan.found().sizeBytes();
        boolean sound = verdict == FrameVerifier.Verdict.FRAME
                || verdict == FrameVerifier.Verdict.UNSTAMPED
                || verdict == FrameVerifier.Verdict.BLANK;
        if (!sound) {
            FrameVerifier.Verdict fault = verdict;
            long patience = fault == FrameVerifier.Verdict.END ? ZEROS_THAT_END_BYTES : Long.MAX_VALUE;
            long after = scan.findSound(offset + 1, files.endOffset(), patience);
            after = after < 0 ? laterFile() : after;
            if (after < 0 && fault == FrameVerifier.Verdict.END) {
                return false;
            }
            verdict = fault;
            sizeBytes = (after < 0 ? files.endOffset() : after) - offset;
        }
        nextOffset = offset + sizeBytes;
        return true;
    }

    /** The start of the first later file that begins with a sound frame: then what is written does not end here; or −1. */
    private long laterFile() throws IOException {
        int sizeOfFile = files.segmentSizeBytes();
        for (long start = offset - offset % sizeOfFile + sizeOfFile; start < files.endOffset(); start += sizeOfFile) {
            FrameVerifier.Verdict at = scan.check(start);
            if (at == FrameVerifier.Verdict.FRAME || at == FrameVerifier.Verdict.UNSTAMPED) {
                return start;
            }
        }
        return -1;
    }

    /** Where the item begins. */
    public long offset() {
        return offset;
    }

    /** Its size; for damage the bytes up to the next sound frame or the end of the files. */
    public long sizeBytes() {
        return sizeBytes;
    }

    /** What it is. */
    public FrameVerifier.Verdict verdict() {
        return verdict;
    }

    /** Whether it is a frame whose bytes are all as they were written. */
    public boolean isSound() {
        return verdict == FrameVerifier.Verdict.FRAME || verdict == FrameVerifier.Verdict.UNSTAMPED;
    }

    /** The epoch in the frame's stamp; 0 for unstamped frames. */
    public int epoch() {
        return scan.found().epoch();
    }

    /** Whether the next frame belongs to the same unit. */
    public boolean unitContinues() {
        return scan.found().unitContinues();
    }

    /**
     * The frame's bytes, from position 0 to its size; only when {@link #isSound()}, valid until the next {@link #next}.
     */
    public ByteBuffer frame() {
        if (!isSound()) {
            throw new IllegalStateException("no sound frame at offset " + offset + " but " + verdict);
        }
        return scan.bytes(offset, (int) sizeBytes);
    }
}
