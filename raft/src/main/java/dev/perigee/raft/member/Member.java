package dev.perigee.raft.member;

import dev.perigee.loop.Immutable;

/**
 * One node of a group.
 *
 * @param id as configured, for instance {@code n0}
 * @param nodeId the random name of its data folder (R6): the same id with another folder is another node; 0 while the group has
 *     not begun and nobody knows it
 * @param address where it listens for the others, {@code host:port}; told along, never looked at here
 */
@Immutable
public record Member(String id, long nodeId, String address) {
    /** A longer id is refused. */
    public static final int MAX_ID_LENGTH = 63;

    public Member {
        if (id.isEmpty() || id.length() > MAX_ID_LENGTH) {
            throw new IllegalArgumentException(
                    "id=" + id + " of a member, wanted 1 to " + MAX_ID_LENGTH + " characters");
        }
    }

    /** Whether a node that says so of itself is this member. */
    public boolean is(String otherId, long otherNodeId) {
        return id.equals(otherId) && (nodeId == 0 || nodeId == otherNodeId);
    }

    @Override
    public String toString() {
        return id + "/" + Long.toHexString(nodeId);
    }
}
