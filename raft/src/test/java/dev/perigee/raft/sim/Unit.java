package dev.perigee.raft.sim;

import dev.perigee.raft.member.Members;
import org.jspecify.annotations.Nullable;

/**
 * One unit of a log.
 *
 * @param id tells it apart from every other unit of the run
 * @param members the fact in it; null for any other content
 * @param prefix says all that stands up to its end
 */
record Unit(
        long start,
        long end,
        int epoch,
        long epochId,
        long id,
        @Nullable Members members,
        long prefix) {
    static Unit after(
            long prefixBefore, long start, long end, int epoch, long epochId, long id, @Nullable Members members) {
        long mixed = (prefixBefore ^ id) * 0x9e3779b97f4a7c15L + end;
        return new Unit(start, end, epoch, epochId, id, members, mixed ^ (mixed >>> 29));
    }
}
