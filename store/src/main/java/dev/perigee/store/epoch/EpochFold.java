package dev.perigee.store.epoch;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.EpochStarted;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.LogHead;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.message.MessageFrame;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Folds the frames of a log into its table of epochs, in their order. A rise of the stamped epoch without a frame that tells of
 * it makes an epoch of unknown id, which equals no other; that, and whatever else contradicts the table so far, is an
 * objection.
 */
@OwnedBy("its user")
public final class EpochFold {
    private static final int HEX = 16;
    private static final long UNKNOWN_ID = 0;

    /** The first thing that did not fit, in words. */
    public record Objection(long offset, String expected, String found) {}

    private EpochTable table;
    private @Nullable Objection objection;

    /** @param table the epochs of everything before the first frame */
    public EpochFold(EpochTable table) {
        this.table = table;
    }

    /** Whether what is in a frame inside a segment can matter: only where the epoch changes. */
    public boolean changesAt(int epoch) {
        return !isLast(epoch);
    }

    /** Folds in a frame inside a segment, with the epoch in its stamp and the fact it holds, if any. */
    public void frame(long offset, int epoch, @Nullable Fact fact) {
        if (fact instanceof EpochStarted started) {
            begun(offset, epoch, started);
        } else if (!isLast(epoch)) {
            object(offset, "a frame of " + lastInWords() + " or a start of a later one", "a frame of epoch " + epoch);
            addUnknown(offset, epoch);
        }
    }

    /**
     * Folds in the first frame of a segment.
     *
     * @param previousEnd where the frame before ends; 0 when that is not known. An epoch begins with its head, but logs of
     *     earlier builds have some that begin with the blank in front of it
     */
    public void head(long offset, int epoch, long previousEnd, @Nullable Fact fact) {
        if (!(fact instanceof LogHead head) || head.epochNumber() != epoch) {
            object(offset, "a head of epoch " + epoch, fact == null ? "no fact" : fact.toString());
            addUnknown(offset, epoch);
            return;
        }
        Epoch told = new Epoch(epoch, idOf(head.epochId()), head.epochStart());
        Optional<Epoch> last = table.last();
        if (last.isPresent() && last.get().number() == epoch) {
            if (!last.get().equals(told)) {
                object(offset, "a head of " + last.get(), "one of " + told);
            }
        } else if (told.startOffset() > offset || (last.isPresent() && told.startOffset() < previousEnd)) {
            object(offset, "a start of the epoch from " + previousEnd + " to " + offset, told.toString());
            addUnknown(offset, epoch);
        } else {
            add(offset, told);
        }
    }

    private void begun(long offset, int epoch, EpochStarted started) {
        if (started.number() != epoch || isLast(epoch)) {
            object(offset, "a later start than of " + lastInWords(), started + " stamped " + epoch);
            addUnknown(offset, epoch);
        } else {
            add(offset, new Epoch(epoch, idOf(started.id()), offset));
        }
    }

    private void add(long offset, Epoch epoch) {
        Optional<Epoch> last = table.last();
        if (last.isPresent()
                && (last.get().number() >= epoch.number() || last.get().startOffset() >= epoch.startOffset())) {
            object(offset, "an epoch after " + last.get(), epoch.toString());
        } else {
            if (epoch.id() == UNKNOWN_ID) {
                object(offset, "an id of epoch " + epoch.number() + " in hexadecimal digits", "another text");
            }
            table = table.add(epoch);
        }
    }

    private void addUnknown(long offset, int epoch) {
        Optional<Epoch> last = table.last();
        if (last.isEmpty() || (last.get().number() < epoch && last.get().startOffset() < offset)) {
            table = table.add(new Epoch(epoch, UNKNOWN_ID, offset));
        }
    }

    private void object(long offset, String expected, String found) {
        if (objection == null) {
            objection = new Objection(offset, expected, found);
        }
    }

    private boolean isLast(int epoch) {
        Optional<Epoch> last = table.last();
        return last.isPresent() && last.get().number() == epoch;
    }

    private String lastInWords() {
        return table.last().map(last -> "epoch " + last.number()).orElse("no epoch yet");
    }

    private static long idOf(String hex) {
        try {
            return Long.parseUnsignedLong(hex, HEX);
        } catch (NumberFormatException e) {
            return UNKNOWN_ID;
        }
    }

    /** The fact in a whole, checked frame; null when it holds none that can be read. */
    public static @Nullable Fact factOf(ByteBuffer bytes, int position) {
        try {
            return FactCodec.decode(new MessageFrame().wrap(bytes, position));
        } catch (BadBodyException e) {
            return null;
        }
    }

    /** The epochs of everything folded so far. */
    public EpochTable table() {
        return table;
    }

    /** The first thing that did not fit; empty while all of it does. */
    public Optional<Objection> objection() {
        return Optional.ofNullable(objection);
    }
}
