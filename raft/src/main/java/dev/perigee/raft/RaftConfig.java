package dev.perigee.raft;

import dev.perigee.loop.Immutable;
import dev.perigee.raft.member.Members;

/**
 * What a node is told of itself and its group.
 *
 * @param selfId its id among the members
 * @param nodeId the random name of its data folder (R6), never 0
 * @param configured the peers of the settings; once the log names members, those count (R15)
 * @param electionTimeoutMs for so long a leader may be unheard; a follower then waits for up to as long again, at random, and stands
 * @param heartbeatMs how often a leader speaks, at most a third of the election timeout
 * @param heldWhen what counts as held
 */
@Immutable
public record RaftConfig(
        String selfId, long nodeId, Members configured, long electionTimeoutMs, long heartbeatMs, HeldWhen heldWhen) {
    private static final int HEARTBEATS_IN_A_TIMEOUT = 3;

    /** When a node answers for bytes: its flush policy. */
    public enum HeldWhen {
        /** When they are written: asynchronous flush. */
        WRITTEN,
        /** When they are on the disk: synchronous flush. */
        FORCED
    }

    public RaftConfig {
        if (!configured.isVoter(selfId)) {
            throw new IllegalArgumentException("selfId=" + selfId + " is not among the peers " + configured.voters());
        }
        if (nodeId == 0) {
            throw new IllegalArgumentException("nodeId=0 of " + selfId + ", wanted a random number");
        }
        if (heartbeatMs < 1 || electionTimeoutMs < HEARTBEATS_IN_A_TIMEOUT * heartbeatMs) {
            throw new IllegalArgumentException("electionTimeoutMs=" + electionTimeoutMs + " heartbeatMs=" + heartbeatMs
                    + ", the first must be at least " + HEARTBEATS_IN_A_TIMEOUT + " times the second, that above 0");
        }
    }
}
