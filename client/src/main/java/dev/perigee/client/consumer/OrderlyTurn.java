package dev.perigee.client.consumer;

import dev.perigee.client.work.Timer;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an orderly listener is doing with one queue, from its first message until the queue was left. */
@OwnedBy("client loop")
final class OrderlyTurn {
    private static final Logger LOG = LoggerFactory.getLogger(OrderlyTurn.class);

    /** What a queue is doing. */
    enum State {
        /** Nothing; the next call may begin. */
        IDLE,
        /** A listener call is under way or waits for a thread. */
        RUNNING,
        /** A call failed; the same messages come again when the time is over. */
        HELD_BACK,
        /** Messages that had their last try are on their way to the dead letters. */
        SETTING_ASIDE,
        /** The queue was given up while it was {@link #RUNNING} or {@link #SETTING_ASIDE}, and that is not over yet. */
        LOST,
        /** The last commit and the giving back of the lock are under way; the queue cannot be taken again before. */
        LEAVING
    }

    private final MessageQueue queue;
    private State state = State.IDLE;
    private @Nullable Timer pause;
    private PushWork.@Nullable Release release;
    private boolean isLockLost;
    /** Whether the call handed in has reached a thread; set there. */
    private volatile boolean begun;

    OrderlyTurn(MessageQueue queue) {
        this.queue = queue;
    }

    MessageQueue queue() {
        return queue;
    }

    State state() {
        return state;
    }

    /** Whether a call or a setting aside is not over. */
    boolean isBusy() {
        return state == State.RUNNING || state == State.SETTING_ASIDE || state == State.LOST;
    }

    /** Whether the queue was given up. */
    boolean isOver() {
        return state == State.LOST || state == State.LEAVING;
    }

    /** Whether something is under way that goes on whatever is decided now: a call on a thread, or a setting aside. */
    boolean isUnderWay() {
        return isBusy() && (begun || state == State.SETTING_ASIDE);
    }

    /** A thread looks now whether the call may still be made. Any thread. */
    void begin() {
        this.begun = true;
    }

    void run() {
        begun = false;
        transitionTo(State.RUNNING, "next messages");
    }

    /** Whatever it was doing is over, unless the queue was given up. */
    void free(String reason) {
        Timer timer = pause;
        if (timer != null) {
            timer.cancel();
            pause = null;
        }
        transitionTo(State.IDLE, reason);
    }

    void holdBack(Timer until) {
        transitionTo(State.HELD_BACK, "call failed");
        this.pause = until;
    }

    void setAside() {
        transitionTo(State.SETTING_ASIDE, "last try failed");
    }

    /** The lock is somebody else's: what was consumed since must not be committed. */
    void lockLost() {
        this.isLockLost = true;
    }

    /** The queue was given up. */
    void lose(PushWork.Release forLater) {
        this.release = forLater;
        if (isBusy()) {
            transitionTo(State.LOST, "queue given up");
        }
    }

    void leave() {
        Timer timer = pause;
        if (timer != null) {
            timer.cancel();
            pause = null;
        }
        transitionTo(State.LEAVING, "queue given up");
    }

    /** What is to be committed before the lock is given back; null when nothing may be. */
    PushWork.@Nullable Release toCommit() {
        return isLockLost ? null : release;
    }

    /** What is to be forgotten without a commit. */
    PushWork.@Nullable Release toForget() {
        return isLockLost ? release : null;
    }

    private void transitionTo(State next, String reason) {
        if (isOver() && next != State.LEAVING) {
            throw new IllegalStateException("queue=" + queue + " is " + state + " and cannot become " + next);
        }
        LOG.debug("event=turn queue={} from={} to={} reason=\"{}\"", queue, state, next, reason);
        this.state = next;
    }
}
