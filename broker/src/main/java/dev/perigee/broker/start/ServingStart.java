package dev.perigee.broker.start;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.call.RemotingException;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The last part of a broker's start, which may have to wait for other brokers: waited for by the starting thread, or, where nothing
 * has a thread, a loop that the caller steps with the others.
 */
@OwnedBy("starting thread")
public final class ServingStart implements Loop {
    /** After so long others are told that this broker waits for them: soon, for some are waited for no longer than seconds. */
    static final long ANNOUNCE_MS = 300;

    private static final long POLL_NS = 2_000_000;

    /** Opens the ports of clients, and makes the broker known. */
    @FunctionalInterface
    public interface Opening {
        /** Does it; may block. */
        void run() throws IOException, RemotingException;
    }

    private final BooleanSupplier ready;
    private final Opening opening;
    private final Runnable announcing;
    private final Consumer<Throwable> failure;
    private final Clock clock;
    private final long announceMs;
    private boolean announced;
    private volatile boolean givenUp;
    private boolean over;

    /**
     * Begins to count the time.
     *
     * @param announcing makes the broker known to those it waits for; called once, after {@link #ANNOUNCE_MS}
     * @param failure told when a start that is stepped fails
     */
    public ServingStart(
            BooleanSupplier ready, Opening opening, Runnable announcing, Consumer<Throwable> failure, Clock clock) {
        this.ready = ready;
        this.opening = opening;
        this.announcing = announcing;
        this.failure = failure;
        this.clock = clock;
        this.announceMs = clock.monotonicMs() + ANNOUNCE_MS;
    }

    /**
     * Waits until the broker may serve, and lets it. Blocks.
     *
     * @param inVain whether there is nothing to wait for any more
     * @throws IOException also when that is so, the start was given up, or the thread is interrupted
     */
    public void await(BooleanSupplier inVain) throws IOException, RemotingException {
        while (!ready.getAsBoolean()) {
            if (givenUp || inVain.getAsBoolean() || Thread.currentThread().isInterrupted()) {
                throw new IOException("the start was given up before the replicas were heard");
            }
            announceIfDue(clock.monotonicMs());
            LockSupport.parkNanos(POLL_NS);
        }
        open();
    }

    /** Nobody wants the broker any more; who waits for it hears of that. Any thread. */
    public void giveUp() {
        givenUp = true;
    }

    /** Whether the broker may serve now. Any thread. */
    public boolean isReady() {
        return ready.getAsBoolean();
    }

    /** Whether clients are served, or cannot be. */
    public boolean isOver() {
        return over;
    }

    @Override
    public String name() {
        return "perigee-start";
    }

    @Override
    public int doWork(long nowMs) {
        if (over) {
            return 0;
        }
        if (!ready.getAsBoolean()) {
            return announceIfDue(nowMs);
        }
        try {
            open();
        } catch (IOException | RemotingException e) {
            failure.accept(e);
        }
        return 1;
    }

    @Override
    public long nextDeadlineMs() {
        return over || announced ? Long.MAX_VALUE : announceMs;
    }

    private int announceIfDue(long nowMs) {
        if (announced || nowMs < announceMs) {
            return 0;
        }
        announced = true;
        announcing.run();
        return 1;
    }

    /** Lets the broker serve, for it may. Once. */
    public void open() throws IOException, RemotingException {
        over = true;
        opening.run();
    }
}
