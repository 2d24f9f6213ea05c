package dev.perigee.raft;

import dev.perigee.loop.Immutable;
import dev.perigee.raft.member.MembersFact;
import java.util.List;

/**
 * What a node finds in its folder when it starts.
 *
 * @param vote of the file, never older than the log; {@link Vote#NONE} only where there is no log either
 * @param end where the log ends, all of it durable (R8)
 * @param generation of that end (R1)
 * @param confirmOffset what was kept as confirmed, not beyond the end
 * @param members what the log says of members, oldest first
 * @param condition whether it may have forgotten bytes
 */
@Immutable
public record Recovered(
        Vote vote, LogEnd end, long generation, long confirmOffset, List<MembersFact> members, Condition condition) {
    /** Whether a node may vouch for what it once held. */
    public enum Condition {
        /** It has all bytes it ever answered for. */
        SOUND,
        /** It may have forgotten some (R5). */
        RESTORING
    }

    public Recovered {
        members = List.copyOf(members);
        if (vote.term() < end.epoch()) {
            throw new IllegalArgumentException(
                    "the vote is of term " + vote.term() + ", but the log ends in epoch " + end.epoch()
                            + ": whoever wrote that had a later vote durable first (R36), so this one was put back from elsewhere");
        }
        if (confirmOffset < 0 || confirmOffset > end.endOffset()) {
            throw new IllegalArgumentException(
                    "confirmOffset=" + confirmOffset + " of a log that ends at " + end.endOffset());
        }
    }
}
