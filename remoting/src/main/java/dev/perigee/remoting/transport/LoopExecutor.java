package dev.perigee.remoting.transport;

import java.util.concurrent.Executor;

/**
 * One event loop as an executor. Tasks run one after the other on the loop's thread and must not block; a task that throws
 * is logged and the loop goes on. All methods may be called from any thread.
 */
public interface LoopExecutor extends Executor {
    /** A task that will run later, or again and again. */
    interface Scheduled {
        /** Makes sure that the task does not start again. */
        void cancel();
    }

    /** The number of this loop in its transport, from 0. */
    int index();

    /** Whether the calling thread is the loop's own. */
    boolean inLoop();

    /** Runs the task soon; after tasks that were handed over before. */
    @Override
    void execute(Runnable task);

    /** Runs the task once, not before that many milliseconds have passed. */
    Scheduled schedule(long delayMs, Runnable task);

    /** Runs the task every so many milliseconds, the first time after one period. */
    Scheduled every(long periodMs, Runnable task);
}
