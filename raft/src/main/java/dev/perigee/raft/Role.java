package dev.perigee.raft;

/** What a node is in its term (Raft §5.1). Its fields belong to the node that is in it. */
public sealed interface Role permits Follower, Candidate, Leader {
    /** The roles by name. */
    enum Kind {
        /** Receives. */
        FOLLOWER,
        /** Asks whether it would be elected (thesis §9.6); its term is what it was. */
        PRE_CANDIDATE,
        /** Asks for votes. */
        CANDIDATE,
        /** Appends, and decides what is confirmed. */
        LEADER
    }

    /** Which one it is. */
    Kind kind();
}
