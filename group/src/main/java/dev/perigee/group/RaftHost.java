package dev.perigee.group;

import dev.perigee.raft.Effects;
import dev.perigee.raft.Fitness;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.RaftMessage;
import dev.perigee.raft.Vote;
import dev.perigee.raft.member.Members;

/** Carries out what the Raft node wants. On the log loop; none of it blocks, and what becomes of it comes back by the {@link RaftInbox}. */
interface RaftHost {
    /** The node leads no more: nobody is fed from here on. */
    void steppedDown();

    /** The node leads: it follows nobody. */
    void leads();

    /** Makes a vote durable; a later one replaces it. */
    void persist(Vote vote);

    /** Appends who the members are. */
    void append(Members members);

    /** Orders a cut; false when there is no room for the order now. */
    boolean cut(long session, long endOffset);

    /** A session with a leader was taken in: both logs are compared. */
    void follow(Effects.Following following);

    /**
     * Says something to another node.
     *
     * @param end where this node's log ends
     */
    void send(RaftMessage message, LogEnd end);

    /** What the disk is good for, as far as can be seen now. */
    Fitness fitness(long nowMs);

    /** The log has grown. That more of it is confirmed feeds look up by themselves. */
    void grew();

    /** These are the members, and that is confirmed and told for a while: nobody else is fed. */
    void feedOnly(Members confirmed);

    /** What may have been forgotten is here again. */
    void restored();

    /** These are the members now. */
    void members(Members members);
}
