package dev.perigee.raft;

import dev.perigee.loop.OwnedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A node's term and vote, and what may not be said before they are durable: anything of that term (R36, Raft §5.1). */
@OwnedBy("log loop")
final class Ballot {
    /** Messages held back at most; the oldest goes then, as if the network had lost it. */
    private static final int MAX_WAITING = 128;

    private final Gathered out;
    private final List<RaftMessage> waiting = new ArrayList<>();
    private Vote vote;
    private Vote durable;

    Ballot(Vote found, int lastEpoch, Gathered out) {
        this.out = out;
        // A record older than the log: that term was durable here before any byte of it came, and this node has not voted in it since.
        this.vote = found.term() >= lastEpoch ? found : new Vote(lastEpoch, Optional.empty());
        this.durable = vote;
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
        waiting.clear();
        out.persist(next);
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

    /** That vote is durable. */
    void persisted(Vote written) {
        durable = written;
        if (isDurable()) {
            waiting.forEach(out::send);
            waiting.clear();
        }
    }
}
