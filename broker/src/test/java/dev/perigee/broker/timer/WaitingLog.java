package dev.perigee.broker.timer;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.log.LogReader;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogPosition;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.TestLog;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** A log of waiting messages, and a view that folds it. */
final class WaitingLog {
    private static final int SEGMENT_BYTES = 1 << 20;

    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    final TestLog log = new TestLog(disk, SEGMENT_BYTES);
    final MemoryViewStores stores = new MemoryViewStores();
    TimerView view = new TimerView(stores);
    /** Up to where the view has folded the log. */
    long fed;

    /** What a view hands out to be carried. */
    record Carried(long offset, LogView.FrameCopy copy) {}

    /** A round of retention. */
    static final class Carrying implements LogView.CarrySink {
        final List<Carried> frames = new ArrayList<>();

        @Override
        public void fact(Fact fact) {
            throw new AssertionError("a fact: " + fact);
        }

        @Override
        public void frame(long offset, LogView.FrameCopy copy) {
            frames.add(new Carried(offset, copy));
        }
    }

    long waits(long dueMs) {
        return log.append(log.next(SystemTopic.SCHEDULE, 0).property("__TIMER#", Long.toString(dueMs)));
    }

    long copied(long dueMs, long birth, long readAt) {
        return log.append(log.next(SystemTopic.SCHEDULE, 0).property("__TIMER#", dueMs + ":" + birth + ":" + readAt));
    }

    void delivered(long dueMs, long birth, long readAt) {
        log.append(log.next("%RETRY%g", 0).property("__TIMER#", dueMs + ":" + birth + ":" + readAt));
    }

    /** Applies what is new in the log, as one pass. */
    void feed() {
        fed = feed(view, fed);
    }

    /** Applies the log from there on to a view, as one pass; gives the end. */
    long feed(TimerView fedView, long from) {
        LogReader reader = new LogReader(log.log(), from);
        LogEntry entry = new LogEntry();
        try {
            while (reader.next()) {
                fedView.apply(entry.wrap(reader.buffer(), reader.framePosition(), reader.frameOffset()));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        fedView.reached(new LogPosition(TestLog.LOG_ID, 1, reader.position()));
        fedView.passEnded();
        return reader.position();
    }

    /** The copy that retention would make. */
    MessageFrame copyOf(Carried carried) {
        SegmentLease lease = Objects.requireNonNull(log.log().lease(carried.offset(), MessageFrame.MIN_BYTES));
        int sizeBytes = lease.bytes().getInt(0);
        lease.release();
        SegmentLease whole = Objects.requireNonNull(log.log().lease(carried.offset(), sizeBytes));
        var draft = carried.copy().of(new MessageFrame().wrap(whole.bytes(), 0));
        ByteBuffer bytes = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(bytes);
        whole.release();
        return new MessageFrame().wrap(bytes, 0);
    }

    /** A checkpoint of the view. */
    ByteArrayOutputStream checkpoint() throws IOException {
        var image = view.freeze();
        while (image.forceSome(disk)) {
            // to its end
        }
        ByteArrayOutputStream checkpoint = new ByteArrayOutputStream();
        image.write(new DataOutputStream(checkpoint));
        return checkpoint;
    }

    /** Another view, made from the log alone. */
    TimerView rebuilt() {
        TimerView rebuilt = new TimerView(new MemoryViewStores());
        feed(rebuilt, 0);
        return rebuilt;
    }
}
