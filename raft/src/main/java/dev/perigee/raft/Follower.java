package dev.perigee.raft;

import dev.perigee.loop.OwnedBy;
import dev.perigee.raft.RaftMessage.Held;
import dev.perigee.raft.RaftMessage.Hello;
import dev.perigee.raft.RaftMessage.HelloAnswer;
import dev.perigee.raft.RaftMessage.Lead;
import dev.perigee.raft.RaftMessage.LeadAnswer;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Receives from the leader of its term, once it has heard of one (Raft §5.2, §5.3). */
@OwnedBy("log loop")
public final class Follower implements Role {
    /** How far the session with the leader has come. */
    private enum Stage {
        /** There is none. */
        NONE,
        /** Hello was said. */
        GREETED,
        /** The host searches for the fork. */
        COMPARING,
        /** What is not the leader's goes. */
        CUTTING,
        /** Everything in the log is the leader's, and more comes. */
        STREAMING
    }

    private static final long NOTHING_TOLD = -1;

    private final RaftConfig config;
    private final String self;
    private final Ballot ballot;
    private final LogState log;
    private final AwakeTime time;
    private final Gathered out;
    private final LongSupplier randoms;

    private @Nullable String leader;
    private long heardAwakeMs;
    private long heardMs;

    private Stage stage = Stage.NONE;
    private long session;
    private long greetedMs;
    /** Where the leader's log ended when it took this session in. */
    private long leaderEnd;
    /** Whether that leader was elected by all as the last resort. */
    private boolean lastResort;

    private long toldHeld = NOTHING_TOLD;
    /** The highest confirm offset that the leader has said in this session (R19). */
    private long toldConfirm;

    Follower(RaftConfig config, Ballot ballot, LogState log, AwakeTime time, Gathered out, LongSupplier randoms) {
        this.config = config;
        this.self = config.selfId();
        this.ballot = ballot;
        this.log = log;
        this.time = time;
        this.out = out;
        this.randoms = randoms;
    }

    @Override
    public Kind kind() {
        return Kind.FOLLOWER;
    }

    Optional<String> leader() {
        return Optional.ofNullable(leader);
    }

    boolean hearsLeader() {
        return leader != null && time.awakeMs() - heardAwakeMs < config.electionTimeoutMs();
    }

    /** When the leader was heard last, by the clock; {@link Long#MIN_VALUE} while none is known. */
    long leaderHeardMs() {
        return leader == null ? Long.MIN_VALUE : heardMs;
    }

    private void hear() {
        heardAwakeMs = time.awakeMs();
        heardMs = time.nowMs();
    }

    /** Raft §5.2: there is a leader of this term; it is greeted, unless a session is under way. */
    void led(Lead lead) {
        if (leader != null && !leader.equals(lead.from())) {
            throw new IllegalStateException(
                    "two leaders of term " + lead.term() + ": " + leader + " and " + lead.from());
        }
        leader = lead.from();
        hear();
        boolean isLate = stage == Stage.GREETED && time.awakeMs() - greetedMs >= config.electionTimeoutMs() / 2;
        // A hello that came late, and was given up here, may have ended the session there.
        boolean isForgotten = stage == Stage.STREAMING && session != lead.session();
        if (stage == Stage.NONE || isLate || isForgotten) {
            greet(lead.from());
        }
        boolean streams = stage == Stage.STREAMING;
        ballot.send(new LeadAnswer(
                self,
                lead.from(),
                ballot.term(),
                streams ? session : 0,
                streams ? log.held() : 0,
                lead.saidMs(),
                config.nodeId()));
    }

    private void greet(String to) {
        if (log.isCutting()) {
            return; // what will be left of the log is not settled before
        }
        session = randoms.getAsLong() | 1;
        stage = Stage.GREETED;
        greetedMs = time.awakeMs();
        toldHeld = NOTHING_TOLD;
        toldConfirm = 0;
        ballot.send(new Hello(self, to, ballot.term(), session, config.nodeId(), log.condition(), log.end()));
    }

    /** The leader feeds this node, or says why not; then it is asked again after a while. */
    void taken(HelloAnswer answer) {
        if (stage != Stage.GREETED || session != answer.session()) {
            return;
        }
        if (!answer.refusal().isEmpty()) {
            out.note("event=refused_by_leader leader=" + answer.from() + " reason=\"" + answer.refusal() + "\"");
            return;
        }
        stage = Stage.COMPARING;
        leaderEnd = answer.leaderEnd();
        lastResort = answer.lastResort();
        out.follow(new Effects.Following(session, answer.from(), ballot.term()));
    }

    /** Both logs are equal up to here (R25); what is behind goes (Raft §5.3). */
    void forked(long ofSession, LogEnd fork) {
        if (stage != Stage.COMPARING || session != ofSession) {
            return;
        }
        if (fork.endOffset() < log.endOffset()) {
            stage = Stage.CUTTING;
            log.beginCut(fork);
            out.truncate(fork.endOffset());
        } else {
            stream();
        }
    }

    /** A cut is through, of this session or of one before. */
    void truncated() {
        if (stage == Stage.CUTTING) {
            stream();
        }
    }

    private void stream() {
        stage = Stage.STREAMING;
        tellHeld();
    }

    boolean accepts(long ofSession) {
        return stage == Stage.STREAMING && session == ofSession;
    }

    /** Raft §5.3: entries are appended, and what the leader has confirmed is, as far as it is here (R19). */
    void received(long confirmOffset, LogEnd end) {
        log.grow(end);
        toldConfirm = Math.max(toldConfirm, confirmOffset);
        log.confirm(Math.min(toldConfirm, log.endOffset()));
        heldMoved();
    }

    /** What is held may have moved. */
    void heldMoved() {
        if (stage == Stage.STREAMING) {
            tellHeld();
            checkRestored();
        }
    }

    /** Raft §5.3: success, up to here. */
    private void tellHeld() {
        long held = log.held();
        if (leader != null && held > toldHeld) {
            toldHeld = held;
            ballot.send(new Held(self, leader, ballot.term(), session, held));
        }
    }

    /**
     * R5: a leader has confirmed, without counting this node, what it appended after this node's hello, and this node holds all of it
     * durably. Or all voters agreed to this leader's log as the last resort, and this node holds all it had: what it may have forgotten
     * was said in this term, hence to this leader, or was given up by all.
     */
    private void checkRestored() {
        if (log.isSound()) {
            return;
        }
        boolean byOthers = toldConfirm > leaderEnd && log.flushed() >= toldConfirm;
        boolean byLastResort = lastResort && log.flushed() >= leaderEnd;
        if ((byOthers || byLastResort) && leader != null) {
            log.restore();
            greet(leader); // it counts in a session that began so
        }
    }

    /** The host's part of a session has ended: it begins anew when the leader is heard next. */
    void sessionEnded(long ofSession) {
        if (session == ofSession) {
            endSession();
        }
    }

    /**
     * The connection to a node is gone.
     *
     * @return whether that node was the leader, of whom nothing is known now
     */
    boolean connectionLost(String to) {
        if (!to.equals(leader)) {
            return false;
        }
        leader = null;
        endSession();
        return true;
    }

    private void endSession() {
        session = 0;
        stage = Stage.NONE;
    }
}
