package dev.perigee.store.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Finding and making zero bytes in segments, block by block. */
final class Zeros {
    /** Read and written at once. */
    static final int BLOCK_BYTES = 1 << 20;

    private static final ByteBuffer BLOCK =
            ByteBuffer.allocateDirect(BLOCK_BYTES).asReadOnlyBuffer();

    private Zeros() {}

    /** A read-only buffer of zeros. */
    static ByteBuffer block(int sizeBytes) {
        return BLOCK.duplicate().limit(sizeBytes);
    }

    /** Overwrites what is not zero from an offset to the segment's end. @return how many bytes were not zero */
    static long zeroFrom(LogSegment segment, long offset) throws IOException {
        return walk(segment, offset, true);
    }

    /** How many bytes from an offset to the segment's end are not zero. */
    static long countOther(LogSegment segment, long offset) throws IOException {
        return walk(segment, offset, false);
    }

    private static long walk(LogSegment segment, long offset, boolean overwrite) throws IOException {
        ByteBuffer read = ByteBuffer.allocateDirect(BLOCK_BYTES);
        long others = 0;
        long at = offset;
        while (at < segment.endOffset()) {
            read.clear().limit((int) Math.min(BLOCK_BYTES, segment.endOffset() - at));
            segment.read(read, at);
            read.flip();
            if (read.mismatch(block(read.limit())) >= 0) {
                others += countOther(read);
                if (overwrite) {
                    segment.write(block(read.limit()), at);
                }
            }
            at += Math.max(1, read.limit());
        }
        return others;
    }

    private static long countOther(ByteBuffer bytes) {
        long others = 0;
        for (int i = 0; i < bytes.limit(); i++) {
            if (bytes.get(i) != 0) {
                others++;
            }
        }
        return others;
    }
}
