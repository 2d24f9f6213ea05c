package dev.perigee.group;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.raft.RaftHelloAnswer;
import dev.perigee.protocol.header.raft.RaftHelloHeader;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.ForkHeader;
import dev.perigee.protocol.header.replica.HeldHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.RaftMessage.HelloAnswer;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.StreamLimits;
import dev.perigee.replica.follow.LogHandover;
import dev.perigee.replica.follow.LogIntake;
import dev.perigee.replica.follow.LogIntake.Verdict;
import dev.perigee.store.epoch.ForkSearch;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.receive.ReceiveInbox;
import dev.perigee.store.receive.ReceiveRefusedException;
import dev.perigee.store.receive.ReceiveRefusedException.Reason;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session of a follower with its leader: says hello, compares both logs when the leader has taken it in, and takes in the stream once
 * the node says that all of the own log is held. When to do which, and what is cut, the Raft node decides.
 */
@OwnedBy("event loop")
final class FollowedLeader {
    private static final long CALL_TIMEOUT_MS = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(FollowedLeader.class);

    /** What sessions of this node share. */
    record Ground(CommitLog log, ReceiveInbox received, RaftInbox inbox, Refill refill, Clock clock) {}

    private final Ground ground;
    private final RaftHelloHeader hello;
    private final Connection connection;
    private final LoopExecutor loop;
    private @Nullable RaftHelloAnswer answer;
    private @Nullable LogIntake intake;
    private long told;
    private boolean over;
    /** Nothing is read from the connection, for the log has no room. */
    private boolean paused;

    FollowedLeader(Ground ground, RaftHelloHeader hello, Connection connection, LoopExecutor loop) {
        this.ground = ground;
        this.hello = hello;
        this.connection = connection;
        this.loop = loop;
    }

    long session() {
        return hello.session();
    }

    LoopExecutor loop() {
        return loop;
    }

    boolean runsOver(Connection other) {
        return connection.equals(other);
    }

    /** Another session has begun, or the node wants this one no more. */
    void end() {
        over = true;
        intake = null;
        if (paused) {
            paused = false;
            loop.execute(connection::resumeReading);
        }
    }

    // ---- hello ----

    void greet() {
        ask(Rpcs.RAFT_HELLO, hello, this::taken, this::refused);
    }

    private void taken(RaftHelloAnswer taken) {
        answer = taken;
        tellNode(taken.term(), taken.endOffset(), taken.lastResort(), "");
    }

    private void refused(Failed why) {
        if (why.code() == ResponseCode.REPLICA_MUST_REFILL) {
            ground.refill().want(why.reason());
        }
        tellNode(hello.term(), 0, false, why.reason());
    }

    private void tellNode(int term, long leaderEnd, boolean lastResort, String refusal) {
        ground.inbox()
                .message(new HelloAnswer(
                        hello.to(), hello.from(), term, hello.session(), leaderEnd, lastResort, refusal));
    }

    // ---- the fork ----

    /** Both logs are compared (R25). An empty one has nothing that could differ. */
    void compare() {
        search(ForkSearch.begin(ground.log().extent()));
    }

    private void search(ForkSearch.Step step) {
        if (step instanceof ForkSearch.Ask question) {
            ask(
                    Rpcs.REPLICA_FORK,
                    new ForkHeader(session(), question.number()),
                    this::answered,
                    why -> broken(why.reason()));
        } else if (step instanceof ForkSearch.Fork fork) {
            LogEnd at = GroupFacts.endAt(ground.log().extent().epochs(), fork.offset());
            ground.inbox().event(node -> node.forked(session(), at));
        } else {
            nothingInCommon();
        }
    }

    /**
     * The leader deleted all that both may have had. What is here goes, so that nothing is kept that might not be the group's; unless some of it
     * was confirmed behind where the leader's log begins, which is no leader's then.
     */
    private void nothingInCommon() {
        RaftHelloAnswer taken = answer;
        long confirmed = ground.log().confirmOffset();
        String what = "no byte of this log (" + ground.log().extent().startOffset() + " to "
                + ground.log().extent().endOffset() + ", confirmed up to " + confirmed
                + ") is known to be the leader's, which begins at " + (taken == null ? 0 : taken.startOffset());
        if (taken == null || confirmed <= taken.startOffset()) {
            ground.refill().want(what);
            broken(what);
        } else {
            ground.inbox().event(node -> {
                throw new IllegalStateException(what + ": bytes that were confirmed are not in the leader's log (R19)");
            });
        }
    }

    private void answered(ForkAnswer theirs) {
        try {
            search(ForkSearch.next(LogFacts.read(theirs), ground.log().extent()));
        } catch (NumberFormatException e) {
            broken("epochId=" + theirs.epochId() + ", wanted hex digits");
        }
    }

    // ---- the stream ----

    /**
     * The node answers for this much. The first time that this is all of the log, the stream begins behind it.
     *
     * @param end where the log ends
     */
    void held(long heldOffset, LogEnd end) {
        RaftHelloAnswer taken = answer;
        if (over || taken == null) {
            return;
        }
        if (intake != null) {
            tell(heldOffset);
        } else if (heldOffset == end.endOffset()) {
            stream(end.isEmpty() ? taken.startOffset() : heldOffset, end.epoch(), taken.term());
        }
    }

    private void stream(long offset, int epoch, int term) {
        LOG.info("event=follows_leader leader={} fromOffset={} term={}", hello.to(), offset, term);
        LogHandover handover =
                new LogHandover(ground.received(), loop, session(), term, new AtomicInteger(), new HandoverWatch());
        LogIntake begun = new LogIntake(
                LogIntake.Terms.of(session(), term),
                offset,
                epoch,
                handover,
                ground.clock().monotonicMs());
        intake = begun;
        tell(offset);
        loop.schedule(StreamLimits.HEARTBEAT_MS, () -> beat(begun));
    }

    private void tell(long heldOffset) {
        told = Math.max(told, heldOffset);
        connection.oneway(Rpcs.REPLICA_HELD, new HeldHeader(session(), epochBefore(told), told), null);
    }

    private int epochBefore(long offset) {
        return GroupFacts.endAt(ground.log().extent().epochs(), offset).epoch();
    }

    private void beat(LogIntake now) {
        if (!now.equals(intake) || over) {
            return;
        }
        Optional<String> standstill = now.standstill(ground.clock().monotonicMs());
        if (standstill.isPresent()) {
            broken(standstill.get());
        } else {
            drain();
            tell(told);
            loop.schedule(StreamLimits.HEARTBEAT_MS, () -> beat(now));
        }
    }

    /** Bytes, or a heartbeat of the feed. */
    void fetched(FetchedHeader header, ByteBuffer bytes) {
        LogIntake now = intake;
        if (over || now == null) {
            return;
        }
        if (now.received(header, bytes, ground.clock().monotonicMs()) == Verdict.REFUSED) {
            broken(now.fault().orElse("the stream does not continue the log"));
        } else if (now.isFull()) {
            paused = true;
            connection.pauseReading(); // until the log has taken what waits
        }
    }

    private void drain() {
        LogIntake now = intake;
        if (now != null && now.isFull() && now.drain(ground.clock().monotonicMs())) {
            paused = false;
            connection.resumeReading();
        }
    }

    /** Hears what becomes of what was handed over. On the log loop. */
    private final class HandoverWatch implements LogHandover.Watcher {
        @Override
        public void refused(ReceiveRefusedException why) {
            if (why.reason() != Reason.NOT_RECEIVING) { // else the node has ended this session itself
                loop.execute(() -> broken("the log does not take what was sent: " + why.getMessage()));
            }
        }

        @Override
        public void roomAgain() {
            loop.execute(FollowedLeader.this::drain);
        }
    }

    // ---- the end ----

    /** This session leads nowhere: the node begins another one when it hears its leader next. */
    private void broken(String reason) {
        if (!over) {
            LOG.warn("event=session_ended leader={} reason=\"{}\"", hello.to(), reason);
            end();
            ground.inbox().event(node -> node.sessionEnded(session()));
        }
    }

    /**
     * What came in place of what was asked for.
     *
     * @param code of the answer; −1 when there was none
     */
    private record Failed(int code, String reason) {
        private static Failed of(@Nullable Answer<?> answer, @Nullable Throwable failure) {
            return answer == null
                    ? new Failed(-1, String.valueOf(failure))
                    : new Failed(answer.code(), answer.code() + " " + answer.remarkText());
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the answer ends in the callback
    private <Q extends Record, R extends Record> void ask(
            Rpc<Q, R> rpc, Q header, Consumer<R> then, Consumer<Failed> otherwise) {
        connection
                .call(rpc, header, null, Deadline.after(ground.clock(), CALL_TIMEOUT_MS))
                .whenComplete((heard, failure) -> loop.execute(() -> {
                    if (!over) {
                        if (heard != null && heard.isOk()) {
                            then.accept(heard.require());
                        } else {
                            otherwise.accept(Failed.of(heard, failure));
                        }
                    }
                }));
    }
}
