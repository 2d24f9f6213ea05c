package dev.perigee.raft;

import dev.perigee.loop.OwnedBy;
import java.util.function.LongSupplier;

/** The role that a node is in, and when it stands unless it hears of a leader. */
@OwnedBy("log loop")
final class Roles {
    /** A connection that breaks tells all followers of a leader at once; they ask within this part of an election timeout. */
    private static final int JITTER_PART = 10;

    private final RaftConfig config;
    private final Ballot ballot;
    private final LogState log;
    private final AwakeTime time;
    private final Gathered out;
    private final LongSupplier randoms;
    private Role role;
    /** In time awake. */
    private long electionMs;

    Roles(RaftConfig config, Ballot ballot, LogState log, AwakeTime time, Gathered out, LongSupplier randoms) {
        this.config = config;
        this.ballot = ballot;
        this.log = log;
        this.time = time;
        this.out = out;
        this.randoms = randoms;
        this.role = newFollower();
    }

    Role now() {
        return role;
    }

    boolean hearsLeader() {
        return role instanceof Leader || (role instanceof Follower follower && follower.hearsLeader());
    }

    // ---- the timer ----

    /** When this node stands, in time awake. */
    long electionMs() {
        return electionMs;
    }

    /** Raft §5.2, §9.3: timeouts are drawn anew each time, so that votes are seldom split. */
    void waitAnew() {
        long drawnMs = Math.floorMod(randoms.getAsLong(), config.electionTimeoutMs());
        electionMs = time.awakeMs() + config.electionTimeoutMs() + drawnMs;
    }

    /** The leader may be gone: this node soon asks whether to stand (R29). */
    void hurry() {
        long jitterMs = Math.floorMod(randoms.getAsLong(), config.electionTimeoutMs() / JITTER_PART + 1);
        electionMs = Math.min(electionMs, time.awakeMs() + jitterMs);
    }

    // ---- changes ----

    private Follower newFollower() {
        return new Follower(config, ballot, log, time, out, randoms);
    }

    void becomeFollower(String why) {
        waitAnew();
        become(newFollower(), why);
    }

    /** Whoever leads no more says so first (R33). */
    void become(Role next, String why) {
        Role before = role;
        role = next;
        if (before instanceof Leader) {
            out.steppedDown();
        }
        if (before.kind() != next.kind()) {
            out.note("event=role from=" + before.kind() + " to=" + next.kind() + " term=" + ballot.term() + " reason=\""
                    + why + "\"");
        }
    }
}
