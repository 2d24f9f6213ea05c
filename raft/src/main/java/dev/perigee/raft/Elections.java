package dev.perigee.raft;

import dev.perigee.loop.OwnedBy;
import dev.perigee.raft.RaftMessage.Phase;
import dev.perigee.raft.RaftMessage.Reason;
import dev.perigee.raft.RaftMessage.VoteAnswer;
import dev.perigee.raft.RaftMessage.VoteRequest;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Membership;
import java.util.Optional;

/** Asks for votes, gives them, and counts them (Raft §5.2, §5.4.1; thesis §9.6). */
@OwnedBy("log loop")
final class Elections {
    /** For this part of an election timeout a node that asked comes before one that asks as well. */
    private static final int FIRST_PART = 5;

    /** So many timeouts a node with a slow or full disk lets go by. */
    private static final int UNWELL_TIMEOUTS = 2;

    /** So often in a row it asks in vain for one reason before it says so: answers get lost, and members start one after the other. */
    private static final int TOLD_AFTER = 3;

    private final RaftConfig config;
    private final String self;
    private final Ballot ballot;
    private final LogState log;
    private final Membership membership;
    private final AwakeTime time;
    private final Gathered out;
    private final Roles roles;
    private Fitness fitness = Fitness.WELL;
    /** Timeouts that went by in favour of others whose disk is well. */
    private int passedOver;
    /** Who must come back before anybody can be elected, as the last time it asked told, and how often in a row it did. */
    private String missing = "";

    private int missingFor;

    Elections(
            RaftConfig config,
            Ballot ballot,
            LogState log,
            Membership membership,
            AwakeTime time,
            Gathered out,
            Roles roles) {
        this.config = config;
        this.self = config.selfId();
        this.ballot = ballot;
        this.log = log;
        this.membership = membership;
        this.time = time;
        this.out = out;
        this.roles = roles;
    }

    /** What the disk is good for; gives whether that is news. */
    boolean fit(Fitness now) {
        boolean changed = fitness != now;
        fitness = now;
        return changed;
    }

    /** Whether this node may ask to be elected. */
    boolean mayStand() {
        return membership.mayLead(self, config.nodeId(), log.confirm())
                && fitness != Fitness.BLOCKED
                && !log.isCutting();
    }

    /** Whether this node takes leadership over from one that offers it. */
    boolean mayTakeOver() {
        return mayStand() && fitness == Fitness.WELL && log.isSound();
    }

    /** No leader was heard for long enough. Who has a slow or full disk lets others come first, but not for ever: they may all have one. */
    void stand() {
        if (!mayStand()) {
            roles.waitAnew();
        } else if (fitness != Fitness.WELL && passedOver < UNWELL_TIMEOUTS) {
            passedOver++;
            roles.waitAnew();
        } else {
            passedOver = 0;
            tellMissing();
            ask(Phase.PRE, Reason.SILENCE);
        }
    }

    /** Nothing came of the last times it asked, and nothing may for good; said once for each who must come back. */
    private void tellMissing() {
        if (roles.now() instanceof Candidate candidate) {
            String now = candidate.missing(membership.members());
            missingFor = now.isEmpty() ? 0 : now.equals(missing) ? missingFor + 1 : 1;
            missing = now;
            if (missingFor == TOLD_AFTER) {
                out.note(
                        "event=nobody_can_be_elected " + now
                                + " reason=\"too few are sure of what they held, and those that are not heard must come back with their disks\"");
            }
        }
    }

    /** There is a leader. */
    void heardLeader() {
        passedOver = 0;
        missingFor = 0;
    }

    /** Asks all voters, itself first (Raft §5.2): for real with the own vote on the disk (R36), before that only whether they would. */
    void ask(Phase phase, Reason reason) {
        int term = ballot.term() + 1;
        if (phase == Phase.REAL) {
            ballot.change(new Vote(term, Optional.of(self)));
        }
        Candidate candidate = new Candidate(phase, reason, log.end(), time.nowMs());
        roles.become(candidate, reason.toString());
        roles.waitAnew();
        for (Member voter : membership.members().voters()) {
            if (!voter.id().equals(self)) {
                ballot.send(
                        new VoteRequest(self, voter.id(), term, phase, reason, log.end(), membership.toBeginWith()));
            }
        }
        if (ballot.isDurable()) {
            countOwn(candidate);
        }
    }

    /** The own vote counts as any other, once it is durable. */
    void countOwn(Candidate candidate) {
        candidate.take(new VoteAnswer(
                self,
                self,
                ballot.term(),
                candidate.phase(),
                true,
                config.nodeId(),
                log.condition(),
                log.end(),
                log.end()));
        count(candidate);
    }

    /** A candidate asks. */
    void asked(VoteRequest request) {
        boolean granted = isOfOneGroup(request)
                && (request.phase() == Phase.PRE
                        ? !roles.hearsLeader() && ballot.wouldGrant(request, log) && !comesFirst(request)
                        : ballot.mayGrant(request, log));
        if (granted && request.phase() == Phase.PRE && isAsking()) {
            roles.becomeFollower("lets " + request.from() + " stand");
        }
        if (granted && request.phase() == Phase.REAL && ballot.isFree()) {
            ballot.change(new Vote(ballot.term(), Optional.of(request.from())));
            ballot.votedFor(request.log());
            roles.becomeFollower("voted for " + request.from());
        }
        answer(request, granted);
    }

    /** A group begins with the voters that all their settings name, or a smaller one could begin beside it (R6). */
    private boolean isOfOneGroup(VoteRequest request) {
        String own = membership.toBeginWith();
        boolean isOne = own.isEmpty() || request.begins().isEmpty() || own.equals(request.begins());
        if (!isOne) {
            out.note("event=vote_refused candidate=" + request.from()
                    + " reason=\"by its settings the group begins with " + request.begins() + ", by those of " + self
                    + " with " + own + "\"");
        }
        return isOne;
    }

    private boolean isAsking() {
        return roles.now() instanceof Candidate candidate && candidate.phase() == Phase.PRE;
    }

    /**
     * Whether this node asks as well, and as much speaks for it as for the other one: then the larger id stands. All followers of a leader
     * that dies ask at the same moment, and if two of them stood, neither would have a majority before the next timeout. Not where that
     * one has refused this node already, because it still heard the leader then: this node would not ask it again soon. And not for long
     * after it asked: what has no answer by then was lost.
     */
    private boolean comesFirst(VoteRequest request) {
        return roles.now() instanceof Candidate candidate
                && candidate.phase() == Phase.PRE
                && !candidate.isRefusedBy(request.from())
                && time.nowMs() - candidate.askedMs() <= config.electionTimeoutMs() / FIRST_PART
                && log.isSound()
                && log.end().isAtLeast(request.log())
                && self.compareTo(request.from()) > 0;
    }

    void answer(VoteRequest request, boolean granted) {
        ballot.send(new VoteAnswer(
                self,
                request.from(),
                granted ? request.term() : ballot.term(),
                request.phase(),
                granted,
                config.nodeId(),
                log.condition(),
                log.end(),
                request.log()));
    }

    /** A voter has answered. */
    void answered(VoteAnswer answer) {
        Optional<Member> voter = membership.members().find(answer.from());
        if (!(roles.now() instanceof Candidate candidate)
                || !candidate.isAsked(answer, ballot.term())
                || voter.isEmpty()) {
            return;
        }
        if (!voter.get().is(answer.from(), answer.nodeId())) { // R6
            out.note("event=vote_of_another_node member=" + voter.get() + " node=" + Long.toHexString(answer.nodeId()));
            return;
        }
        candidate.take(answer);
        count(candidate);
    }

    private void count(Candidate candidate) {
        switch (candidate.outcome(membership.members(), !membership.isTold(), log.condition())) {
            case OPEN -> {}
            case LAST_RESORT -> ask(Phase.REAL, Reason.LAST_RESORT);
            case WON -> {
                if (candidate.phase() == Phase.PRE) {
                    ask(Phase.REAL, candidate.reason());
                } else {
                    lead(candidate);
                }
            }
        }
    }

    private void lead(Candidate candidate) {
        if (!membership.isTold()) {
            membership.bind(
                    candidate.bound(membership.members())); // the group begins with the folders that voted for it (R6)
        }
        boolean mayLose = !candidate.mostAreSure(membership.members());
        if (mayLose) {
            out.note("event=possible_loss endOffset=" + log.endOffset()
                    + " reason=\"too few members are sure of what they held\"");
        }
        if (!log.isSound()) {
            log.restore();
        }
        Leader leader = new Leader(config, ballot, log, membership, time, out, candidate.askedMs());
        if (fitness != Fitness.WELL) {
            leader.elected(fitness);
        }
        roles.become(leader, candidate.reason().toString());
        leader.begin(candidate.reason() == Reason.LAST_RESORT, mayLose);
    }
}
