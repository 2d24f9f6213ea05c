package dev.perigee.store.recovery;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.LogHead;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.EpochFold;
import dev.perigee.store.epoch.EpochTable;
import dev.perigee.store.frame.FrameVerifier.Verdict;
import dev.perigee.store.log.LogBytes;
import dev.perigee.store.log.LogScan;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What the bytes of a log say about its epochs. Every segment begins with a head that restates its epoch with id and true start
 * (R9), so that most segments need not be read: where a head and the next are of one epoch, none began in between.
 */
@OwnedBy("starting thread")
final class EpochHistory {
    /** Heads are small, and lie far from each other. */
    private static final int HEAD_BLOCK_BYTES = 4096;

    private final LogBytes log;
    private final LogScan heads;

    EpochHistory(LogBytes log) {
        this.log = log;
        this.heads = new LogScan(log, HEAD_BLOCK_BYTES);
    }

    /** Whether every head from one offset to another is in a table as it says. Heads that are damaged say nothing. Blocks. */
    boolean agrees(EpochTable table, long fromOffset, long toOffset) throws IOException {
        for (long start = fromOffset; start < toOffset; start += log.segmentSizeBytes()) {
            if (heads.check(start) != Verdict.FRAME
                    || !(EpochFold.factOf(heads.bytes(start, heads.found().sizeBytes()), 0) instanceof LogHead head)) {
                continue;
            }
            EpochFold alone = new EpochFold(EpochTable.EMPTY);
            alone.head(start, heads.found().epoch(), 0, head);
            Optional<Epoch> told = alone.table().last();
            if (!told.equals(table.at(start))) {
                return false;
            }
        }
        return true;
    }

    /**
     * The table of what lies between two offsets, the first of which is the start of a segment. Damaged places are passed over;
     * an epoch whose beginning is among them has no id. Blocks, at worst for as long as it takes to read all that.
     */
    EpochTable anew(long fromOffset, long toOffset) throws IOException {
        EpochFold fold = new EpochFold(EpochTable.EMPTY);
        LogScan scan = new LogScan(log);
        for (long start = fromOffset; start < toOffset; start += log.segmentSizeBytes()) {
            long next = Math.min(start + log.segmentSizeBytes(), toOffset);
            OptionalInt first = epochOfHead(start);
            OptionalInt last = next < toOffset ? epochOfHead(next) : OptionalInt.empty();
            if (first.isPresent() && first.equals(last)) {
                next = start + 1; // the head is enough
            }
            walk(scan, fold, start, next);
        }
        return fold.table();
    }

    private OptionalInt epochOfHead(long offset) throws IOException {
        return heads.check(offset) == Verdict.FRAME
                ? OptionalInt.of(heads.found().epoch())
                : OptionalInt.empty();
    }

    private static void walk(LogScan scan, EpochFold fold, long from, long to) throws IOException {
        long at = from;
        while (at >= 0 && at < to) {
            Verdict verdict = scan.check(at);
            if (verdict == Verdict.FRAME) {
                follow(scan, fold, at, at == from, 0);
                at += scan.found().sizeBytes();
            } else {
                at = verdict == Verdict.BLANK ? to : scan.findFrame(at + 1, to);
            }
        }
    }

    /** Folds in a frame that was just checked. */
    static void follow(LogScan scan, EpochFold fold, long offset, boolean atHead, long previousEnd) {
        int epoch = scan.found().epoch();
        if (atHead) {
            fold.head(
                    offset,
                    epoch,
                    previousEnd,
                    EpochFold.factOf(scan.bytes(offset, scan.found().sizeBytes()), 0));
        } else if (fold.changesAt(epoch)) {
            fold.frame(
                    offset,
                    epoch,
                    EpochFold.factOf(scan.bytes(offset, scan.found().sizeBytes()), 0));
        }
    }
}
