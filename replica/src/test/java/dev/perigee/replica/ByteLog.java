package dev.perigee.replica;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.replica.feed.FeedSource;
import dev.perigee.replica.follow.LogIntake;
import dev.perigee.replica.follow.LogUnits;
import dev.perigee.store.frame.FrameLayout;
import dev.perigee.store.frame.FrameSeal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A log in memory, with segments, units and epochs as a real one has them; a feed reads it, an intake's sink fills it. */
@OwnedBy("the test")
public final class ByteLog implements FeedSource, LogIntake.UnitSink {
    private final int segmentBytes;
    private final List<byte[]> segments = new ArrayList<>();
    private final FrameSeal seal = new FrameSeal();
    private final List<Long> unitEnds = new ArrayList<>();
    private final TreeMap<Long, Integer> epochs = new TreeMap<>();
    private long start;
    private long end;
    private long confirm;
    private long queueOffset;
    private int epoch = 1;
    /** 0 for that of any session. */
    private int endsIn;

    private int pinned;
    private boolean full;
    private boolean cold;

    public ByteLog(int segmentBytes) {
        this.segmentBytes = segmentBytes;
    }

    /** The epoch of what is appended from now on. */
    public ByteLog epoch(int number) {
        epoch = number;
        return this;
    }

    /** Another one writes its end, in this epoch. */
    public void endIn(int number) {
        endsIn = number;
    }

    @Override
    public boolean endsIn(int number) {
        return endsIn == 0 || endsIn == number;
    }

    /** Appends one unit of frames with bodies of these sizes. */
    public ByteLog unit(int... bodyBytes) {
        List<FrameDraft> drafts = new ArrayList<>();
        int size = 0;
        for (int bytes : bodyBytes) {
            byte[] body = new byte[bytes];
            Arrays.fill(body, (byte) (queueOffset + drafts.size()));
            drafts.add(new FrameDraft()
                    .topic("t".getBytes(StandardCharsets.UTF_8))
                    .bornTimestampMs(1)
                    .body(ByteBuffer.wrap(body)));
            size += drafts.get(drafts.size() - 1).sizeBytes();
        }
        roll(size);
        ByteBuffer memory = ByteBuffer.allocate(size);
        drafts.forEach(draft -> draft.writeTo(memory));
        memory.clear();
        seal.unit(epoch, 1_000, end);
        int at = 0;
        for (int i = 0; i < bodyBytes.length; i++) {
            int frame = memory.getInt(at);
            seal.seal(memory, at, queueOffset++, end + at, i + 1 < bodyBytes.length);
            at += frame;
        }
        put(end, memory);
        end += size;
        unitEnds.add(end);
        epochs.put(end, epoch);
        return this;
    }

    private void roll(int size) {
        long room = segments.size() * (long) segmentBytes - end;
        if (size + FrameLayout.HEAD_BYTES > segmentBytes) {
            throw new IllegalArgumentException("a unit of " + size + " bytes in segments of " + segmentBytes);
        }
        if (size + FrameLayout.HEAD_BYTES > room) {
            if (room > 0) {
                ByteBuffer blank = ByteBuffer.allocate(FrameLayout.HEAD_BYTES);
                put(
                        end,
                        blank.putInt((int) room).putInt(FrameLayout.BLANK_MAGIC).flip());
                end += room;
            }
            segments.add(new byte[segmentBytes]);
        }
    }

    private void put(long offset, ByteBuffer bytes) {
        while (segments.size() * (long) segmentBytes <= offset) {
            segments.add(new byte[segmentBytes]);
        }
        bytes.get(segments.get((int) (offset / segmentBytes)), (int) (offset % segmentBytes), bytes.remaining());
    }

    /** The epoch of the last whole unit before an offset; 0 when there is none. */
    public int epochBefore(long offset) {
        Map.Entry<Long, Integer> last = epochs.floorEntry(offset);
        return last == null ? 0 : last.getValue();
    }

    /** Turns a bit around. */
    public void damage(long offset) {
        segments.get((int) (offset / segmentBytes))[(int) (offset % segmentBytes)] ^= 1;
    }

    /** Forgets what lies below. */
    public void trimTo(long offset) {
        start = offset;
    }

    public void confirm(long offset) {
        confirm = offset;
    }

    /** Whether the log takes nothing now. */
    public void full(boolean isFull) {
        full = isFull;
    }

    /** Whether its bytes have to come from the disk. */
    public void cold(boolean isCold) {
        cold = isCold;
    }

    /** How many pins were not given back. */
    public int pinned() {
        return pinned;
    }

    /** The ends of all units, in order. */
    public List<Long> unitEnds() {
        return unitEnds;
    }

    public byte[] bytes() {
        byte[] all = new byte[(int) end];
        for (int at = 0; at < end; at += segmentBytes) {
            System.arraycopy(segments.get(at / segmentBytes), 0, all, at, (int) Math.min(segmentBytes, end - at));
        }
        return all;
    }

    @Override
    public boolean offer(LogUnits units, long confirmOffset) {
        if (full) {
            return false;
        }
        confirm = confirmOffset;
        if (units.offset() != end) {
            throw new IllegalStateException("units for offset " + units.offset() + " at the end " + end);
        }
        ByteBuffer bytes = units.bytes();
        int size = bytes.remaining();
        int at = 0;
        long to = end;
        while (at < size) {
            int length = bytes.getInt(at);
            boolean blank = bytes.getInt(at + FrameLayout.MAGIC) == FrameLayout.BLANK_MAGIC;
            at += blank ? FrameLayout.HEAD_BYTES : length;
            to += length;
        }
        put(end, bytes);
        end = to;
        return true;
    }

    @Override
    public long startOffset() {
        return start;
    }

    @Override
    public long endOffset() {
        return end;
    }

    @Override
    public long confirmOffset() {
        return confirm;
    }

    @Override
    public boolean isLoaded(Pinned bytes, long from, long to) {
        if (from < bytes.fromOffset() || to > end || from > to) {
            throw new IllegalArgumentException("bytes " + from + " to " + to + " of a log that ends at " + end);
        }
        return !cold;
    }

    @Override
    public long writtenFrom() {
        return cold ? Long.MAX_VALUE : 0;
    }

    @Override
    public Optional<Pinned> pin(long offset) {
        if (offset < start || offset >= end) {
            return Optional.empty();
        }
        pinned++;
        byte[] segment = segments.get((int) (offset / segmentBytes));
        int at = (int) (offset % segmentBytes);
        ByteBuffer rest =
                ByteBuffer.wrap(segment, at, segmentBytes - at).slice().asReadOnlyBuffer();
        return Optional.of(new Pinned(offset, rest, () -> pinned--));
    }
}
