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
import dev.perigee.raft.member.Members;
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
    private final RaftConfig config;
    private final String self;
    private final Gathered out = new Gathered();
    private final AwakeTime time;
    private final Ballot ballot;
    private final Membership membership;
    private final LogState log;
    private final Roles roles;
    private final Elections elections;

    /**
     * A node as it was found. Its first {@link #tick} begins its time.
     *
     * @param randoms any 64-bit numbers, for timeouts and sessions
     */
    public RaftNode(RaftConfig config, Recovered found, LongSupplier randoms) {
        this.config = config;
        this.self = config.selfId();
        this.time = new AwakeTime(config.heartbeatMs());
        this.ballot = new Ballot(found.vote(), out);
        this.membership = new Membership(config.configured(), found.members());
        this.log = new LogState(found, config.heldWhen(), out);
        this.roles = new Roles(config, ballot, log, time, out, randoms);
        this.elections = new Elections(config, ballot, log, membership, time, out, roles);
    }

    // ---- time ----

    /**
     * Time has passed. To be called before anything else of a pass, and by {@link #nextTickMs}.
     *
     * @param nowMs monotonic milliseconds
     */
    public Effects tick(long nowMs) {
        if (time.advance(nowMs)) {
            roles.waitAnew();
        }
        if (roles.now() instanceof Leader leader) {
            leader.tick();
        } else if (time.awakeMs() >= roles.electionMs()) {
            elections.stand();
        }
        return effects();
    }

    /** When {@link #tick} is to be called at the latest, monotonic milliseconds. */
    public long nextTickMs() {
        long dueMs = roles.now() instanceof Leader leader ? leader.nextBeatMs() : roles.electionMs();
        long mostMs = config.heartbeatMs() / 2; // a loop that wakes a little late has not stood still
        return time.nowMs() + Math.max(1, Math.min(mostMs, dueMs - time.awakeMs()));
    }

    /** What is to be done; first of all a leader that has a reason to leave does. */
    private Effects effects() {
        if (roles.now() instanceof Leader leader) {
            leader.leaving().ifPresent(roles::becomeFollower);
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
            roles.becomeFollower("heard " + message.kind() + " of " + message.from());
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
            return request.phase() == Phase.REAL && (request.reason() == Reason.TRANSFER || !roles.hearsLeader());
        }
        return !(message instanceof VoteAnswer answer && answer.phase() == Phase.PRE && answer.granted());
    }

    /** Of an earlier term: who leads or stands there learns of this one (Raft §5.1); everything else is passed over. */
    private void answerStale(RaftMessage message) {
        if (message instanceof VoteRequest request) {
            elections.answer(request, false);
        } else if (message instanceof Lead) {
            ballot.send(new LeadAnswer(self, message.from(), term(), 0, 0, 0, config.nodeId()));
        }
    }

    private void take(RaftMessage message) {
        switch (message.kind()) {
            case VOTE_REQUEST -> elections.asked((VoteRequest) message);
            case VOTE_ANSWER -> elections.answered((VoteAnswer) message);
            case LEAD -> led((Lead) message);
            case LEAD_ANSWER -> {
                if (roles.now() instanceof Leader leader) {
                    leader.answered((LeadAnswer) message);
                }
            }
            case HELLO -> {
                if (roles.now() instanceof Leader leader) {
                    leader.greeted((Hello) message);
                }
            }
            case HELLO_ANSWER -> {
                if (roles.now() instanceof Follower follower) {
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
        if (roles.now() instanceof Leader leader) {
            leader.held(from, session, endOffset);
        }
    }

    // ---- following ----

    /** Raft §5.2: there is a leader of this term, so nobody else need stand. */
    private void led(Lead lead) {
        if (roles.now() instanceof Leader) {
            throw new IllegalStateException("two leaders of term " + term() + ": " + self + " and " + lead.from());
        }
        if (roles.now() instanceof Candidate) {
            roles.becomeFollower("heard the leader " + lead.from());
        }
        roles.waitAnew();
        elections.heardLeader();
        if (roles.now() instanceof Follower follower) {
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
        if (roles.now() instanceof Follower follower) {
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
        if (roles.now() instanceof Follower follower) {
            follower.truncated();
        }
        return effects();
    }

    /**
     * Whether bytes of a session may be written: of no other than the one that streams, for what a leader of an earlier term sends is
     * refused (Raft §5.1). To be asked before each write.
     */
    public boolean accepts(long session) {
        return roles.now() instanceof Follower follower && follower.accepts(session);
    }

    /**
     * Bytes of the leader are written behind the log, or it said only what is confirmed. That does not count as hearing it: feeds go on
     * where the leader's log loop stands still.
     *
     * @param session that {@link #accepts} was asked for
     * @param confirmOffset what the leader says is confirmed (R19)
     * @param end where the log ends now, not necessarily durable
     */
    public Effects received(long session, long confirmOffset, LogEnd end) {
        if (!(roles.now() instanceof Follower follower) || !follower.accepts(session)) {
            throw new IllegalStateException(
                    "bytes of session " + Long.toHexString(session) + " were written, up to " + end);
        }
        follower.received(confirmOffset, end);
        return effects();
    }

    /** The host's part of a session has ended: the session begins anew when the leader is heard next. */
    public Effects sessionEnded(long session) {
        if (roles.now() instanceof Follower follower) {
            follower.sessionEnded(session);
        }
        return effects();
    }

    /**
     * The connection to a node is gone. That may be all one hears of a leader's death, so this node soon asks whether to stand (R29); and
     * a leader is not in touch by what was said before, for the other one may vote at once (R32).
     */
    public Effects connectionLost(String to) {
        if (roles.now() instanceof Leader leader) {
            leader.connectionLost(to);
        }
        if (roles.now() instanceof Follower follower && follower.connectionLost(to)) {
            roles.hurry();
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
        if (roles.now() instanceof Leader leader) {
            return leader;
        }
        throw new IllegalStateException(self + " " + what + " as " + roles.now().kind() + " of term " + term());
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

    /** As {@link #transfer}, to the voter that holds most of those that keep up and have not let a transfer pass; to another one when there is none. */
    public Effects transferToBest() {
        ifLeader().ifPresent(Leader::transferToBest);
        return effects();
    }

    private Optional<Leader> ifLeader() {
        if (roles.now() instanceof Leader leader) {
            return Optional.of(leader);
        }
        out.refuse(self + " is " + roles.now().kind() + " of term " + term() + ", not the leader");
        return Optional.empty();
    }

    private void transferred(TransferNow order) {
        if (roles.now() instanceof Follower follower
                && follower.leader().equals(Optional.of(order.from()))
                && elections.mayTakeOver()) {
            elections.ask(Phase.REAL, Reason.TRANSFER);
        }
    }

    /**
     * What this node's disk is good for. A leader whose disk is blocked hands over, or leaves when it cannot; a node whose disk is blocked
     * does not stand, and one whose disk is slow only when nobody else does.
     */
    public Effects fit(Fitness fitness) {
        boolean changed = elections.fit(fitness);
        if (changed && roles.now() instanceof Leader leader) {
            leader.fit(fitness);
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
        membership.add(fact, time.awakeMs());
        log.factFound(fact.factEnd());
        if (roles.now() instanceof Leader leader) {
            leader.membersFound();
        }
        return effects();
    }

    /** A fact about members that was to be appended was not. */
    public Effects membersRefused() {
        if (roles.now() instanceof Leader leader) {
            leader.membersRefused();
        }
        return effects();
    }

    // ---- disk ----

    /** A vote is durable: what was held back in its term goes, and a candidate's own one counts (R36). */
    public Effects votePersisted(Vote vote) {
        boolean wasDurable = ballot.isDurable();
        ballot.persisted(vote);
        if (!wasDurable && ballot.isDurable() && roles.now() instanceof Candidate candidate) {
            elections.countOwn(candidate);
        }
        return effects();
    }

    /** Bytes below the offset are durable; a completion of an older generation says nothing (R1). */
    public Effects flushed(long generation, long endOffset) {
        log.flushed(generation, endOffset);
        if (roles.now() instanceof Leader leader) {
            leader.advance();
        } else if (roles.now() instanceof Follower follower) {
            follower.heldMoved();
        }
        return effects();
    }

    // ---- what others ask ----

    /** What it is in its term. */
    public Role role() {
        return roles.now();
    }

    /** The highest term it has taken part in. */
    public int term() {
        return ballot.term();
    }

    /** Whether it takes what clients send: it leads, its epoch has begun, and nobody is to take over. */
    public boolean admits() {
        return roles.now() instanceof Leader leader && leader.admits();
    }

    /** Whether it leads and another one is to take over: nothing is to be appended until that has all there is, or it is given up. */
    public boolean isHandingOver() {
        return roles.now() instanceof Leader leader && leader.isHandingOver();
    }

    /**
     * Whether it leads although too few were sure of what they held: what was acknowledged may be lost, and queue offsets that were seen
     * may not be given away again (R23).
     */
    public boolean mayHaveLost() {
        return roles.now() instanceof Leader leader && leader.mayHaveLost();
    }

    /** Whether it leads and its own epoch is confirmed, and so all that was confirmed before it (R19, R31). */
    public boolean isEstablished() {
        return roles.now() instanceof Leader leader && leader.isEstablished();
    }

    /**
     * Whether it leads and every other voter has answered in its term. So nobody answers any more as the leader of an earlier term, which one
     * may do for up to an election timeout otherwise (R32).
     */
    public boolean isKnownToAll() {
        return roles.now() instanceof Leader leader && leader.isKnownToAll();
    }

    /**
     * How long it is in touch with a majority, or with a leader: an election timeout from when it heard of that. Later what it knows may be
     * old, and it answers nothing that depends on being the leader (R32). To be compared with a clock that goes on while this node stands
     * still, by whoever answers.
     *
     * @return monotonic milliseconds (exclusive); {@link Long#MIN_VALUE} when it is not in touch, {@link Long#MAX_VALUE} when it leads
     *     alone
     */
    public long inTouchUntilMs() {
        long heardMs = roles.now() instanceof Leader leader
                ? leader.majorityHeardMs()
                : roles.now() instanceof Follower follower ? follower.leaderHeardMs() : Long.MIN_VALUE;
        return heardMs == Long.MIN_VALUE || heardMs == Long.MAX_VALUE ? heardMs : heardMs + config.electionTimeoutMs();
    }

    /** The leader of its term, as far as it knows one. Who is no member is told nothing new of that: it knows whom it hears. */
    public Optional<String> leaderId() {
        if (roles.now() instanceof Follower follower) {
            return isMember() || follower.hearsLeader() ? follower.leader() : Optional.empty();
        }
        return roles.now() instanceof Leader ? Optional.of(self) : Optional.empty();
    }

    /** Whether this node, with its folder, is one of the members that count now. */
    public boolean isMember() {
        return membership
                .members()
                .find(self)
                .filter(member -> member.is(self, config.nodeId()))
                .isPresent();
    }

    /** The members that count now. */
    public MembersFact members() {
        return membership.current();
    }

    /** What this node is among them. */
    public Members.Place place() {
        return membership.members().placeOf(self, config.nodeId());
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
