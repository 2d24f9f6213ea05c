package dev.perigee.raft;

import dev.perigee.loop.OwnedBy;
import dev.perigee.raft.RaftMessage.Hello;
import dev.perigee.raft.RaftMessage.HelloAnswer;
import dev.perigee.raft.RaftMessage.Lead;
import dev.perigee.raft.RaftMessage.LeadAnswer;
import dev.perigee.raft.RaftMessage.TransferNow;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.raft.member.MembersChange;
import dev.perigee.raft.member.MembersFact;
import dev.perigee.raft.member.Membership;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Appends, feeds the others, and confirms what a majority holds (Raft §5.3, §5.4.2). Once it has a reason to leave it does
 * nothing more.
 */
@OwnedBy("log loop")
public final class Leader implements Role {
    private static final long NOT_BEGUN = Long.MAX_VALUE;
    private static final String BLOCKED = "its disk does not take what is written";
    private static final long NEVER = Long.MIN_VALUE / 2;
    /** For so many election timeouts after a transfer that came to nothing a slow disk is no reason for another one. */
    private static final int TIMEOUTS_BETWEEN_TRANSFERS = 10;

    private final RaftConfig config;
    private final String self;
    private final Ballot ballot;
    private final LogState log;
    private final Membership membership;
    private final AwakeTime time;
    private final Gathered out;
    private final Peers peers;
    /** The byte after this leader's own EpochStarted (R19). */
    private long epochEnd = NOT_BEGUN;

    /** All voters agreed to its log: whoever has what it had need not wait for others (R5). */
    private boolean lastResort;
    /**
     * When it began no change of the members was under way, nor had it heard within an election timeout that one was removed, and nobody was
     * since: so whoever led before is one of them, or knows, by its clock at least, that it does not.
     */
    private boolean settled;
    /** All other voters have answered in its term, while it was settled. */
    private boolean knownToAll;

    /** Too few of those that voted were sure of what they held. */
    private boolean mayHaveLost;

    private long spokeMs;
    /** A fact about members was asked for and is not in the log yet. */
    private boolean membersAsked;
    /** Who is to lead next. */
    private @Nullable String successor;

    /** It was told so since the last heartbeat. */
    private boolean handedOver;

    private long transferEndMs;
    /** When a transfer was given up last, in time awake. */
    private long transferFailedMs = NEVER;
    /** It takes no messages for want of room, which somebody else may have. */
    private boolean full;
    /** When it leaves if its disk takes nothing until then, in time awake. */
    private long blockedEndMs = Long.MAX_VALUE;
    /** Why it leaves also when nobody takes over; null when it need not. */
    private @Nullable String mustLeave;

    private @Nullable String leaving;

    /** @param askedMs when it asked for the votes that it has, by the clock: of what comes later it has no answer yet (R32) */
    Leader(
            RaftConfig config,
            Ballot ballot,
            LogState log,
            Membership membership,
            AwakeTime time,
            Gathered out,
            long askedMs) {
        this.config = config;
        this.self = config.selfId();
        this.ballot = ballot;
        this.log = log;
        this.membership = membership;
        this.time = time;
        this.out = out;
        this.peers = new Peers(self, time);
        peers.follow(membership.members(), askedMs);
    }

    @Override
    public Kind kind() {
        return Kind.LEADER;
    }

    /** Why it leads no more; empty while it does. */
    Optional<String> leaving() {
        return Optional.ofNullable(leaving);
    }

    /** Raft §5.2: it says so to all at once, and begins its epoch, with which all before is confirmed (Raft §5.4.2, §8). */
    void begin(boolean asLastResort, boolean mayLose) {
        lastResort = asLastResort;
        mayHaveLost = mayLose;
        settled = membership.current().factEnd() <= log.confirm() && membership.leftOutAwakeMs() <= heardSinceMs();
        lookWhoKnows();
        out.beginEpoch(ballot.term());
        speak();
    }

    /** Its own epoch is in the log, up to here. */
    void epochBegun(LogEnd end) {
        if (end.epoch() != ballot.term() || epochEnd != NOT_BEGUN) {
            throw new IllegalStateException("an epoch " + end + " began in term " + ballot.term() + ", whose epoch "
                    + (epochEnd == NOT_BEGUN ? "has not begun" : "began before " + epochEnd));
        }
        log.grow(end);
        epochEnd = end.endOffset();
        tellMembers();
        advance();
    }

    /** From here on the log says who the members are, and with which folders: all of them have voted (R6). Asked again when it was refused. */
    private void tellMembers() {
        if (membership.isTold() || membersAsked || epochEnd == NOT_BEGUN) {
            return;
        }
        Members members = membership.members();
        if (members.voters().stream().anyMatch(voter -> voter.nodeId() == 0)) {
            throw new IllegalStateException("a group begins with " + members + ", whose folders are not all known");
        }
        append(members);
    }

    void appended(LogEnd end) {
        log.grow(end);
        advance();
    }

    private void append(Members members) {
        membersAsked = true;
        out.append(members);
    }

    /** Whether its own epoch is confirmed, and so all that was confirmed before it. */
    boolean isEstablished() {
        return log.confirm() >= epochEnd;
    }

    /** Whether every other voter has answered in its term: nobody believes any more that it leads in an earlier one (R32). */
    boolean isKnownToAll() {
        return knownToAll;
    }

    private void lookWhoKnows() {
        knownToAll = knownToAll || (settled && peers.areAllKnown(membership.members()));
    }

    boolean mayHaveLost() {
        return mayHaveLost;
    }

    boolean admits() {
        return epochEnd != NOT_BEGUN && membership.isTold() && successor == null && leaving == null;
    }

    boolean isHandingOver() {
        return successor != null;
    }

    long majorityHeardMs() {
        return peers.majorityHeardMs(membership.members());
    }

    long nextBeatMs() {
        return spokeMs + config.heartbeatMs();
    }

    // ---- time ----

    void tick() {
        // Who restores does not count towards confirm: with too few others the next election is one that all of them
        // take part in.
        if (!peers.hearsMajority(membership.members(), heardSinceMs(), lastResort)) {
            leaving = "no majority was heard for " + config.electionTimeoutMs() + " ms"; // thesis §6.2
            return;
        }
        if (successor != null && time.awakeMs() >= transferEndMs) {
            giveUpTransfer();
        }
        if (time.awakeMs() >= blockedEndMs) {
            leaving = BLOCKED;
        }
        if (full && successor == null && isEstablished() && !failedLately()) {
            offer();
        }
        if (isRemoved() && successor == null) {
            leaveTo("it was removed"); // thesis §4.2.2
        }
        tellMembers();
        // R5: who restores waits for something that is appended after its hello, also while nobody sends anything.
        boolean isQuiet = log.confirm() == log.endOffset() && isEstablished() && !membersAsked;
        if (isQuiet && peers.isEntryWanted(log.endOffset())) {
            append(membership.members());
        }
        if (time.awakeMs() >= nextBeatMs()) {
            speak();
            handedOver = false;
            handOver();
        }
    }

    private long heardSinceMs() {
        return time.awakeMs() - config.electionTimeoutMs();
    }

    private void speak() {
        spokeMs = time.awakeMs();
        for (String other : peers.ids()) {
            ballot.send(new Lead(self, other, ballot.term(), peers.sessionOf(other), time.nowMs()));
        }
    }

    // ---- followers ----

    /** A follower asks to be fed: only the folder that the members name (R6). */
    void greeted(Hello hello) {
        Optional<Member> member = membership.members().find(hello.from());
        String refusal = member.isEmpty()
                ? hello.from() + " is no member of " + membership.members()
                : member.get().is(hello.from(), hello.nodeId())
                        ? ""
                        : "member " + member.get() + " is not node " + Long.toHexString(hello.nodeId())
                                + ": its folder is another one; remove the member and add it again";
        if (refusal.isEmpty()) {
            peers.greeted(hello, log.endOffset());
        } else {
            out.note("event=hello_refused reason=\"" + refusal + "\"");
        }
        ballot.send(new HelloAnswer(
                self, hello.from(), ballot.term(), hello.session(), log.endOffset(), lastResort, refusal));
    }

    /** A follower answers what this leader said then. Another folder under its id says nothing for it (R6). */
    void answered(LeadAnswer answer) {
        String from = answer.from();
        boolean isOther = membership
                .members()
                .find(from)
                .filter(member -> !member.is(from, answer.nodeId()))
                .isPresent();
        if (!isOther) {
            peers.answered(from, Math.min(answer.saidMs(), time.nowMs()));
            peers.knows(from);
            lookWhoKnows();
            held(from, answer.session(), answer.heldOffset());
        }
    }

    void connectionLost(String to) {
        peers.lost(to);
    }

    /** A follower was heard, and holds so much of the session it names; what another session held says nothing (R5). */
    void held(String from, long session, long endOffset) {
        peers.hear(from);
        if (session == 0 || peers.sessionOf(from) != session) {
            return;
        }
        if (endOffset > log.endOffset()) {
            throw new IllegalStateException(from + " holds " + endOffset + " of a log that ends at " + log.endOffset());
        }
        peers.held(from, endOffset, log.endOffset());
        advance();
    }

    /**
     * Raft §5.3, §5.4.2, R19: what a majority holds, and the own epoch with it, is confirmed. The leader counts itself with what it
     * answers for, as everybody (thesis §10.2.1).
     */
    void advance() {
        long reached = peers.reached(membership.members(), log.held());
        if (reached >= epochEnd) {
            log.confirm(reached);
        }
        handOver();
    }

    private boolean isRemoved() {
        MembersFact current = membership.current();
        return current.factEnd() <= log.confirm() && !current.members().isVoter(self);
    }

    // ---- transfer ----

    void transfer(String next) {
        if (next.equals(self) || !membership.members().isVoter(next)) {
            out.refuse(whyNotTo(next));
            return;
        }
        successor = next;
        handedOver = false;
        transferEndMs = time.awakeMs() + config.electionTimeoutMs();
        out.note("event=transfer successor=" + next + " endOffset=" + log.endOffset());
        handOver();
    }

    private String whyNotTo(String next) {
        Members members = membership.members();
        if (next.equals(self)) {
            return next + " leads already";
        }
        return members.find(next).isPresent()
                ? next + " only receives: it may lead when it votes"
                : members.refusalOfStranger(next);
    }

    void transferToBest() {
        Optional<String> best = peers.best(membership.members(), heardSinceMs());
        if (best.isPresent()) {
            transfer(best.get());
        } else {
            out.refuse("no other voter is heard: the voters are "
                    + Members.names(membership.members().voters()));
        }
    }

    /** Thesis §3.10: when all that is here is there as well and is confirmed, the successor is to stand; each heartbeat says so again. */
    private void handOver() {
        String next = successor;
        if (next != null
                && !handedOver
                && log.confirm() == log.endOffset()
                && peers.countedOf(next) == log.endOffset()) {
            handedOver = true;
            ballot.send(new TransferNow(self, next, ballot.term()));
        }
    }

    private void giveUpTransfer() {
        String declined = String.valueOf(successor);
        out.note("event=transfer_failed successor=" + declined);
        peers.declined(declined);
        successor = null;
        transferFailedMs = time.awakeMs();
        if (mustLeave != null) {
            leaving = mustLeave + ", and nobody took over";
        }
    }

    /** Hands over to the best of the others, and leaves at once when there is none. */
    private void leaveTo(String why) {
        mustLeave = why;
        Optional<String> best = peers.best(membership.members(), heardSinceMs());
        if (best.isPresent()) {
            transfer(best.get());
        } else {
            leaving = why;
        }
    }

    /**
     * Its disk takes nothing, or does again. A force that hung and came through is no reason to leave: when nobody took over meanwhile the
     * disks of the others may be as slow. Nor is want of room for messages, but others that have room are offered leadership now and then.
     */
    void fit(Fitness fitness) {
        mustLeave = null;
        blockedEndMs = Long.MAX_VALUE;
        full = fitness == Fitness.FULL;
        if (fitness != Fitness.BLOCKED) {
            return;
        }
        if (failedLately()) {
            blockedEndMs = time.awakeMs() + config.electionTimeoutMs();
        } else {
            leaveTo(BLOCKED);
        }
    }

    /** It was elected although its disk is not well, for want of a better one: it offers that to nobody soon. */
    void elected(Fitness fitness) {
        full = fitness == Fitness.FULL;
        transferFailedMs = time.awakeMs();
    }

    private boolean failedLately() {
        return time.awakeMs() - transferFailedMs < TIMEOUTS_BETWEEN_TRANSFERS * config.electionTimeoutMs();
    }

    /** Hands over to the best of the others, if that wants to; else it stays. */
    private void offer() {
        transferFailedMs = time.awakeMs();
        peers.best(membership.members(), heardSinceMs()).ifPresent(this::transfer);
    }

    // ---- members ----

    /**
     * Thesis §4, R15: one node at a time; by a leader whose own epoch is confirmed, for else the changes of two leaders may share no
     * node (Ongaro, raft-dev, 10 July 2015); and not before the last change is confirmed.
     */
    void change(MembersChange change) {
        MembersFact current = membership.current();
        Optional<String> senseless = change.refusal(current.members());
        if (!isEstablished()) {
            out.refuse("the epoch of term " + ballot.term() + " is not confirmed yet");
        } else if (membersAsked || current.factEnd() > log.confirm()) {
            out.refuse("the last change of the members, up to offset " + current.factEnd() + ", is not confirmed yet");
        } else if (senseless.isPresent()) {
            out.refuse(senseless.get());
        } else if (change instanceof MembersChange.Promote promote
                && !peers.keepsUp(promote.id(), config.electionTimeoutMs())) {
            out.refuse(promote.id() + " holds " + peers.countedOf(promote.id()) + " of " + log.endOffset()
                    + " and does not keep up"); // thesis §4.2.1
        } else {
            append(change.appliedTo(current.members()));
        }
    }

    /** A fact about members is in the log: they are fed and counted from now on (thesis §4.1). */
    void membersFound() {
        membersAsked = false;
        settled = settled && peers.areAllOf(membership.members());
        peers.follow(membership.members(), Long.MIN_VALUE);
    }

    void membersRefused() {
        membersAsked = false;
    }
}
