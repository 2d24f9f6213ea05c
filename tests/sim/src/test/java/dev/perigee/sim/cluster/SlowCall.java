package dev.perigee.sim.cluster;

import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** A listener call with a thread of its own, which runs only between {@link #run} and its next {@link #take}. */
public final class SlowCall {
    private static final ThreadLocal<SlowCall> CURRENT = new ThreadLocal<>();

    private final long number;
    private final Object member;
    private final TurnedClock clock;
    private final Thread thread;
    private final Semaphore itsTurn = new Semaphore(0);
    private final Semaphore ourTurn = new Semaphore(0);
    /** The rest is handed from thread to thread by the semaphores. */
    private long wakeMs;

    private boolean isOver;
    private boolean isGone;
    private @Nullable Error failure;

    SlowCall(long number, Object member, TurnedClock clock, Runnable task) {
        this.number = number;
        this.member = member;
        this.clock = clock;
        this.thread = new Thread(() -> body(task), "listener-" + number);
        thread.setDaemon(true);
    }

    /** Thrown into the listener of a process that is gone. */
    private static final class Vanished extends Error {
        private static final long serialVersionUID = 1L;
    }

    /**
     * Lets time pass within the call, when it is one that has time. Called by listeners.
     *
     * @return whether it was
     */
    public static boolean take(long ms) {
        SlowCall call = CURRENT.get();
        if (call != null) {
            call.sleep(ms);
        }
        return call != null;
    }

    /** Whether the calling listener may take its time. */
    public static boolean hasTime() {
        return CURRENT.get() != null;
    }

    private void sleep(long ms) {
        wakeMs = clock.monotonicMs() + ms;
        ourTurn.release();
        itsTurn.acquireUninterruptibly();
        if (isGone) {
            throw new Vanished();
        }
    }

    private void body(Runnable task) {
        itsTurn.acquireUninterruptibly();
        CURRENT.set(this);
        try {
            task.run();
        } catch (Vanished e) {
            // as if the thread had never come back
        } catch (Error e) {
            failure = e;
        } catch (RuntimeException e) {
            failure = new AssertionError("a listener call fails", e);
        } finally {
            isOver = true;
            ourTurn.release();
        }
    }

    long number() {
        return number;
    }

    Object member() {
        return member;
    }

    long wakeMs() {
        return wakeMs;
    }

    void start() {
        thread.start();
    }

    /** Lets the call go on until it takes time or ends; whether it goes on later. */
    boolean run() {
        itsTurn.release();
        ourTurn.acquireUninterruptibly();
        return !isOver;
    }

    void vanish() {
        isGone = true;
        run();
    }

    Optional<Error> failure() {
        return Optional.ofNullable(failure);
    }
}
