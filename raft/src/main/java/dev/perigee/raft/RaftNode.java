package dev.perigee.raft;

import dev.perigee.loop.OwnedBy;
import dev.perigee.raft.RaftMessage.Held;
import dev.perigee.raft.RaftMessage.Hello;
import dev.perigee.raft.RaftMessage.HelloAnswer;
import dev.perigee.raft.RaftMessage.Lead;
import dev.perigee.raft.RaftMessage.LeadAnswer;
import dev.perigee.raft.RaftMessage.Phase;
import dev.perigee.raft.RaftMessage.Reason;
import dev.perigee.raft.RaftMessage.TransferNow;
import dev.perigee.raft.RaftMessage.VoteAnswer;
import dev.perigee.raft.RaftMessage.VoteRequest;
import dev.perigee.raft.Recovered.Condition;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.MembersChange;
import dev.perigee.raft.member.MembersFact;
import dev.perigee.raft.member.Membership;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * One node of a Raft group, as a function: each event gives the effects that are to be carried out before the next one. It reads no
 * clock and draws no numbers but those it is given, so that the same events have the same effects. Called on one loop only.
 *
 * <p>An {@link IllegalStateException} is an invariant of the protocol that does not hold, here or in the whole group: the node must
 * stop.
 */
@OwnedBy("log loop")
public final class RaftNode {
    /** A connection that breaks tells all followers of a leader at once; they ask within this part of an election timeout. */
    private static final int JITTER_PART = 10;

    private final RaftConfig config;
    private final String self;
    private final LongSupplier randoms;
    private final Gathered out = new Gathered();
    private final AwakeTime time;
    private final Ballot ballot;
    private final Membership membership;
    private final LogState log;

    private Role role;
    private boolean fit = true;
    /** When this node stands unless it hears of a leader, in time awake. */
    private long electionMs;

    /**
     * A node as it was found. Its first {@link #tick} begins its time.
     *
     * @param randoms any 64-bit numbers, for timeouts and sessions
     */
    public RaftNode(RaftConfig config, Recovered found, LongSupplier randoms) {
        this.config = config;
        this.self = config.selfId();
        this.randoms = randoms;
        this.time = new AwakeTime(config.heartbeatMs());
        this.ballot = new Ballot(found.vote(), out);
        this.membership = new Membership(config.configured(), found.members());
        this.log = new LogState(found, config.heldWhen(), out);
        this.role = newFollower();
    }

    // ---- time ----

    /**
     * Time has passed. To be called before anything else of a pass, and by {@link #nextTickMs}.
     *
     * @param nowMs monotonic milliseconds
     */
    public Effects tick(long nowMs) {
        if (time.advance(nowMs)) {
            electionMs = time.awakeMs() + electionTimeoutMs();
        }
        if (role instanceof Leader leader) {
            leader.tick();
        } else if (time.awakeMs() >= electionMs) {
            stand();
        }
        return effects();
    }

    /** When {@link #tick} is to be called at the latest, monotonic milliseconds. */
    public long nextTickMs() {
        long dueMs = role instanceof Leader leader ? leader.nextBeatMs() : electionMs;
        return time.nowMs() + Math.max(1, Math.min(config.heartbeatMs(), dueMs - time.awakeMs()));
    }

    /** Raft §5.2, §9.3: timeouts are drawn anew each time, so that votes are seldom split. */
    private long electionTimeoutMs() {
        return config.electionTimeoutMs() + Math.floorMod(randoms.getAsLong(), config.electionTimeoutMs());
    }

    private void waitAnew() {
        electionMs = time.awakeMs() + electionTimeoutMs();
    }

    /** What is to be done; first of all a leader that has a reason to leave does. */
    private Effects effects() {
        if (role instanceof Leader leader) {
            leader.leaving().ifPresent(this::becomeFollower);
        }
        return out.take();
    }

    // ---- messages ----

    /**
     * Another node said something.
     *
     * @throws IllegalArgumentException when it is for another node
     */
    public Effects step(RaftMessage message) {
        if (!message.to().equals(self)) {
            throw new IllegalArgumentException(message + " came to " + self);
        }
        if (message.term() > term() && raisesTerm(message)) {
            ballot.change(new Vote(message.term(), Optional.empty()));
            becomeFollower("heard " + message.kind() + " of " + message.from());
        }
        if (message.term() < term()) {
            answerStale(message);
        } else {
            take(message);
        }
        return effects();
    }

    /**
     * A later term ends this one (Raft §5.1), but not by a question (thesis §9.6), nor by a candidate that this node need not listen
     * to while it hears its leader (thesis §4.2.3).
     */
    private boolean raisesTerm(RaftMessage message) {
        if (message instanceof VoteRequest request) {
            return request.phase() == Phase.REAL && (request.reason() == Reason.TRANSFER || !hearsLeader());
        }
        return !(message instanceof VoteAnswer answer && answer.phase() == Phase.PRE && answer.granted());
    }

    /** Of an earlier term: who leads or stands there learns of this one (Raft §5.1); everything else is passed over. */
    private void answerStale(RaftMessage message) {
        if (message instanceof VoteRequest request) {
            answer(request, false);
        } else if (message instanceof Lead) {
            ballot.send(new LeadAnswer(self, message.from(), term(), 0, 0));
        }
    }

    private void take(RaftMessage message) {
        switch (message.kind()) {
            case VOTE_REQUEST -> asked((VoteRequest) message);
            case VOTE_ANSWER -> answered((VoteAnswer) message);
            case LEAD -> led((Lead) message);
            case LEAD_ANSWER -> {
                LeadAnswer answer = (LeadAnswer) message;
                held(answer.from(), answer.session(), answer.heldOffset());
            }
            case HELLO -> {
                if (role instanceof Leader leader) {
                    leader.greeted((Hello) message);
                }
            }
            case HELLO_ANSWER -> {
                if (role instanceof Follower follower) {
                    follower.taken((HelloAnswer) message);
                }
            }
            case HELD -> {
                Held held = (Held) message;
                held(held.from(), held.session(), held.endOffset());
            }
            case TRANSFER_NOW -> transferred((TransferNow) message);
        }
    }

    private void held(String from, long session, long endOffset) {
        if (role instanceof Leader leader) {
            leader.held(from, session, endOffset);
        }
    }

    // ---- elections ----

    private boolean mayStand() {
        return membership.mayLead(self, config.nodeId(), log.confirm()) && fit && !log.isCutting();
    }

    private void stand() {
        if (mayStand()) {
            ask(Phase.PRE, Reason.SILENCE);
        } else {
            waitAnew();
        }
    }

    /** Asks all voters, itself first (Raft §5.2): for real with the own vote on the disk (R36), before that only whether they would. */
    private void ask(Phase phase, Reason reason) {
        int term = term() + 1;
        if (phase == Phase.REAL) {
            ballot.change(new Vote(term, Optional.of(self)));
        }
        Candidate candidate = new Candidate(phase, reason);
        become(candidate, reason.toString());
        waitAnew();
        for (Member voter : membership.members().voters()) {
            if (!voter.id().equals(self)) {
                ballot.send(new VoteRequest(self, voter.id(), term, phase, reason, log.end()));
            }
        }
        if (ballot.isDurable()) {
            countOwn(candidate);
        }
    }

    private void countOwn(Candidate candidate) {
        candidate.take(new VoteAnswer(
                self, self, term(), candidate.phase(), true, config.nodeId(), log.condition(), log.end()));
        count(candidate);
    }

    private void asked(VoteRequest request) {
        boolean granted = request.phase() == Phase.PRE
                ? !hearsLeader() && ballot.wouldGrant(request, log)
                : ballot.mayGrant(request, log);
        if (granted && request.phase() == Phase.REAL && ballot.isFree()) {
            ballot.change(new Vote(term(), Optional.of(request.from())));
            becomeFollower("voted for " + request.from());
        }
        answer(request, granted);
    }

    private void answer(VoteRequest request, boolean granted) {
        ballot.send(new VoteAnswer(
                self,
                request.from(),
                granted ? request.term() : term(),
                request.phase(),
                granted,
                config.nodeId(),
                log.condition(),
                log.end()));
    }

    private void answered(VoteAnswer answer) {
        Optional<Member> voter = membership.members().find(answer.from());
        if (!(role instanceof Candidate candidate) || !candidate.isAsked(answer, term()) || voter.isEmpty()) {
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
        if (!candidate.mostAreSure(membership.members())) {
            out.note("event=possible_loss endOffset=" + log.endOffset()
                    + " reason=\"too few members are sure of what they held\"");
        }
        if (!log.isSound()) {
            log.restore();
        }
        Leader leader = new Leader(config, ballot, log, membership, time, out);
        become(leader, candidate.reason().toString());
        leader.begin(candidate.reason() == Reason.LAST_RESORT);
    }

    private boolean hearsLeader() {
        return role instanceof Leader || (role instanceof Follower follower && follower.hearsLeader());
    }

    private Follower newFollower() {
        return new Follower(config, ballot, log, time, out, randoms);
    }

    private void becomeFollower(String why) {
        waitAnew();
        become(newFollower(), why);
    }

    /** Whoever leads no more says so first (R33). */
    private void become(Role next, String why) {
        Role before = role;
        role = next;
        if (before instanceof Leader) {
            out.steppedDown();
        }
        if (before.kind() != next.kind()) {
            out.note("event=role from=" + before.kind() + " to=" + next.kind() + " term=" + term() + " reason=\"" + why
                    + "\"");
        }
    }

    // ---- following ----

    /** Raft §5.2: there is a leader of this term, so nobody else need stand. */
    private void led(Lead lead) {
        if (role instanceof Leader) {
            throw new IllegalStateException("two leaders of term " + term() + ": " + self + " and " + lead.from());
        }
        if (role instanceof Candidate) {
            becomeFollower("heard the leader " + lead.from());
        }
        waitAnew();
        if (role instanceof Follower follower) {
            follower.led(lead);
        }
    }

    /**
     * The search for the fork has ended (R25): both logs are equal up to an offset, and what this node has behind it goes (Raft §5.3).
     *
     * @param session the one it was made in; of another one it says nothing
     * @param fork the end of the part that both have
     * @throws IllegalStateException when what is confirmed would go (R19)
     */
    public Effects forked(long session, LogEnd fork) {
        if (role instanceof Follower follower) {
            follower.forked(session, fork);
        }
        return effects();
    }

    /**
     * A cut is through, durably (R3).
     *
     * @param generation the new one (R1)
     */
    public Effects truncated(long generation, LogEnd end) {
        log.cut(generation, end);
        membership.cutTo(end.endOffset());
        if (role instanceof Follower follower) {
            follower.truncated();
        }
        return effects();
    }

    /**
     * Whether bytes of a session may be written: of no other than the one that streams, for what a leader of an earlier term sends is
     * refused (Raft §5.1). To be asked before each write.
     */
    public boolean accepts(long session) {
        return role instanceof Follower follower && follower.accepts(session);
    }

    /**
     * Bytes of the leader are written behind the log, or it said only what is confirmed.
     *
     * @param session that {@link #accepts} was asked for
     * @param confirmOffset what the leader says is confirmed (R19)
     * @param end where the log ends now, not necessarily durable
     */
    public Effects received(long session, long confirmOffset, LogEnd end) {
        if (!(role instanceof Follower follower) || !follower.accepts(session)) {
            throw new IllegalStateException(
                    "bytes of session " + Long.toHexString(session) + " were written, up to " + end);
        }
        waitAnew();
        follower.received(confirmOffset, end);
        return effects();
    }

    /** The host's part of a session has ended: the session begins anew when the leader is heard next. */
    public Effects sessionEnded(long session) {
        if (role instanceof Follower follower) {
            follower.sessionEnded(session);
        }
        return effects();
    }

    /** The connection to a node is gone. That may be all one hears of a leader's death, so this node soon asks whether to stand (R29). */
    public Effects connectionLost(String to) {
        if (role instanceof Follower follower && follower.connectionLost(to)) {
            long jitterMs = Math.floorMod(randoms.getAsLong(), config.electionTimeoutMs() / JITTER_PART + 1);
            electionMs = Math.min(electionMs, time.awakeMs() + jitterMs);
        }
        return effects();
    }

    // ---- leading ----

    /** The leader's own epoch is in the log, up to here; not necessarily durable. */
    public Effects epochBegun(LogEnd end) {
        leader("began an epoch").epochBegun(end);
        return effects();
    }

    /** The leader's log has grown, up to here; not necessarily durable. */
    public Effects appended(LogEnd end) {
        leader("appended").appended(end);
        return effects();
    }

    private Leader leader(String what) {
        if (role instanceof Leader leader) {
            return leader;
        }
        throw new IllegalStateException(self + " " + what + " as " + role.kind() + " of term " + term());
    }

    /**
     * Another member is to lead (thesis §3.10): from now on nothing of clients is admitted here, and when that member has all there is,
     * and all of it is confirmed, it is told to stand. Given up after an election timeout. Refused where this node does not lead or the
     * other one does not vote.
     */
    public Effects transfer(String successor) {
        ifLeader().ifPresent(leader -> leader.transfer(successor));
        return effects();
    }

    /** As {@link #transfer}, to the voter that holds most. */
    public Effects transferToBest() {
        ifLeader().ifPresent(Leader::transferToBest);
        return effects();
    }

    private Optional<Leader> ifLeader() {
        if (role instanceof Leader leader) {
            return Optional.of(leader);
        }
        out.refuse(self + " is " + role.kind() + " of term " + term() + ", not the leader");
        return Optional.empty();
    }

    private void transferred(TransferNow order) {
        if (role instanceof Follower follower
                && follower.leader().equals(Optional.of(order.from()))
                && log.isSound()
                && mayStand()) {
            ask(Phase.REAL, Reason.TRANSFER);
        }
    }

    /**
     * Whether this node's disk takes what is written. A leader whose does not hands over, or leaves when it cannot; and a node whose
     * does not never stands.
     */
    public Effects fit(boolean isFit) {
        boolean changed = fit != isFit;
        fit = isFit;
        if (changed && role instanceof Leader leader) {
            leader.fit(isFit);
        }
        return effects();
    }

    // ---- members ----

    /** Changes the members, if this node leads and nothing is against it (thesis §4, R15). */
    public Effects change(MembersChange change) {
        ifLeader().ifPresent(leader -> leader.change(change));
        return effects();
    }

    /** A fact about members is in the log, appended here or received; to be told before the end that passes it. */
    public Effects membersFound(MembersFact fact) {
        membership.add(fact);
        if (role instanceof Leader leader) {
            leader.membersFound();
        }
        return effects();
    }

    /** A fact about members that was to be appended was not. */
    public Effects membersRefused() {
        if (role instanceof Leader leader) {
            leader.membersRefused();
        }
        return effects();
    }

    // ---- disk ----

    /** A vote is durable: what was held back in its term goes, and a candidate's own one counts (R36). */
    public Effects votePersisted(Vote vote) {
        boolean wasDurable = ballot.isDurable();
        ballot.persisted(vote);
        if (!wasDurable && ballot.isDurable() && role instanceof Candidate candidate) {
            countOwn(candidate);
        }
        return effects();
    }

    /** Bytes below the offset are durable; a completion of an older generation says nothing (R1). */
    public Effects flushed(long generation, long endOffset) {
        log.flushed(generation, endOffset);
        if (role instanceof Leader leader) {
            leader.advance();
        } else if (role instanceof Follower follower) {
            follower.heldMoved();
        }
        return effects();
    }

    // ---- what others ask ----

    /** What it is in its term. */
    public Role role() {
        return role;
    }

    /** The highest term it has taken part in. */
    public int term() {
        return ballot.term();
    }

    /** Whether it takes what clients send: it leads, its epoch has begun, and nobody is to take over. */
    public boolean admits() {
        return role instanceof Leader leader && leader.admits();
    }

    /** Whether it leads and its own epoch is confirmed, and so all that was confirmed before it (R19, R31). */
    public boolean isEstablished() {
        return role instanceof Leader leader && leader.isEstablished();
    }

    /**
     * Whether it was in touch with a majority, or with a leader, within an election timeout: else what it knows may be old, and it
     * answers nothing that depends on being the leader (R32).
     *
     * @param nowMs monotonic milliseconds, also those in which this node stood still
     */
    public boolean isInTouch(long nowMs) {
        long sinceMs = nowMs - config.electionTimeoutMs();
        return role instanceof Leader leader
                ? leader.heardMajority(sinceMs)
                : role instanceof Follower follower && follower.heardLeader(sinceMs);
    }

    /** The leader of its term, as far as it knows one. */
    public Optional<String> leaderId() {
        if (role instanceof Follower follower) {
            return follower.leader();
        }
        return role instanceof Leader ? Optional.of(self) : Optional.empty();
    }

    /** The members that count now. */
    public MembersFact members() {
        return membership.current();
    }

    /** Whether it may have forgotten bytes (R5). */
    public Condition condition() {
        return log.condition();
    }

    /** How far the log may be seen (exclusive). */
    public long confirmOffset() {
        return log.confirm();
    }

    /** What it answers for by its flush policy (exclusive). */
    public long heldOffset() {
        return log.held();
    }

    /** Where its log ends; while a cut is under way, where it will. */
    public LogEnd end() {
        return log.end();
    }
}
