package dev.perigee.store.retention;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.frame.FrameLayout;
import dev.perigee.store.frame.FrameVerifier;
import dev.perigee.store.frame.FrameVerifier.Verdict;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes frames out of the log that this broker has written there itself and relies on, and looks whether they are what was
 * written. May wait for the disk.
 */
@OwnedBy("its user")
final class CheckedFrames {
    /** What lies at an offset. */
    enum Kind {
        /** A whole frame, stamped, with both checksums right. */
        SOUND,
        /** Bytes that differ from what was written. */
        DAMAGED,
        /** The log does not hold the offset, or not yet. */
        ABSENT
    }

    /**
     * What was found.
     *
     * @param sizeBytes how many bytes were looked at
     * @param what for DAMAGED: in what they differ
     * @param lease for SOUND: the frame, to be released by the caller
     */
    record Found(
            Kind kind, int sizeBytes, String what, @Nullable SegmentLease lease) {}

    private static final Found ABSENT = new Found(Kind.ABSENT, 0, "", null);

    private final CommitLog log;
    private final FrameVerifier verifier = new FrameVerifier();

    CheckedFrames(CommitLog log) {
        this.log = log;
    }

    /** Looks at an offset at which a frame was written. */
    Found find(long offset) {
        SegmentLease head = log.lease(offset, FrameLayout.MIN_BYTES);
        if (head == null) {
            return ABSENT;
        }
        int sizeBytes;
        try {
            int room = (int) (log.nextSegmentStart(offset) - offset);
            if (!FrameVerifier.isPlausible(head.bytes(), 0, room)) {
                return damaged(FrameLayout.MIN_BYTES, Verdict.NO_FRAME);
            }
            sizeBytes = head.bytes().getInt(0);
        } finally {
            head.release();
        }
        SegmentLease lease = log.lease(offset, sizeBytes);
        if (lease == null) { // the size leads out of what is confirmed, and frames are confirmed whole
            return log.startOffset() > offset ? ABSENT : damaged(FrameLayout.MIN_BYTES, Verdict.BAD_LENGTHS);
        }
        return check(lease, sizeBytes, offset);
    }

    private Found check(SegmentLease lease, int sizeBytes, long offset) {
        boolean sound = false;
        try {
            ByteBuffer bytes = lease.bytes();
            Verdict verdict = verifier.check(bytes, 0, sizeBytes + FrameLayout.HEAD_BYTES, offset);
            sound = verdict == Verdict.FRAME;
            return sound ? new Found(Kind.SOUND, sizeBytes, "", lease) : damaged(sizeBytes, verdict);
        } finally {
            if (!sound) {
                lease.release();
            }
        }
    }

    private static Found damaged(int sizeBytes, Verdict verdict) {
        return new Found(Kind.DAMAGED, sizeBytes, verdict.name(), null);
    }
}
