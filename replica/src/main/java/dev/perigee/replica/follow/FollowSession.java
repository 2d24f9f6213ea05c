package dev.perigee.replica.follow;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.ForkHeader;
import dev.perigee.protocol.header.replica.HeldHeader;
import dev.perigee.protocol.header.replica.HelloAnswer;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.protocol.header.replica.ReplicaOffsetsHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ReplicaOffsets;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.replica.HelloCheck;
import dev.perigee.replica.LogFacts;
import dev.perigee.replica.ReasonLog;
import dev.perigee.replica.StreamLimits;
import dev.perigee.replica.follow.LogIntake.Verdict;
import dev.perigee.store.epoch.ForkSearch;
import dev.perigee.store.receive.CutOrder;
import dev.perigee.store.receive.ReceiveRefusedException;
import dev.perigee.store.receive.ReceiveRefusedException.Reason;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a replica to its master, from hello to end: greets, finds where both logs part, has the rest of its own cut
 * off, and takes in the stream. Whatever does not fit ends the connection, with both sides' values in the log.
 */
@OwnedBy("event loop")
final class FollowSession {
    /** After which a master that starts is greeted again. */
    private static final long GREET_AGAIN_MS = 500;

    private static final long CALL_TIMEOUT_MS = 5_000;
    /** A replica that stops waits no longer for its master to know that. */
    private static final long LEAVE_MS = 1_000;

    /** Until what an earlier session handed over is in the log. */
    private static final long SETTLE_MS = 10;

    private static final String REFUSED = "refused by the master: ";

    private static final Logger LOG = LoggerFactory.getLogger(FollowSession.class);

    private enum State {
        SETTLING,
        GREETING,
        /** The master starts, and asks for what this replica has. */
        ASKED,
        SEARCHING,
        CUTTING,
        STREAMING,
        OVER
    }

    private final Connection connection;
    private final LoopExecutor loop;
    private final long session;
    private final ReplicaLog log;
    private final ReasonLog reasons;
    private final Clock clock;
    private volatile State state = State.SETTLING;
    /** Whether the master said that it is starting, and nothing else since: nothing is received meanwhile. */
    private volatile boolean asked;

    private int senderEpoch;
    private long toldHeld = -1;
    private volatile long heardMs;
    private volatile long toldMs;
    private @Nullable LogIntake intake;
    /** Whether it streamed and greets its master once more. */
    private volatile boolean anew;
    /** Whether the last hello said that this replica is restoring, so that it counts for nobody. */
    private boolean saidRestoring;

    private volatile long masterEndOffset = Long.MAX_VALUE;

    /** @param reasons why sessions ended, each once */
    FollowSession(
            Connection connection, LoopExecutor loop, long session, ReplicaLog log, ReasonLog reasons, Clock clock) {
        this.connection = connection;
        this.loop = loop;
        this.session = session;
        this.log = log;
        this.reasons = reasons;
        this.clock = clock;
    }

    /** When its master was heard last, monotonic milliseconds; 0 before the stream began. Any thread. */
    long heardMs() {
        return heardMs;
    }

    /** When it said last what is held here, monotonic milliseconds; 0 before the stream began. Any thread. */
    long toldMs() {
        return toldMs;
    }

    /** The connection. Any thread. */
    Connection connection() {
        return connection;
    }

    /** Its event loop. Any thread. */
    LoopExecutor loop() {
        return loop;
    }

    /** Whether it runs over this connection. Any thread. */
    boolean runsOver(Connection other) {
        return connection.equals(other);
    }

    /** Where the master's log ended when it took this replica in. Any thread; once it streams. */
    long masterEndOffset() {
        return masterEndOffset;
    }

    /** Whether the stream has begun and not ended. Any thread. */
    boolean isStreaming() {
        return state == State.STREAMING;
    }

    /** Whether its master is heard: the stream runs, or begins once more. Any thread. */
    boolean isFollowing() {
        return state == State.STREAMING || (anew && state != State.OVER);
    }

    /** Whether its master, in this session, may ask for what this replica has. Any thread. */
    boolean mayBeAsked(Connection other, long number) {
        return asked && state != State.OVER && session == number && runsOver(other);
    }

    /** Begins, as soon as the log has taken what earlier sessions handed over: only then its end is one. */
    void begin() {
        if (state != State.SETTLING && state != State.ASKED) {
            return;
        }
        if (!log.isSettled()) {
            loop.schedule(SETTLE_MS, this::begin);
            return;
        }
        HelloHeader hello = log.hello(session);
        saidRestoring = hello.restoring();
        transitionTo(State.GREETING, "the log ends at " + hello.endOffset());
        ask(Rpcs.REPLICA_HELLO, hello, answer -> greeted(hello, answer));
    }

    /** This replica is restoring no more: says hello anew over the same connection, so that it counts. Any thread. */
    void greetAnew() {
        loop.execute(() -> {
            if (state == State.STREAMING) {
                intake = null; // what waits in it comes again
                anew = true;
                transitionTo(State.SETTLING, "nothing is missing here any more");
                connection.resumeReading();
                begin();
            }
        });
    }

    /** The connection is gone. */
    void over() {
        intake = null; // what waits in it belongs to a session that is over
        if (state != State.OVER) {
            transitionTo(State.OVER, "the connection has ended");
        }
    }

    /** Bytes, or a heartbeat. */
    void fetched(FetchedHeader header, ByteBuffer bytes) {
        LogIntake now = intake;
        if (now == null || state != State.STREAMING) {
            return;
        }
        heardMs = clock.monotonicMs();
        if (now.received(header, bytes, heardMs) == Verdict.REFUSED) {
            end(now.fault().orElse("the stream does not continue the log"));
        } else if (now.isFull()) {
            connection.pauseReading(); // until the log has taken what waits
        }
    }

    /**
     * Hands up what consumers committed here. Any thread.
     *
     * @return whether the sender has logged all of it; fails when it was not answered
     */
    CompletableFuture<Boolean> passUp(List<QueueCommit> commits) {
        if (state != State.STREAMING) {
            return CompletableFuture.completedFuture(false);
        }
        byte[] body = Json.write(new ReplicaOffsets(commits));
        return connection
                .call(
                        Rpcs.REPLICA_OFFSETS,
                        new ReplicaOffsetsHeader(session),
                        body,
                        Deadline.after(clock, CALL_TIMEOUT_MS))
                .thenApply(Answer::isOk);
    }

    /**
     * Tells the master that this replica stops, so that nobody waits for it. Any thread.
     *
     * @return completed when the master knows, or cannot be told
     */
    CompletableFuture<?> leave() {
        if (state != State.STREAMING) {
            return CompletableFuture.completedFuture(Boolean.TRUE);
        }
        long held = log.heldOffset();
        HeldHeader last = new HeldHeader(session, log.epochBefore(held), held, true);
        return connection
                .call(Rpcs.REPLICA_HELD, last, null, Deadline.after(clock, LEAVE_MS))
                .handle((answer, failure) -> Boolean.TRUE);
    }

    /** What the replica answers for may have moved: one frame up when it has. */
    void tellHeld() {
        if (state == State.STREAMING && log.heldOffset() > toldHeld) {
            tell();
        }
    }

    private void masterStarts() {
        asked = true;
        transitionTo(State.ASKED, "the master has not begun its epoch yet");
        loop.schedule(GREET_AGAIN_MS, this::begin);
    }

    private void greeted(HelloHeader hello, HelloAnswer answer) {
        asked = false;
        Optional<String> unfit = HelloCheck.refusal(hello, answer);
        if (unfit.isPresent()) {
            refuse(unfit.get());
            return;
        }
        Optional<String> unknown = HelloCheck.unknownFormat(hello, answer);
        if (unknown.isPresent()) {
            end(unknown.get());
            return;
        }
        senderEpoch = answer.epoch();
        masterEndOffset = answer.endOffset();
        log.greeted(answer.endOffset());
        transitionTo(
                State.SEARCHING,
                "master in epoch " + answer.epoch() + ", its log from " + answer.startOffset() + " to "
                        + answer.endOffset());
        Optional<Confirmed> lost = log.confirmedBeyondEnd().filter(confirmed -> confirmed.epochId() != 0);
        if (log.isEmpty()) {
            stream(answer.startOffset());
        } else if (lost.isPresent()) {
            ask(Rpcs.REPLICA_FORK, new ForkHeader(session, lost.get().epoch()), has -> hasConfirmed(lost.get(), has));
        } else {
            search(ForkSearch.begin(log.extent()));
        }
    }

    /** R10: what was confirmed and lost here must be there: another epoch may have come to those offsets since. */
    private void hasConfirmed(Confirmed lost, ForkAnswer theirs) {
        String epochId = Long.toHexString(lost.epochId());
        if (theirs.epoch() == lost.epoch() && theirs.epochId().equals(epochId) && theirs.endOffset() >= lost.offset()) {
            search(ForkSearch.begin(log.extent()));
        } else {
            refuse("this replica was told that all below " + lost.offset() + " of epoch " + lost.epoch() + " ("
                    + epochId
                    + ") is confirmed, and has lost it; the master's epoch " + theirs.epoch() + " (" + theirs.epochId()
                    + ") ends at " + theirs.endOffset() + ": acknowledged messages are gone on both; to go on without"
                    + " them, empty the replica's folder");
        }
    }

    private void search(ForkSearch.Step step) {
        if (step instanceof ForkSearch.Ask question) {
            ask(Rpcs.REPLICA_FORK, new ForkHeader(session, question.number()), this::answered);
        } else if (step instanceof ForkSearch.Fork fork) {
            found(fork.offset());
        } else {
            refuse("no byte of this log (" + log.extent().startOffset() + " to "
                    + log.extent().endOffset() + ") is known to be the master's: empty the folder to begin anew");
        }
    }

    private void answered(ForkAnswer answer) {
        try {
            search(ForkSearch.next(LogFacts.read(answer), log.extent()));
        } catch (NumberFormatException e) {
            end("epochId=" + answer.epochId() + ", wanted hex digits");
        }
    }

    /** R10: what was confirmed here is not given up by this node itself. */
    private void found(long forkOffset) {
        long end = log.extent().endOffset();
        long confirm = log.confirmOffset();
        if (forkOffset < confirm) {
            refuse("both logs are equal up to " + forkOffset + " only, this replica's to " + end
                    + " and the master's to "
                    + masterEndOffset + ", but this replica knows all below " + confirm
                    + " to be confirmed, which the master lost or never had; nothing is cut here: to go on without that, empty this replica's"
                    + " folder");
        } else if (forkOffset < end) {
            cut(forkOffset, end);
        } else {
            stream(end);
        }
    }

    private void cut(long forkOffset, long end) {
        transitionTo(State.CUTTING, "bytes " + forkOffset + " to " + end + " are not in the master's log");
        if (!log.cut(session, forkOffset, new CutDone())) {
            end("too much waits for the log");
        }
    }

    /** Goes on when the log has been cut. On the log loop. */
    private final class CutDone implements CutOrder.CutListener {
        @Override
        public void cut(CutOrder order) {
            loop.execute(() -> stream(order.endOffset()));
        }

        @Override
        public void refused(CutOrder order, ReceiveRefusedException why) {
            loop.execute(() -> end("the log was not cut: " + why.getMessage()));
        }
    }

    private void stream(long offset) {
        if (state == State.OVER) {
            return;
        }
        if (!log.isNotUnderstood()) {
            log.refusal().follows();
        }
        transitionTo(State.STREAMING, "from offset " + offset);
        anew = false;
        LOG.info(
                "event=follows_master master={} fromOffset={} epoch={}",
                connection.remoteAddress(),
                offset,
                senderEpoch);
        LogHandover handover = log.handover(loop, session, senderEpoch, new HandoverWatch());
        int before = log.epochBefore(offset);
        LogIntake begun =
                new LogIntake(LogIntake.Terms.of(session, senderEpoch), offset, before, handover, clock.monotonicMs());
        intake = begun;
        toldHeld = offset;
        connection.oneway(Rpcs.REPLICA_HELD, new HeldHeader(session, before, offset), null);
        loop.schedule(StreamLimits.HEARTBEAT_MS, () -> beat(begun));
        if (saidRestoring && !log.isRestoring()) {
            greetAnew(); // that was over while the hello was on its way
        }
    }

    /** Hears what becomes of what was handed over. On the log loop. */
    private final class HandoverWatch implements LogHandover.Watcher {
        @Override
        public void refused(ReceiveRefusedException why) {
            String reason = "the log does not take what was sent: " + why.getMessage();
            if (why.reason() == Reason.FACT) { // R22: from there on nothing may be read here
                log.notUnderstood(why.offset());
                loop.execute(() -> refuse(reason));
            } else {
                loop.execute(() -> end(reason));
            }
        }

        @Override
        public void roomAgain() {
            loop.execute(FollowSession.this::drain);
        }
    }

    private void drain() {
        LogIntake now = intake;
        if (now != null && state == State.STREAMING && now.isFull() && now.drain(clock.monotonicMs())) {
            connection.resumeReading();
        }
    }

    private void beat(LogIntake now) {
        if (!now.equals(intake) || state != State.STREAMING) {
            return;
        }
        Optional<String> standstill = now.standstill(clock.monotonicMs());
        if (standstill.isPresent()) {
            end(standstill.get());
            return;
        }
        drain();
        tell();
        log.keepConfirmed(now.confirmOffset(), clock.monotonicMs());
        loop.schedule(StreamLimits.HEARTBEAT_MS, () -> beat(now));
    }

    private void tell() {
        toldHeld = Math.max(toldHeld, log.heldOffset());
        toldMs = clock.monotonicMs();
        connection.oneway(Rpcs.REPLICA_HELD, new HeldHeader(session, log.epochBefore(toldHeld), toldHeld), null);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the answer ends in the callback
    private <Q extends Record, R extends Record> void ask(Rpc<Q, R> rpc, Q header, Consumer<R> then) {
        connection
                .call(rpc, header, null, Deadline.after(clock, CALL_TIMEOUT_MS))
                .whenComplete((answer, failure) -> loop.execute(() -> heard(rpc, answer, failure, then)));
    }

    private <R extends Record> void heard(
            Rpc<?, R> rpc, @Nullable Answer<R> answer, @Nullable Throwable failure, Consumer<R> then) {
        if (state == State.OVER) {
            return;
        }
        if (answer == null) {
            end(rpc.name() + " was not answered: " + failure);
        } else if (answer.code() == ResponseCode.MASTER_IS_STARTING) {
            masterStarts();
        } else if (answer.code() == ResponseCode.REPLICA_DOES_NOT_FIT) {
            refuse(REFUSED + answer.remarkText());
        } else if (answer.code() == ResponseCode.REPLICA_MUST_REFILL) {
            end(REFUSED + answer.remarkText());
            log.mustRefill(answer.remarkText());
        } else if (!answer.isOk()) {
            end(REFUSED + answer.remarkText());
        } else {
            then.accept(answer.require());
        }
    }

    /** The two do not fit, and will not by themselves: nothing of this log is known to be the master's. */
    private void refuse(String reason) {
        log.refusal().refused(reason);
        end(reason);
    }

    private void end(String reason) {
        if (state != State.OVER) {
            if (reasons.isNews(reason)) {
                LOG.warn(
                        "event=following_ended master={} state={} reason=\"{}\"",
                        connection.remoteAddress(),
                        state,
                        reason);
            }
            transitionTo(State.OVER, reason);
            intake = null;
            connection.close(reason);
        }
    }

    private void transitionTo(State next, String reason) {
        LOG.debug(
                "event=following master={} session={} from={} to={} reason=\"{}\"",
                connection.remoteAddress(),
                Long.toHexString(session),
                state,
                next,
                reason);
        state = next;
    }
}
