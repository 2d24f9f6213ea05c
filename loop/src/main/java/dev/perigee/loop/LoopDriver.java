package dev.perigee.loop;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the thread of one {@link Loop}: calls it while there is work, parks the thread until the loop's next deadline or
 * a {@link #wake()} otherwise, and hands any escaping failure to the fault policy, after which the loop never runs again.
 */
@ThreadSafe
public final class LoopDriver implements AutoCloseable {
    /** What to do when a loop fails. Called on the loop's own thread, once. */
    public interface FaultPolicy {
        void onFault(Loop loop, Throwable cause);
    }

    private static final Logger LOG = LoggerFactory.getLogger(LoopDriver.class);

    private final Loop loop;
    private final Clock clock;
    private final FaultPolicy faultPolicy;
    private final Thread thread;
    private final AtomicBoolean parked = new AtomicBoolean();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean stopping;
    private volatile @Nullable Throwable fault;

    public LoopDriver(Loop loop, Clock clock, FaultPolicy faultPolicy) {
        this.loop = loop;
        this.clock = clock;
        this.faultPolicy = faultPolicy;
        this.thread = new Thread(this::run, loop.name());
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Makes the loop run soon. Cheap when the loop is already running; may be called from any thread. */
    public void wake() {
        if (parked.get() && parked.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
        }
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
            while (!stopping) {
                if (loop.doWork(clock.monotonicMs()) == 0) {
                    park();
                }
            }
        } catch (Throwable e) {
            fault = e;
            LOG.error("event=loop_failed loop={}", loop.name(), e);
            faultPolicy.onFault(loop, e);
        } finally {
            loop.onStop();
            stopped.countDown();
        }
    }

    /**
     * Parks between two looks at the work: the flag is raised first, then the loop is asked once more, so a wake-up that
     * comes in between is never lost.
     */
    private void park() {
        parked.set(true);
        long nowMs = clock.monotonicMs();
        if (stopping || loop.doWork(nowMs) > 0) {
            parked.set(false);
            return;
        }
        long deadlineMs = loop.nextDeadlineMs();
        if (deadlineMs == Long.MAX_VALUE) {
            LockSupport.park(this);
        } else if (deadlineMs > nowMs) {
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(deadlineMs - nowMs));
        }
        parked.set(false);
    }
}
