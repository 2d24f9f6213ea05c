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

    /** Overwrites what is not zero in a range. @return how many bytes were not zero */
    static long zero(LogSegment segment, long from, long to) throws IOException {
        return walk(segment, from, to, true);
    }

    /** How many bytes of a range are not zero. */
    static long countOther(LogSegment segment, long from, long to) throws IOException {
        return walk(segment, from, to, false);
    }

    /** Whether a range is all zeros, read into a scratch buffer that is large enough. */
    static boolean isZero(LogSegment segment, long from, long to, ByteBuffer read) throws IOException {
        read.clear().limit((int) (to - from));
        segment.read(read, from);
        read.flip();
        return read.mismatch(block(read.limit())) < 0;
    }

    private static long walk(LogSegment segment, long from, long to, boolean overwrite) throws IOException {
        ByteBuffer read = ByteBuffer.allocateDirect(BLOCK_BYTES);
        long others = 0;
        for (long at = from; at < to; at += BLOCK_BYTES) {
            read.clear().limit((int) Math.min(BLOCK_BYTES, to - at));
            segment.read(read, at);
            read.flip();
            if (read.mismatch(block(read.limit())) >= 0) {
                others += countOther(read);
                if (overwrite) {
                    segment.write(block(read.limit()), at);
                }
            }
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
