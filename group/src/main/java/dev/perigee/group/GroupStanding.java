package dev.perigee.group;

import dev.perigee.loop.Immutable;
import dev.perigee.raft.Role;
import java.util.Optional;

/**
 * What a node is in its group, as of the log loop's last pass.
 *
 * @param role of its term
 * @param term the highest it has taken part in
 * @param leaderId who leads that, as far as it is known
 * @param admits whether it takes what clients send
 * @param established whether it leads and its own epoch is confirmed (R31)
 * @param inTouch whether it heard a majority, or its leader, within an election timeout (R32)
 * @param sure whether it has all that it ever answered for (R5)
 */
@Immutable
public record GroupStanding(
        Role.Kind role,
        int term,
        Optional<String> leaderId,
        boolean admits,
        boolean established,
        boolean inTouch,
        boolean sure) {
    /** Before the node runs. */
    static final GroupStanding NONE =
            new GroupStanding(Role.Kind.FOLLOWER, 0, Optional.empty(), false, false, false, false);

    /** Whether this node leads. */
    public boolean leads() {
        return role == Role.Kind.LEADER;
    }
}
