package dev.perigee.group;

import dev.perigee.loop.OwnedBy;
import dev.perigee.raft.Fitness;

/**
 * What the disk is good for. It is blocked while even facts find no room, or when what was written has not become durable for as long as
 * a leader may be unheard; and slow until that has been over for a while, so that leadership does not go to and fro. A disk that only
 * refuses messages for want of free space is full: others may have more, and if not, deleting needs a leader.
 */
@OwnedBy("log loop")
final class DiskHealth {
    /** For what there is room on the disk. */
    enum Room {
        /** For all. */
        ALL,
        /** For facts, of what is kept back for them. */
        FACTS,
        /** For nothing. */
        NONE
    }

    /** For so long all must be well. */
    static final long WELL_MS = 10_000;

    private final long patienceMs;
    private final long stepMs;
    private boolean begun;
    private long lookedMs;
    private long syncedOffset;
    /** How long something has waited to become durable and nothing did. */
    private long stuckMs;

    private long wellMs = WELL_MS;

    /**
     * @param patienceMs for so long a force may take
     * @param stepMs between two looks no more than this counts: a process that stood still says nothing about its disk
     */
    DiskHealth(long patienceMs, long stepMs) {
        this.patienceMs = patienceMs;
        this.stepMs = stepMs;
    }

    /**
     * Looks.
     *
     * @param room for what there is
     * @param endOffset where the log ends
     * @param durableOffset up to where it is durable
     */
    Fitness look(long nowMs, Room room, long endOffset, long durableOffset) {
        long passedMs = begun ? Math.max(0, Math.min(nowMs - lookedMs, stepMs)) : 0;
        boolean moved = durableOffset != syncedOffset || durableOffset >= endOffset;
        begun = true;
        lookedMs = nowMs;
        syncedOffset = durableOffset;
        stuckMs = moved ? 0 : stuckMs + passedMs;
        boolean blocked = room == Room.NONE || stuckMs > patienceMs;
        wellMs = blocked ? 0 : Math.min(WELL_MS, wellMs + passedMs);
        if (blocked) {
            return Fitness.BLOCKED;
        }
        return room == Room.FACTS ? Fitness.FULL : wellMs == WELL_MS ? Fitness.WELL : Fitness.SLOW;
    }
}
