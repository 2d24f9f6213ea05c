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
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends copies of frames that are carried forward. The view loop gathers them; then the preparer reads and appends them, a
 * few in each step.
 *
 * <p>Only a sound frame is copied, for the copy gets a checksum of its own, which would vouch for whatever was read. In place of
 * the copy of a damaged one the log gets the fact by which the view lets go of it. A frame that cannot be read or copied now,
 * whatever the reason, is a copy that failed: it stays where it is until the next round.
 */
@OwnedBy("view loop, then the preparer")
final class FrameCarry implements PacedTask {
    private static final int FRAMES_PER_STEP = 64;
    private static final int BYTES_PER_STEP = 4 * 1024 * 1024;
    private static final long NOT_APPENDED = -1;
    private static final Logger LOG = LoggerFactory.getLogger(FrameCarry.class);

    private final RetentionSeams seams;
    private final FrameListener done;
    private final Runnable lost;
    private final CheckedFrames frames;
    private final Queue<Wanted> wanted = new ArrayDeque<>();

    /**
     * One frame to be carried, and whether that was told of as ended: a failure may come after the end was told, from whoever was
     * told, and must not count twice.
     */
    private record Wanted(long offset, FrameCopy copy, AtomicBoolean ended) {}

    /**
     * {@code done} is told once of each frame that was {@link #add added}, {@code lost} of the offset of each that was found
     * damaged; both on any thread.
     */
    FrameCarry(RetentionSeams seams, FrameListener done, Runnable lost) {
        this.seams = seams;
        this.done = done;
        this.lost = lost;
        this.frames = new CheckedFrames(seams.log());
    }

    void add(long offset, FrameCopy copy) {
        wanted.add(new Wanted(offset, copy, new AtomicBoolean()));
    }

    boolean isEmpty() {
        return wanted.isEmpty();
    }

    /** Nothing of it is done: the preparer takes no more. */
    void refuse() {
        for (Wanted each = wanted.poll(); each != null; each = wanted.poll()) {
            ended(each, AppendResult.BUSY, NOT_APPENDED, NOT_APPENDED);
        }
    }

    private void ended(Wanted each, AppendResult result, long end, long queueOffset) {
        if (each.ended().getAndSet(true)) {
            return;
        }
        try {
            if (end == NOT_APPENDED) {
                each.copy().failed();
            }
        } finally {
            done.completed(result, end, queueOffset);
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
        try {
            return copy(each);
        } catch (RuntimeException | InternalError e) { // the latter when the disk does not give what is mapped
            LOG.error("event=frame_not_carried offset={} action=try_again", each.offset(), e);
            ended(each, AppendResult.OUTCOME_UNKNOWN, NOT_APPENDED, NOT_APPENDED);
            return 0;
        }
    }

    private int copy(Wanted each) {
        CheckedFrames.Found found = frames.find(each.offset());
        if (found.kind() == CheckedFrames.Kind.DAMAGED) {
            letGo(each, found.what());
            return found.sizeBytes();
        }
        SegmentLease lease = found.lease();
        if (lease == null) {
            ended(each, AppendResult.OUTCOME_UNKNOWN, NOT_APPENDED, NOT_APPENDED);
            return 0;
        }
        try {
            append(new MessageFrame().wrap(lease.bytes(), 0), each);
            return found.sizeBytes();
        } finally {
            lease.release();
        }
    }

    private void append(MessageFrame frame, Wanted each) {
        FrameDraft copy = each.copy().of(frame);
        seams.frames()
                .append(
                        frame.topic(),
                        frame.queueId(),
                        copy,
                        Room.RESERVE,
                        (result, end, queueOffset) -> ended(each, result, end, queueOffset));
    }

    private void letGo(Wanted each, String what) {
        LOG.error("event=carried_frame_damaged offset={} found={} action=let_go", each.offset(), what);
        seams.facts().accept(each.copy().lost(), (result, end) -> {
            if (end != NOT_APPENDED) {
                lost.run();
            }
            ended(each, result, end, NOT_APPENDED);
        });
    }
}
