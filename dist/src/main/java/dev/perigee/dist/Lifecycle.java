package dev.perigee.dist;

import dev.perigee.broker.Broker;
import dev.perigee.broker.member.StartRefusedException;
import dev.perigee.broker.registration.RefillWantedException;
import dev.perigee.broker.registration.ReplacedMasterException;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * From "ready" to "stopped": waits until somebody wants the servers to stop, then closes them on the thread that started
 * them, while the process waits for that.
 */
@ThreadSafe
final class Lifecycle {
    /** A stop that takes longer is cut off: a member of a group serves clients on that go by a route of before. */
    private static final long STOP_LIMIT_MS = Broker.LONGEST_STOP_MS + 10_000;

    private final boolean hooked;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch ready = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicBoolean hookAdded = new AtomicBoolean();
    private volatile BooleanSupplier startEndsSoon = () -> false;

    private Lifecycle(boolean hooked) {
        this.hooked = hooked;
    }

    /** Ctrl-C and SIGTERM stop the servers. */
    static Lifecycle ofProcess() {
        return new Lifecycle(true);
    }

    /** Only {@link #stop} stops the servers. For tests and rehearsals. */
    static Lifecycle byHand() {
        return new Lifecycle(false);
    }

    /** Closes what was started. */
    interface Closing {
        void run() throws Exception;
    }

    /**
     * From now on a stop ends a start that waits for other servers, and the process waits until {@link #over}. One that does not wait, as while a
     * log is read, is cut off as by a kill.
     *
     * @param giveUp lets the start wait no longer; says whether it ends by itself soon, and returns at once
     */
    void starts(BooleanSupplier giveUp) {
        startEndsSoon = giveUp;
        addHook();
    }

    private void addHook() {
        if (hooked && hookAdded.compareAndSet(false, true)) {
            Runtime.getRuntime().addShutdownHook(new Thread(this::stopAndWait, "stop"));
        }
    }

    /** All is closed and said: the process may end. */
    void over() {
        closed.countDown();
    }

    /**
     * Waits for the stop, then closes. Blocks as long as the servers run.
     *
     * @throws CommandException when the servers stopped because of a failure, which outranks one of the stop itself, or did
     *     not stop in order
     */
    void serve(Closing closing) throws CommandException {
        addHook();
        ready.countDown();
        try {
            stop.await();
            closing.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            Throwable cause = failure.get();
            if (cause != null) {
                cause.addSuppressed(e);
                throw failed(cause);
            }
            throw new CommandException(ExitCode.FAILED, "the stop was not clean: " + e.getMessage(), e);
        } finally {
            LogSetup.flush();
            closed.countDown();
        }
        Throwable cause = failure.get();
        if (cause != null) {
            throw failed(cause);
        }
    }

    private static CommandException failed(Throwable cause) {
        if (cause instanceof ReplacedMasterException || cause instanceof RefillWantedException) {
            return new CommandException(ExitCode.FAILED, String.valueOf(cause.getMessage()), cause);
        }
        if (cause instanceof StartRefusedException) {
            return new CommandException(ExitCode.USAGE, String.valueOf(cause.getMessage()), cause);
        }
        return new CommandException(ExitCode.LOG_FAILED, "the log cannot be written any more: " + cause, cause);
    }

    /** Asks for the stop; returns at once. */
    void stop() {
        stop.countDown();
    }

    /** Asks for the stop because of a failure, the first of which is told at the end. */
    void fail(Throwable cause) {
        failure.compareAndSet(null, cause);
        stop();
    }

    /** Ends every wait for readiness: the servers are ready, or never will be. */
    void readyOrOver() {
        ready.countDown();
    }

    /** Waits until the servers are ready. */
    boolean awaitReady(long timeoutMs) throws InterruptedException {
        return ready.await(timeoutMs, TimeUnit.MILLISECONDS);
    }

    private void stopAndWait() {
        stop();
        if (ready.getCount() > 0 && !startEndsSoon.getAsBoolean()) {
            return;
        }
        try {
            if (!closed.await(STOP_LIMIT_MS, TimeUnit.MILLISECONDS)) {
                System.err.println("perigee: the stop took longer than " + STOP_LIMIT_MS + " ms and is cut off");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
