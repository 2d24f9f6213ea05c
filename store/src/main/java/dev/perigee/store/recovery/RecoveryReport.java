package dev.perigee.store.recovery;

import dev.perigee.loop.Immutable;
import dev.perigee.store.epoch.EpochTable;
import dev.perigee.store.epoch.MemberFacts;
import dev.perigee.store.epoch.ReplicaSets;
import dev.perigee.store.frame.FrameLayout;
import dev.perigee.store.tail.Flusher;

/**
 * What recovery found and did.
 *
 * @param startOffset the first byte of the log
 * @param endOffset where it ends now
 * @param scannedFrom where the scan began
 * @param frames frames verified
 * @param cutBytes bytes behind the end that were not zero and are gone
 * @param cutReason why the scan ended, in words; empty when nothing was cut
 * @param rewrittenBytes bytes written over themselves because only the page cache vouched for them (R8)
 * @param clean whether the store had been closed in order
 * @param followed whether its end was written by another node, which may have written more
 * @param lostBytes how many acknowledged bytes may be missing behind the end at most: the tail was cut by hand, flushing was
 *     asynchronous and the machine went down, or a replica's tail was cut that need not have been torn; 0 for none
 * @param epoch the epoch of the last frame; 0 for an empty log
 * @param epochs which epochs wrote what, from the start to the end
 * @param replicaSets whom its facts name as in sync
 * @param members who belongs to the group as its facts say
 * @param storeTimestampMs at least the store timestamp of the last frame
 * @param generation how often the log was cut (R1)
 */
@Immutable
public record RecoveryReport(
        long startOffset,
        long endOffset,
        long scannedFrom,
        long frames,
        long cutBytes,
        String cutReason,
        long rewrittenBytes,
        boolean clean,
        boolean followed,
        long lostBytes,
        int epoch,
        EpochTable epochs,
        ReplicaSets replicaSets,
        MemberFacts members,
        long storeTimestampMs,
        long generation) {
    /** What a force did not reach at most, and the one unit that may go over the limit. */
    static final long MAX_LOST_BYTES = Flusher.MAX_UNSYNCED_BYTES + FrameLayout.MAX_BYTES;

    /** As {@link #queueOffsetGap} for the most that a loss of power can take. */
    public static final long LARGEST_GAP = MAX_LOST_BYTES / FrameLayout.MIN_BYTES + 1;

    /**
     * What another node that went on with this log as its master may have given away, whose messages are given up: it began behind a gap
     * itself, and how much it wrote is not known here (R23).
     */
    public static final long GAP_OF_A_BRANCH = 2 * LARGEST_GAP;

    /** Whether acknowledged bytes may be gone. */
    public boolean mayHaveLostTail() {
        return lostBytes > 0;
    }

    /** Whether this is the log of a replica that may have forgotten bytes it answered for (R5). */
    public boolean isRestoring() {
        return followed && mayHaveLostTail();
    }

    /**
     * More messages of one queue than can be missing where this node goes on writing the log by itself: as many of the smallest frames as
     * go into the lost bytes. Where another node wrote its end, that one may have written and confirmed more, which consumers may have
     * seen there: as after a lost tail, no queue offset may be given away twice (R23). How much is not known to anybody here; it is taken
     * to be as much as a loss of power can take.
     */
    public long queueOffsetGap() {
        long unknown = lostBytes + (followed && startOffset != endOffset ? MAX_LOST_BYTES : 0);
        return unknown == 0 ? 0 : unknown / FrameLayout.MIN_BYTES + 1;
    }
}
