package dev.perigee.store.retention;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactSink.FrameListener;
import dev.perigee.store.append.FactSink.Room;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.LogView.FrameCopy;
import java.util.ArrayDeque;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends copies of frames that are carried forward. The view loop gathers them; then the preparer reads and appends them, a
 * few in each step.
 */
@OwnedBy("view loop, then the preparer")
final class FrameCarry implements PacedTask {
    private static final int FRAMES_PER_STEP = 64;
    private static final int BYTES_PER_STEP = 4 * 1024 * 1024;
    private static final long NOT_APPENDED = -1;
    private static final Logger LOG = LoggerFactory.getLogger(FrameCarry.class);

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
            failed(each, AppendResult.BUSY);
        }
    }

    private void failed(Wanted each, AppendResult result) {
        each.copy().failed();
        done.completed(result, NOT_APPENDED, NOT_APPENDED);
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
            failed(each, AppendResult.OUTCOME_UNKNOWN);
            return 0;
        }
        try {
            append(new MessageFrame().wrap(lease.bytes(), 0), each);
            return sizeBytes;
        } finally {
            lease.release();
        }
    }

    private void append(MessageFrame frame, Wanted each) {
        FrameDraft copy = each.copy().of(frame);
        try {
            seams.frames().append(frame.topic(), frame.queueId(), copy, Room.RESERVE, (result, end, queueOffset) -> {
                if (end == NOT_APPENDED) {
                    failed(each, result);
                } else {
                    done.completed(result, end, queueOffset);
                }
            });
        } catch (IllegalArgumentException e) { // no frame can be made of it
            LOG.error("event=frame_not_carried offset={} topic={}", each.offset(), frame.topic(), e);
            failed(each, AppendResult.TOO_LARGE);
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
