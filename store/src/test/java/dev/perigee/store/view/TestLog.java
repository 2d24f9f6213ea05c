package dev.perigee.store.view;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.LogTrimmed;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.LogHorizon;
import dev.perigee.store.log.LogReader;
import dev.perigee.store.log.LogStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** A real commit log on a disk, written by the test: every frame is confirmed and synced at once unless asked otherwise. */
public final class TestLog {
    public static final long LOG_ID = 0x5EED;

    private static final int BLANK_MAGIC = 0xCBD43194;
    private static final int BLANK_BYTES = 8;

    private final LogStorage storage;
    private final LogHorizon horizon = new LogHorizon();
    private final CommitLog log;
    private final Map<String, Long> nextOffsets = new HashMap<>();
    private long nowMs = 1_000_000;
    private boolean sync = true;

    public TestLog(Disk disk, int segmentSizeBytes) {
        try {
            storage = LogStorage.open(disk, segmentSizeBytes, 0);
            storage.fillUp();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        log = new CommitLog(storage, horizon);
        horizon.epoch(LOG_ID, 1);
    }

    /** Takes over the end of a log that was written before, as recovery would. */
    public TestLog endAt(long endOffset) {
        horizon.end(endOffset);
        horizon.synced(endOffset);
        horizon.confirm(endOffset);
        return this;
    }

    /** The next offsets of the queues are those of another log object over the same bytes. */
    public void continueQueues(TestLog former) {
        nextOffsets.putAll(former.nextOffsets);
    }

    public CommitLog log() {
        return log;
    }

    public void epoch(long logId, int epoch) {
        horizon.epoch(logId, epoch);
    }

    public long end() {
        return horizon.end();
    }

    /** The store time of the next frame. */
    public long nowMs() {
        return nowMs;
    }

    public void nowMs(long timeMs) {
        nowMs = timeMs;
    }

    /** Whether appended frames count as synced at once. */
    public void sync(boolean atOnce) {
        sync = atOnce;
        if (atOnce) {
            horizon.synced(horizon.end());
        }
    }

    /** A frame that continues its queue. */
    public TestFrame next(String topic, int queueId) {
        long offset = nextOffsets.merge(topic + "@" + queueId, 1L, Long::sum) - 1;
        return TestFrame.of(topic, queueId, offset);
    }

    /** The queues of a deleted topic begin anew. */
    public void forgetTopic(String topic) {
        nextOffsets.keySet().removeIf(queue -> queue.startsWith(topic + "@"));
    }

    /** Appends a frame that continues its queue. */
    public long append(String topic, int queueId) {
        return append(next(topic, queueId));
    }

    /** Appends a frame and returns where it lies. */
    public long append(TestFrame frame) {
        long at = place(frame.encode(0, nowMs).remaining());
        write(frame.encode(at, nowMs), at);
        return at;
    }

    /** Appends a fact. */
    public long append(Fact fact) {
        return append(TestFrame.of(SystemTopic.FACTS, FactCodec.QUEUE_ID, 0)
                .property("FACT", fact.kind())
                .property("MU", fact.mustUnderstand() ? "1" : "0")
                .body(FactCodec.body(fact)));
    }

    private long place(int sizeBytes) {
        long at = horizon.end();
        if (at == storage.roomEnd()) {
            roll();
        } else if (at + sizeBytes + BLANK_BYTES > storage.roomEnd()) {
            long left = storage.roomEnd() - at;
            write(
                    ByteBuffer.allocate((int) left)
                            .putInt((int) left)
                            .putInt(BLANK_MAGIC)
                            .rewind(),
                    at);
            roll();
        }
        return horizon.end();
    }

    private void roll() {
        try {
            storage.roll();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(ByteBuffer bytes, long at) {
        int size = bytes.remaining();
        try {
            storage.write(bytes, at);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        horizon.end(at + size);
        if (sync) {
            horizon.synced(at + size);
        }
        horizon.confirm(at + size);
    }

    /** Makes everything durable on the disk, as the flusher would. */
    public void force() throws IOException {
        storage.force(log.startOffset(), horizon.end());
    }

    public void trimTo(long offset) throws IOException {
        log.trimTo(offset);
    }

    /** Shows all entries from an offset on to a view, without a loop. */
    public void feed(long fromOffset, LogView view) {
        LogReader reader = new LogReader(log, fromOffset);
        LogEntry entry = new LogEntry();
        try {
            while (reader.next()) {
                view.apply(entry.wrap(reader.buffer(), reader.framePosition(), reader.frameOffset()));
                if (entry.fact() instanceof LogTrimmed trimmed) {
                    view.trimmed(trimmed.startOffset());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        view.passEnded();
    }
}
