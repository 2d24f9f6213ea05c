package dev.perigee.broker.pull;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.replica.Standing;
import dev.perigee.store.queue.ConsumeQueue;
import org.jspecify.annotations.Nullable;

/**
 * What a slave makes of pulls (broker-client §2.1). While its master is heard it hands over what a reader lacks that was sent here,
 * and sends back to the master whoever finds nothing. Without a master it is what readers have: they wait here, also those that
 * are further than this log, and nobody's offset is corrected for what only the master has.
 */
@ThreadSafe
final class SlavePulls {
    /** A reader that is sent to the master and may wait does so for this long: its route may not show it the master yet. */
    static final long SENT_ON_MS = 200;

    private static final long MASTER_ID = 0;

    private final Standing standing;

    SlavePulls(Standing standing) {
        this.standing = standing;
    }

    /** Until when a pull waits here before it is sent on to the master, monotonic milliseconds. */
    static long untilSentOnMs(Pull pull, long nowMs) {
        return Math.min(pull.deadlineMs(), nowMs + SENT_ON_MS);
    }

    /** Whether nothing is read here now, for whomever: see {@link #turnAway}. */
    boolean mayNotRead() {
        return standing.notYet().isPresent() || (standing.isMasterHeard() && !standing.isReadBesideMaster());
    }

    /** Sends the reader to the master when it is heard, else tells it to try again later. */
    void turnAway(Pull pull) {
        String notYet = standing.notYet().orElse(null);
        if (standing.isMasterHeard() || notYet == null) {
            toMaster(pull);
        } else {
            pull.reply().fail(ResponseCode.SYSTEM_BUSY, "[REJECTREQUEST]this slave cannot be read yet: " + notYet);
        }
    }

    /** Whether a pull has to wait for messages, when it may; {@code queue} is null when it is not known here. */
    boolean waits(Pull pull, @Nullable ConsumeQueue queue) {
        return pull.fromOffset() >= (queue == null ? 0 : queue.maxOffset());
    }

    /** What a reader is told of what was found. */
    PullAnswer told(Pull pull, PullAnswer answer) {
        if (answer.status() == ReadStatus.FOUND || answer.status() == ReadStatus.OFFSET_TOO_SMALL) {
            return answer; // no queue begins earlier at the master; whoever takes this broker for it would ask again at
            // once
        }
        long asked = pull.header().queueOffset();
        boolean isBehind =
                answer.status() != ReadStatus.NO_MATCHED_MESSAGE && answer.status() != ReadStatus.MESSAGE_WAS_REMOVING;
        long next = isBehind ? asked : answer.header().nextBeginOffset();
        if (standing.isMasterHeard()) {
            return answer.asNothing(ResponseCode.PULL_RETRY_IMMEDIATELY, next, MASTER_ID);
        }
        boolean onlyMasterHas = answer.status() == ReadStatus.OFFSET_OVERFLOW_BADLY
                || answer.status() == ReadStatus.NO_MATCHED_LOGIC_QUEUE
                || answer.status() == ReadStatus.NO_MESSAGE_IN_QUEUE;
        return onlyMasterHas ? answer.asNothing(ResponseCode.PULL_NOT_FOUND, asked, MASTER_ID) : answer;
    }

    private static void toMaster(Pull pull) {
        PullMessageResponse header =
                new PullMessageResponse(MASTER_ID, pull.header().queueOffset(), 0, 0, null, null, null, null);
        pull.reply().send(ResponseCode.PULL_RETRY_IMMEDIATELY, ReadStatus.NO_MATCHED_MESSAGE.name(), header, null);
    }
}
