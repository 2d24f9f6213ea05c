package dev.perigee.replica.repair;

import dev.perigee.loop.OwnedBy;
import dev.perigee.replica.follow.Confirmed;
import dev.perigee.replica.follow.ConfirmedFile;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.recovery.CorruptLogException;
import dev.perigee.store.recovery.LogPatch;
import dev.perigee.store.tail.HeadFacts;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the store of a broker that replicates, and where that finds damage below what was confirmed writes over it what another one holds
 * there (R28): there both have the same bytes. Damage behind it is not mended, for there the other's log may be another.
 */
@OwnedBy("starting thread")
public final class RangeRepair {
    /** So many pieces are fetched at most, of 256 KiB or one unit; a log that needs more is better filled anew. */
    static final int MAX_PIECES = 4096;

    /** Only the log's name and its size of segments are asked for. */
    private static final int ANY_SEGMENT_BYTES = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(RangeRepair.class);

    /** Opens a store; nothing is left open when it fails. */
    @FunctionalInterface
    public interface Opening<T> {
        /**
         * Opens it. Blocks.
         *
         * @throws CorruptLogException when it is damaged, naming where
         */
        T open() throws IOException;
    }

    /** Another node's log. */
    @FunctionalInterface
    public interface RangeSource {
        /**
         * Whole units that begin at an offset, of a log that has what was confirmed here. Blocks.
         *
         * @throws IOException when they cannot be had, saying why
         */
        byte[] fetch(long logId, Confirmed confirmed, long offset) throws IOException;
    }

    private final Disk disk;
    private final RangeSource source;

    public RangeRepair(Disk disk, RangeSource source) {
        this.disk = disk;
        this.source = source;
    }

    /**
     * Opens, after mending as often as that finds something to mend. Blocks.
     *
     * @throws CorruptLogException when the damage is not below what was confirmed, or the source does not help; why it does
     *     not is suppressed in it
     * @throws IOException whatever else opening fails of
     */
    public <T> T open(Opening<T> opening) throws IOException {
        long mendedTo = -1;
        for (int pieces = 0; pieces < MAX_PIECES; pieces++) {
            try {
                return opening.open();
            } catch (CorruptLogException e) {
                if (e.offset() < mendedTo) {
                    throw e; // what was written there is not what is found there
                }
                mendedTo = mend(e);
            }
        }
        return opening.open();
    }

    private long mend(CorruptLogException damage) throws IOException {
        try {
            HeadFacts head = HeadFacts.read(disk, ANY_SEGMENT_BYTES);
            Confirmed confirmed = ConfirmedFile.confirmedIn(disk);
            if (damage.offset() >= confirmed.offset() || confirmed.epochId() == 0) {
                throw new IOException("what is damaged is not known to be confirmed: " + confirmed);
            }
            byte[] units = source.fetch(head.logId(), confirmed, damage.offset());
            long end = LogPatch.run(
                    disk, damage.offset(), ByteBuffer.wrap(units), confirmed.offset(), head.segmentSizeBytes());
            if (end <= damage.offset()) {
                throw new IOException(
                        "of " + units.length + " bytes that another broker holds there none are a whole, sound"
                                + " unit below the confirm offset " + confirmed.offset());
            }
            LOG.warn(
                    "event=log_mended fromOffset={} toOffset={} reason=\"{}\"",
                    damage.offset(),
                    end,
                    damage.getMessage());
            return end;
        } catch (IOException e) {
            LOG.warn("event=log_not_mended offset={} reason=\"{}\"", damage.offset(), e.getMessage());
            damage.addSuppressed(e);
            throw damage;
        }
    }
}
