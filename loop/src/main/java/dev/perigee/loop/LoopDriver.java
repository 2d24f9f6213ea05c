package dev.perigee.loop;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the thread of one {@link Loop}: calls it while there is work, parks the thread until the loop's next deadline or
 * a {@link #wake()} otherwise, and hands any escaping failure to the fault policy, after which the loop never runs again.
 * While the thread is parked the driver may lend a {@link LendableLoop} to a thread that has work for it.
 */
@ThreadSafe
public final class LoopDriver implements AutoCloseable {
    /** What to do when a loop fails. Called on the loop's own thread, once. */
    public interface FaultPolicy {
        void onFault(Loop loop, Throwable cause);
    }

    /** Who is in the loop, or comes next. */
    private enum State {
        /** The loop's own thread. */
        RUNNING,
        /** The loop's own thread, which looks for work once more before it parks. */
        PARKING,
        /** Nobody; its own thread is parked or about to. */
        PARKED,
        /** A borrower. */
        LENT,
        /** A borrower, which has to wake the loop's own thread when it is done. */
        LENT_AND_CALLED
    }

    private static final Logger LOG = LoggerFactory.getLogger(LoopDriver.class);
    /** A borrowed pass that took longer than this has waited for something, and the loop rests from being lent. */
    private static final long SLOW_PASS_NS = TimeUnit.MILLISECONDS.toNanos(10);
    /** The rest is so many times the pass: what slow passes cost a borrower is at most that part of its time. */
    private static final int REST_FACTOR = 20;

    private final Loop loop;
    private final Clock clock;
    private final FaultPolicy faultPolicy;
    private final Thread thread;
    private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);
    private final CountDownLatch stopped = new CountDownLatch(1);
    /** Until when the thread is parked. Belongs, like the next, to whoever is in the loop. */
    private long parkedUntilMs;

    private long restsUntilNs;
    private volatile boolean stopping;
    private volatile @Nullable Throwable fault;

    public LoopDriver(Loop loop, Clock clock, FaultPolicy faultPolicy) {
        this.loop = loop;
        this.clock = clock;
        this.faultPolicy = faultPolicy;
        this.restsUntilNs = clock.monotonicNs();
        this.thread = new Thread(this::run, loop.name());
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Makes the loop run soon on its own thread. Cheap when the loop is already running; may be called from any thread. */
    public void wake() {
        while (true) {
            State now = state.get();
            if (now == State.RUNNING || now == State.LENT_AND_CALLED) {
                return;
            }
            if (state.compareAndSet(now, now == State.LENT ? State.LENT_AND_CALLED : State.RUNNING)) {
                if (now == State.PARKED) {
                    LockSupport.unpark(thread);
                }
                return;
            }
        }
    }

    /**
     * Makes the loop run: does one short pass here and now when the loop is parked and lends itself, wakes its own thread
     * otherwise, or for what the pass left over. May be called from any thread that may spend some microseconds; a failure
     * of the loop goes the same way as on its own thread and never to the caller.
     */
    @SuppressWarnings("CatchingUnchecked") // as in run(): the failure is the loop's, not the borrower's
    public void runOrWake() {
        if (!(loop instanceof LendableLoop lendable)
                || stopping
                || state.get() != State.PARKED
                || !state.compareAndSet(State.PARKED, State.LENT)) {
            wake();
            return;
        }
        boolean done = false;
        try {
            done = borrowed(lendable);
        } catch (Throwable e) {
            fault = e;
        }
        if (!done || !state.compareAndSet(State.LENT, State.PARKED)) {
            state.set(State.RUNNING);
            LockSupport.unpark(thread);
        }
    }

    /** True when the own thread may sleep on. */
    private boolean borrowed(LendableLoop lendable) {
        long startNs = clock.monotonicNs();
        if (startNs - restsUntilNs < 0) {
            return false;
        }
        boolean done = lendable.doShortWork(TimeUnit.NANOSECONDS.toMillis(startNs));
        long endNs = clock.monotonicNs();
        if (endNs - startNs > SLOW_PASS_NS) {
            restsUntilNs = endNs + REST_FACTOR * (endNs - startNs);
        }
        return done && loop.nextDeadlineMs() >= parkedUntilMs;
    }

    /** Whether the calling thread is the loop's own. */
    public boolean inLoop() {
        return Thread.currentThread() == thread;
    }

    /** Asks the loop to stop after its current pass and waits for it, at most the given time. Idempotent. */
    public boolean stop(long timeoutMs) {
        stopping = true;
        LockSupport.unpark(thread);
        if (inLoop() || thread.getState() == Thread.State.NEW) {
            return true;
        }
        try {
            return stopped.await(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        stop(TimeUnit.SECONDS.toMillis(10));
    }

    /** The failure that ended the loop, or null while it is sound. */
    public @Nullable Throwable fault() {
        return fault;
    }

    @SuppressWarnings("CatchingUnchecked") // the one place where a loop's failure is caught: it decides the node's fate
    private void run() {
        try {
            while (!stopping && fault == null) {
                if (loop.doWork(clock.monotonicMs()) == 0) {
                    park();
                }
            }
        } catch (Throwable e) {
            fault = e;
        } finally {
            Throwable cause = fault;
            if (cause != null) {
                LOG.error("event=loop_failed loop={}", loop.name(), cause);
                faultPolicy.onFault(loop, cause);
            }
            loop.onStop();
            stopped.countDown();
        }
    }

    /**
     * Parks between two looks at the work: the state is changed first, then the loop is asked once more, so a wake-up that
     * comes in between is never lost.
     */
    private void park() {
        state.set(State.PARKING);
        long nowMs = clock.monotonicMs();
        if (stopping || loop.doWork(nowMs) > 0) {
            state.set(State.RUNNING);
            return;
        }
        long deadlineMs = loop.nextDeadlineMs();
        parkedUntilMs = deadlineMs;
        if (deadlineMs <= nowMs || !state.compareAndSet(State.PARKING, State.PARKED)) {
            state.set(State.RUNNING);
            return;
        }
        if (!stopping) {
            if (deadlineMs == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(deadlineMs - nowMs));
            }
        }
        takeBack();
    }

    /** The own thread goes on; a borrower finishes its short pass first. */
    private void takeBack() {
        while (state.get() != State.RUNNING) {
            if (!state.compareAndSet(State.PARKED, State.RUNNING)
                    && (state.get() == State.LENT_AND_CALLED
                            || state.compareAndSet(State.LENT, State.LENT_AND_CALLED))) {
                LockSupport.park(this);
            }
        }
    }
}
