package dev.perigee.remoting.memory;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.transport.LoopExecutor;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Queue;

/** The one event loop of a network in memory: tasks in order, timers by the injected clock. */
@OwnedBy("stepping thread")
final class MemoryLoop implements LoopExecutor {
    private final Clock clock;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private long timersMade;

    MemoryLoop(Clock clock) {
        this.clock = clock;
    }

    @Override
    public int index() {
        return 0;
    }

    @Override
    public boolean inLoop() {
        return true;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public Scheduled schedule(long delayMs, Runnable task) {
        Timer timer = new Timer(clock.monotonicMs() + delayMs, timersMade++, task);
        timers.add(timer);
        return () -> timers.remove(timer);
    }

    @Override
    public Scheduled every(long periodMs, Runnable task) {
        Repeating repeating = new Repeating(periodMs, task);
        repeating.plan();
        return repeating;
    }

    /** Runs the next task or due timer; false when there is none. */
    boolean runOne() {
        Runnable task = tasks.poll();
        if (task == null) {
            Timer timer = timers.peek();
            if (timer == null || timer.dueMs > clock.monotonicMs()) {
                return false;
            }
            timers.remove();
            task = timer.task;
        }
        task.run();
        return true;
    }

    long nextDeadlineMs() {
        Timer timer = timers.peek();
        return timer == null ? Long.MAX_VALUE : timer.dueMs;
    }

    /** Timers due at the same time run in the order they were made. Compared by identity when removed. */
    private static final class Timer implements Comparable<Timer> {
        private final long dueMs;
        private final long number;
        private final Runnable task;

        Timer(long dueMs, long number, Runnable task) {
            this.dueMs = dueMs;
            this.number = number;
            this.task = task;
        }

        @Override
        public int compareTo(Timer other) {
            int byTime = Long.compare(dueMs, other.dueMs);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private final class Repeating implements Scheduled {
        private final long periodMs;
        private final Runnable task;
        private boolean cancelled;

        Repeating(long periodMs, Runnable task) {
            this.periodMs = periodMs;
            this.task = task;
        }

        void plan() {
            schedule(periodMs, this::run);
        }

        @Override
        public void cancel() {
            cancelled = true;
        }

        private void run() {
            if (!cancelled) {
                plan();
                task.run();
            }
        }
    }
}
