package dev.perigee.raft;

import dev.perigee.loop.OwnedBy;
import dev.perigee.raft.RaftMessage.Phase;
import dev.perigee.raft.RaftMessage.Reason;
import dev.perigee.raft.RaftMessage.VoteAnswer;
import dev.perigee.raft.Recovered.Condition;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Asks for votes, or first whether it would get them (Raft §5.2, thesis §9.6). */
@OwnedBy("log loop")
public final class Candidate implements Role {
    /** What the answers so far come to. */
    enum Outcome {
        /** More are needed. */
        OPEN,
        /** Enough were granted. */
        WON,
        /** All grant, and fewer than all may not decide: too few are sure of what they held, or the candidate is not (R5). */
        LAST_RESORT
    }

    private final Phase phase;
    private final Reason reason;
    private final LogEnd log;
    private final long askedMs;
    private final Map<String, VoteAnswer> answers = new LinkedHashMap<>();

    /**
     * @param log where its own ends
     * @param askedMs when it asks, by the clock
     */
    Candidate(Phase phase, Reason reason, LogEnd log, long askedMs) {
        this.phase = phase;
        this.reason = reason;
        this.log = log;
        this.askedMs = askedMs;
    }

    @Override
    public Kind kind() {
        return phase == Phase.PRE ? Kind.PRE_CANDIDATE : Kind.CANDIDATE;
    }

    Phase phase() {
        return phase;
    }

    /** When it asked: whoever granted that did so later. */
    long askedMs() {
        return askedMs;
    }

    Reason reason() {
        return reason;
    }

    /** Whether it answers what this candidate asks now, in this term, with this log: not what another process of this id asked. */
    boolean isAsked(VoteAnswer answer, int term) {
        int asked = phase == Phase.PRE ? term + 1 : term;
        return answer.phase() == phase
                && answer.term() == (answer.granted() ? asked : term)
                && answer.asked().isAsFar(log);
    }

    /** A voter's answer, or this node's own. Who granted once is not asked twice, so a grant stays. */
    void take(VoteAnswer answer) {
        answers.merge(answer.from(), answer, (before, now) -> before.granted() ? before : now);
    }

    /** Whether that voter has refused it. */
    boolean isRefusedBy(String voter) {
        VoteAnswer answer = answers.get(voter);
        return answer != null && !answer.granted();
    }

    /**
     * Counts.
     *
     * @param first whether the candidate's log does not say who the members are: then the group begins, and every voter must agree (R6)
     * @param own whether the candidate is sure of what it held; if not it does not win but as the last resort (R5)
     */
    Outcome outcome(Members members, boolean first, Condition own) {
        int voters = members.voters().size();
        int sure = count(members, answer -> answer.condition() == Condition.SOUND);
        boolean all = count(members, VoteAnswer::granted) == voters;
        if (reason == Reason.LAST_RESORT || (first && sure == voters)) {
            return all ? Outcome.WON : Outcome.OPEN;
        }
        int sureAndGranted = count(members, answer -> answer.granted() && answer.condition() == Condition.SOUND);
        if (!first && own == Condition.SOUND && sureAndGranted >= Quorum.of(voters)) {
            return Outcome.WON;
        }
        boolean othersCannot = first || own != Condition.SOUND || !mostAreSure(members);
        return phase == Phase.PRE && all && othersCannot ? Outcome.LAST_RESORT : Outcome.OPEN;
    }

    /** Whether a majority of the voters is sure of what it held: then one of them has all that was confirmed. */
    boolean mostAreSure(Members members) {
        int sure = count(members, answer -> answer.condition() == Condition.SOUND);
        return sure >= Quorum.of(members.voters().size());
    }

    /**
     * Who must come back before anybody can be elected: too few of those that answered are sure of what they held, and the last resort
     * needs every voter, with the folder that it had (R5, R6). Empty where nobody must, or nobody said that he is not sure.
     */
    String missing(Members members) {
        List<String> sure = new ArrayList<>();
        List<String> restoring = new ArrayList<>();
        List<String> unheard = new ArrayList<>();
        for (Member voter : members.voters()) {
            VoteAnswer answer = answers.get(voter.id());
            (answer == null ? unheard : answer.condition() == Condition.SOUND ? sure : restoring).add(voter.id());
        }
        int needed = Quorum.of(members.voters().size());
        return sure.size() >= needed || restoring.isEmpty() || unheard.isEmpty()
                ? ""
                : "sure=" + sure + " restoring=" + restoring + " unheard=" + unheard + " sureNeeded=" + needed;
    }

    private int count(Members members, Predicate<VoteAnswer> which) {
        int count = 0;
        for (Member voter : members.voters()) {
            VoteAnswer answer = answers.get(voter.id());
            count += answer != null && which.test(answer) ? 1 : 0;
        }
        return count;
    }

    /** The voters with the folders that answered; of one that has not its folder stays what it is. */
    Members bound(Members members) {
        return Members.ofVoters(members.voters().stream()
                .map(voter -> {
                    VoteAnswer answer = answers.get(voter.id());
                    return answer == null ? voter : new Member(voter.id(), answer.nodeId(), voter.address());
                })
                .toList());
    }
}
