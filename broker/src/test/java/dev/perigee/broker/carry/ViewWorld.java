package dev.perigee.broker.carry;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.log.LogReader;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogPosition;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.TestLog;
import dev.perigee.store.view.ViewImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** A log on a crashing disk, and what the store does with a view of it: passes, checkpoints and copies of frames that must go. */
public final class ViewWorld {
    public static final int SEGMENT_BYTES = 1 << 20;

    public final CrashingDisk disk = new CrashingDisk(new Random(1));
    public final TestLog log = new TestLog(disk, SEGMENT_BYTES);

    /** What a view hands out to be carried. */
    public record Carried(long offset, LogView.FrameCopy copy) {}

    /** Takes frames, and no facts. */
    public static final class Carrying implements LogView.CarrySink {
        public final List<Carried> frames = new ArrayList<>();

        @Override
        public void fact(Fact fact) {
            throw new AssertionError("a fact: " + fact);
        }

        @Override
        public void frame(long offset, LogView.FrameCopy copy) {
            frames.add(new Carried(offset, copy));
        }
    }

    /** Applies what the log has from an offset on, as one pass; gives up to where. */
    public long feed(LogView view, long from) {
        long to = apply(view, from);
        endPass(view, to);
        return to;
    }

    /** The first part of a pass. */
    public long apply(LogView view, long from) {
        LogReader reader = new LogReader(log.log(), from);
        LogEntry entry = new LogEntry();
        try {
            while (reader.next()) {
                view.apply(entry.wrap(reader.buffer(), reader.framePosition(), reader.frameOffset()));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return reader.position();
    }

    /** The last part of a pass. */
    public void endPass(LogView view, long to) {
        view.reached(new LogPosition(TestLog.LOG_ID, 1, to));
        view.passEnded();
    }

    /** A checkpoint of a view, with its store on the disk. */
    public byte[] checkpoint(LogView view) throws IOException {
        ViewImage image = view.freeze();
        while (image.forceSome(disk)) {
            // to its end
        }
        ByteArrayOutputStream checkpoint = new ByteArrayOutputStream();
        image.write(new DataOutputStream(checkpoint));
        return checkpoint.toByteArray();
    }

    /** Restores a view from a checkpoint, and gives it back. */
    public static <V extends LogView> V restored(V view, byte[] checkpoint) throws IOException {
        view.restore(new DataInputStream(new ByteArrayInputStream(checkpoint)));
        return view;
    }

    /** The copy that retention would append. */
    public MessageFrame copyOf(Carried carried) {
        SegmentLease head = Objects.requireNonNull(log.log().lease(carried.offset(), MessageFrame.MIN_BYTES));
        int sizeBytes = head.bytes().getInt(MessageFrame.SIZE_AT);
        head.release();
        SegmentLease whole = Objects.requireNonNull(log.log().lease(carried.offset(), sizeBytes));
        FrameDraft draft = carried.copy().of(new MessageFrame().wrap(whole.bytes(), 0));
        ByteBuffer bytes = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(bytes);
        whole.release();
        return new MessageFrame().wrap(bytes, 0);
    }

    /** Appends a copy as retention would: with the mark it was given, a property of that name. */
    public long append(Carried carried, String mark) {
        MessageFrame copy = copyOf(carried);
        return log.append(
                log.next(copy.topic(), copy.queueId()).property(mark, Objects.requireNonNull(copy.property(mark))));
    }

    /** Runs a task to its end. */
    public static void finish(PacedTask task) throws IOException {
        while (task.step()) {
            // to its end
        }
    }
}
