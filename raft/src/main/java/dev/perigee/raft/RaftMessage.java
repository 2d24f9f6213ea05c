package dev.perigee.raft;

import dev.perigee.loop.Immutable;

/**
 * What nodes of a group say to each other, but for the bytes of the log: those go from feed to intake, and the node is told what became
 * of them. AppendEntries of Raft §5.3 is thereby four things: its consistency check is {@link Hello} and the search for the fork, its
 * entries are the stream, its answer is {@link Held}, and its heartbeat is {@link Lead}. Any may be lost, late or doubled.
 */
public sealed interface RaftMessage {
    /** The kinds, for switches. */
    enum Kind {
        /** {@link VoteRequest}. */
        VOTE_REQUEST,
        /** {@link VoteAnswer}. */
        VOTE_ANSWER,
        /** {@link Lead}. */
        LEAD,
        /** {@link LeadAnswer}. */
        LEAD_ANSWER,
        /** {@link Hello}. */
        HELLO,
        /** {@link HelloAnswer}. */
        HELLO_ANSWER,
        /** {@link Held}. */
        HELD,
        /** {@link TransferNow}. */
        TRANSFER_NOW
    }

    /** Whether votes are asked for, or only whether they would be given (thesis §9.6). */
    enum Phase {
        /** Nobody is bound by the answer; the term asked for is the one after the candidate's. */
        PRE,
        /** The answer is a vote. */
        REAL
    }

    /** Why there is to be an election. */
    enum Reason {
        /** No leader was heard. */
        SILENCE,
        /** The leader asked for it: who hears that leader may vote all the same (thesis §3.10). */
        TRANSFER,
        /** Too few members are sure of what they held, and all were heard: the most advanced log is to be the group's (R5). */
        LAST_RESORT
    }

    /** Which one it is. */
    Kind kind();

    /** The id of who says it. */
    String from();

    /** The id of whom it is for. */
    String to();

    /** The sender's term, or in a pre-vote the one it would stand in. */
    int term();

    /**
     * RequestVote (Raft §5.2), and its question before (thesis §9.6).
     *
     * @param log where the candidate's log ends
     * @param begins the ids of the voters by the candidate's settings, while its log does not say who they are; empty once it does
     */
    @Immutable
    record VoteRequest(String from, String to, int term, Phase phase, Reason reason, LogEnd log, String begins)
            implements RaftMessage {
        @Override
        public Kind kind() {
            return Kind.VOTE_REQUEST;
        }
    }

    /**
     * The answer to {@link VoteRequest}.
     *
     * @param term of the vote that is granted; of who refuses, its own
     * @param nodeId the folder of who answers (R6)
     * @param condition whether it is sure of what it held (R5)
     * @param log where its log ends
     * @param asked where the candidate's log ended by its request
     */
    @Immutable
    record VoteAnswer(
            String from,
            String to,
            int term,
            Phase phase,
            boolean granted,
            long nodeId,
            Recovered.Condition condition,
            LogEnd log,
            LogEnd asked)
            implements RaftMessage {
        @Override
        public Kind kind() {
            return Kind.VOTE_ANSWER;
        }
    }

    /**
     * The sender leads its term: the heartbeat, and what tells a follower whom to say hello to.
     *
     * @param session in which the leader feeds the receiver; 0 for none
     * @param saidMs when it was said, by the leader's clock
     */
    @Immutable
    record Lead(String from, String to, int term, long session, long saidMs) implements RaftMessage {
        @Override
        public Kind kind() {
            return Kind.LEAD;
        }
    }

    /**
     * The leader was heard, or, from a later term, leads no more.
     *
     * @param session the one that streams; 0 for none
     * @param heldOffset as in {@link Held}; 0 without a session
     * @param saidMs as in what it answers: an answer that lay somewhere while the leader stood still says nothing of now (R32)
     * @param nodeId the folder of who answers (R6)
     */
    @Immutable
    record LeadAnswer(String from, String to, int term, long session, long heldOffset, long saidMs, long nodeId)
            implements RaftMessage {
        @Override
        public Kind kind() {
            return Kind.LEAD_ANSWER;
        }
    }

    /**
     * A follower asks to be fed; the frame REPLICA_HELLO.
     *
     * @param session random and not 0; all that is said of what is held repeats it (R5)
     * @param nodeId its folder (R6)
     * @param log where its log ends
     */
    @Immutable
    record Hello(String from, String to, int term, long session, long nodeId, Recovered.Condition condition, LogEnd log)
            implements RaftMessage {
        @Override
        public Kind kind() {
            return Kind.HELLO;
        }
    }

    /**
     * The answer to {@link Hello}.
     *
     * @param leaderEnd where the leader's log ends now
     * @param lastResort whether the leader was elected by all as the last resort (R5): who has what it had then is sure of it
     * @param refusal why the follower is not fed, with both sides' values; empty when it is
     */
    @Immutable
    record HelloAnswer(
            String from, String to, int term, long session, long leaderEnd, boolean lastResort, String refusal)
            implements RaftMessage {
        @Override
        public Kind kind() {
            return Kind.HELLO_ANSWER;
        }
    }

    /**
     * What a follower answers for; the frame REPLICA_HELD.
     *
     * @param endOffset all below is the leader's, and written or durable as the flush policy says (exclusive)
     */
    @Immutable
    record Held(String from, String to, int term, long session, long endOffset) implements RaftMessage {
        @Override
        public Kind kind() {
            return Kind.HELD;
        }
    }

    /** The leader wants the receiver, which has all its bytes, to stand at once: TimeoutNow of thesis §3.10. */
    @Immutable
    record TransferNow(String from, String to, int term) implements RaftMessage {
        @Override
        public Kind kind() {
            return Kind.TRANSFER_NOW;
        }
    }
}
