package dev.perigee.raft;

import dev.perigee.loop.OwnedBy;
import dev.perigee.raft.RaftMessage.Reason;
import dev.perigee.raft.RaftMessage.VoteRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A node's term and vote, and what may not be said before they are durable: anything of that term (R36, Raft §5.1). */
@OwnedBy("log loop")
final class Ballot {
    /** Messages held back at most; the oldest goes then, as if the network had lost it. */
    private static final int MAX_WAITING = 128;

    private final Gathered out;
    private final List<RaftMessage> waiting = new ArrayList<>();
    private Vote vote;
    private Vote durable;
    /** Where the log of the candidate ended that this process voted for; null when that was another process. */
    private @Nullable LogEnd votedLog;

    Ballot(Vote found, Gathered out) {
        this.out = out;
        this.vote = found;
        this.durable = found;
    }

    int term() {
        return vote.term();
    }

    Vote vote() {
        return vote;
    }

    boolean isDurable() {
        return vote.equals(durable);
    }

    /** A later term, or the vote in this one. What was to be said before is not said any more. */
    void change(Vote next) {
        boolean rises = next.term() > vote.term()
                || (next.term() == vote.term() && vote.candidate().isEmpty());
        if (!rises) {
            throw new IllegalStateException("vote " + next + " after " + vote);
        }
        vote = next;
        votedLog = null;
        waiting.clear();
        out.persist(next);
    }

    /** Whether nobody has this node's vote in its term yet. */
    boolean isFree() {
        return vote.candidate().isEmpty();
    }

    /**
     * Whether a candidate would get a vote, unless a leader is heard (thesis §9.6): not for a log that may lack what is confirmed. Whether
     * this node is sure of what it held is said beside, and weighed by the candidate.
     */
    boolean wouldGrant(VoteRequest request, LogState log) {
        return request.term() > term() && request.log().isAtLeast(log.end());
    }

    /** The vote is for a candidate whose log ends here. */
    void votedFor(LogEnd log) {
        votedLog = log;
    }

    /** Whether it asks again: another process of that id has another log, or this one voted before it was started again. */
    private boolean isVotedFor(VoteRequest request) {
        return votedLog != null
                && vote.candidate().equals(Optional.of(request.from()))
                && request.log().isAsFar(votedLog);
    }

    /**
     * One vote in a term (Raft §5.2), for a log that has all that may be confirmed (Raft §5.4.1), by who is sure of what it held; as a last
     * resort by all (R5).
     */
    boolean mayGrant(VoteRequest request, LogState log) {
        return request.term() == term()
                && (isFree() || isVotedFor(request))
                && request.log().isAtLeast(log.end())
                && (log.isSound() || request.reason() == Reason.LAST_RESORT);
    }

    /** Says it as soon as the vote is durable. */
    void send(RaftMessage message) {
        if (isDurable()) {
            out.send(message);
            return;
        }
        if (waiting.size() == MAX_WAITING) {
            waiting.remove(0);
        }
        waiting.add(message);
    }

    /** That vote is durable; of one that was replaced since it says nothing. */
    void persisted(Vote written) {
        if (written.equals(vote)) {
            durable = written;
            waiting.forEach(out::send);
            waiting.clear();
        }
    }
}
