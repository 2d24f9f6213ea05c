package dev.perigee.store.retention;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactSink.FrameListener;
import dev.perigee.store.append.FactSink.Room;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.LogView.FrameCopy;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Appends copies of frames that are carried forward. The view loop gathers them; then the preparer reads and appends them, a
 * few in each step.
 */
@OwnedBy("view loop, then the preparer")
final class FrameCarry implements PacedTask {
    private static final int FRAMES_PER_STEP = 64;
    private static final int BYTES_PER_STEP = 4 * 1024 * 1024;
    private static final long NOT_APPENDED = -1;

    private record Wanted(long offset, FrameCopy copy) {}

    private final RetentionSeams seams;
    private final FrameListener done;
    private final Queue<Wanted> wanted = new ArrayDeque<>();

    /** @param done told once of each frame that was {@link #add added} */
    FrameCarry(RetentionSeams seams, FrameListener done) {
        this.seams = seams;
        this.done = done;
    }

    void add(long offset, FrameCopy copy) {
        wanted.add(new Wanted(offset, copy));
    }

    boolean isEmpty() {
        return wanted.isEmpty();
    }

    /** Nothing of it is done: the preparer takes no more. */
    void refuse() {
        for (Wanted each = wanted.poll(); each != null; each = wanted.poll()) {
            done.completed(AppendResult.BUSY, NOT_APPENDED, NOT_APPENDED);
        }
    }

    @Override
    public boolean step() {
        int bytes = 0;
        for (int i = 0; i < FRAMES_PER_STEP && bytes < BYTES_PER_STEP && !wanted.isEmpty(); i++) {
            bytes += carry(wanted.remove());
        }
        return !wanted.isEmpty();
    }

    /** Returns how many bytes were read. */
    private int carry(Wanted each) {
        int sizeBytes = sizeAt(each.offset());
        SegmentLease lease = sizeBytes == 0 ? null : seams.log().lease(each.offset(), sizeBytes);
        if (lease == null) {
            done.completed(AppendResult.OUTCOME_UNKNOWN, NOT_APPENDED, NOT_APPENDED);
            return 0;
        }
        try {
            MessageFrame frame = new MessageFrame().wrap(lease.bytes(), 0);
            seams.frames().append(frame.topic(), frame.queueId(), each.copy().of(frame), Room.RESERVE, done);
            return sizeBytes;
        } finally {
            lease.release();
        }
    }

    private int sizeAt(long offset) {
        SegmentLease head = seams.log().lease(offset, Integer.BYTES);
        if (head == null) {
            return 0;
        }
        try {
            return head.bytes().getInt(MessageFrame.SIZE_AT);
        } finally {
            head.release();
        }
    }
}
