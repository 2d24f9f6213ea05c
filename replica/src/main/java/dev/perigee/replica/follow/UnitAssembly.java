package dev.perigee.replica.follow;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.FrameStamp;
import dev.perigee.store.frame.FrameLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Joins the bytes of a stream to whole units (R20). It looks at sizes, magics and the unit's bit of stamps only, within
 * bounds: the log verifies what it is given before it writes.
 */
@OwnedBy("event loop")
final class UnitAssembly {
    private final int maxUnitBytes;
    private final int fragmentBytes;
    private byte[] bytes = new byte[0];
    private ByteBuffer view = ByteBuffer.wrap(bytes);
    private int size;
    /** Where the next frame begins. */
    private int scanned;
    /** The end of the last whole unit. */
    private int unitsEnd;

    private boolean inUnit;
    private boolean blankSeen;
    /** Where the first byte belongs. */
    private long offset;
    /** The byte after the last whole unit; behind a blank, the next segment's first. */
    private long unitsEndOffset;

    private int epoch;

    /**
     * @param offset where the first byte to come belongs
     * @param epoch the epoch of the unit before; 0 when there is none
     * @param fragmentBytes what the first fragment of a unit has at least
     */
    UnitAssembly(long offset, int epoch, int maxUnitBytes, int fragmentBytes) {
        this.maxUnitBytes = maxUnitBytes;
        this.fragmentBytes = fragmentBytes;
        this.offset = offset;
        this.unitsEndOffset = offset;
        this.epoch = epoch;
    }

    /** Where the next byte belongs. */
    long nextOffset() {
        return blankSeen ? unitsEndOffset : offset + size;
    }

    /** The byte after the last whole unit (exclusive); behind a blank, the start of the next segment. */
    long unitsEndOffset() {
        return unitsEndOffset;
    }

    /** The epoch of the last whole unit. */
    int epoch() {
        return epoch;
    }

    /** Takes more bytes; answers what is wrong with them, or null. Then this is not to be used any more. */
    @Nullable
    String add(ByteBuffer more) {
        if (blankSeen) {
            throw new IllegalStateException("the units in front of offset " + unitsEndOffset + " were not taken");
        }
        int count = more.remaining();
        boolean begins = size == 0;
        reserve(count);
        more.get(bytes, size, count);
        size += count;
        String fault = scan();
        return fault == null && isUnfinished() ? notSentSo(begins, count) : fault;
    }

    /**
     * A sender breaks up only what does not fit into a frame, and sends nothing beside a fragment. So bytes that look like a part of a unit
     * and were not sent as one are damaged, and the rest would be waited for until as much has come.
     */
    private @Nullable String notSentSo(boolean begins, int count) {
        if (unitsEnd > 0 || (begins && count < fragmentBytes)) {
            return "the unit at offset " + unitsEndOffset + " does not end with its frame of " + count
                    + " bytes, and is no fragment, which has " + fragmentBytes + " and stands alone";
        }
        return null;
    }

    /** Whether the rest of a unit is to come. */
    boolean isUnfinished() {
        return size > unitsEnd;
    }

    /** The whole units, taken out; empty when there are none. */
    Optional<LogUnits> take() {
        if (unitsEnd == 0) {
            return Optional.empty();
        }
        LogUnits units =
                new LogUnits(offset, ByteBuffer.wrap(bytes, 0, unitsEnd).slice());
        byte[] rest = unitsEnd == size ? new byte[0] : Arrays.copyOfRange(bytes, unitsEnd, size);
        bytes = rest;
        view = ByteBuffer.wrap(rest);
        size = rest.length;
        scanned -= unitsEnd;
        unitsEnd = 0;
        offset = unitsEndOffset;
        blankSeen = false;
        return Optional.of(units);
    }

    private @Nullable String scan() {
        while (size - scanned >= FrameLayout.HEAD_BYTES) {
            int length = view.getInt(scanned);
            int magic = view.getInt(scanned + FrameLayout.MAGIC);
            if (magic == FrameLayout.BLANK_MAGIC) {
                return blank(length);
            }
            if (!FrameLayout.isFrameMagic(magic) || length < FrameLayout.MIN_BYTES) {
                return "no frame at offset " + (offset + scanned) + ": size " + length + ", magic 0x"
                        + Integer.toHexString(magic);
            }
            if (length > maxUnitBytes - (scanned - unitsEnd)) {
                return "the unit at offset " + (offset + unitsEnd) + " has more than " + maxUnitBytes + " bytes";
            }
            if (length > size - scanned) {
                reserve(length - (size - scanned));
                return null;
            }
            frame(length);
        }
        return null;
    }

    private void frame(int length) {
        boolean stamped = FrameStamp.isPresent(view, scanned, length);
        inUnit = stamped && FrameStamp.unitContinues(view, scanned, length);
        int frameEpoch = stamped ? FrameStamp.epoch(view, scanned, length) : 0;
        scanned += length;
        if (!inUnit) {
            unitsEnd = scanned;
            unitsEndOffset = offset + unitsEnd;
            epoch = frameEpoch;
        }
    }

    private @Nullable String blank(int length) {
        long at = offset + scanned;
        if (inUnit || length < FrameLayout.HEAD_BYTES || size - scanned > FrameLayout.HEAD_BYTES) {
            return "the blank at offset " + at + " of size " + length
                    + " stands inside of a unit, is too short, or is not the last in its frame";
        }
        scanned += FrameLayout.HEAD_BYTES;
        unitsEnd = scanned;
        unitsEndOffset = at + length;
        blankSeen = true;
        return null;
    }

    private void reserve(int more) {
        int needed = size + more;
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, size == 0 ? needed : Math.max(needed, 2 * bytes.length));
            view = ByteBuffer.wrap(bytes);
        }
    }
}
