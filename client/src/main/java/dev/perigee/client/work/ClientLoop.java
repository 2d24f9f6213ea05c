package dev.perigee.client.work;

import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import dev.perigee.loop.ThreadSafe;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one loop of a client: routes, heartbeats, rebalance, pulls and offsets run here, so their state needs no lock.
 * Other threads hand tasks over with {@link #execute}; timers run on the injected clock. A driver thread calls {@link
 * #doWork}, or a simulation does.
 *
 * <p>The inbox is not bounded by itself: every task in it answers a call, a timer or a finished listener run, and those
 * are bounded by the calls in flight and by the consumers' flow control.
 */
@ThreadSafe
public final class ClientLoop implements Loop, Executor {
    /** Tasks run in one pass, so that timers are looked at often enough. */
    static final int TASKS_PER_PASS = 1024;

    private static final int INBOX_CHUNK = 1024;
    private static final Logger LOG = LoggerFactory.getLogger(ClientLoop.class);

    private record Due(long atMs, long order, Timer timer) {}

    private final String name;
    private final Clock clock;
    private final MpscUnboundedArrayQueue<Runnable> inbox = new MpscUnboundedArrayQueue<>(INBOX_CHUNK);
    private final PriorityQueue<Due> timers = new PriorityQueue<>((a, b) -> {
        int byTime = Long.compare(a.atMs, b.atMs);
        return byTime != 0 ? byTime : Long.compare(a.order, b.order);
    });
    /** Answers still owed, by the number of their question. */
    private final ConcurrentMap<Long, Owed> asked = new ConcurrentHashMap<>();

    private final AtomicLong questions = new AtomicLong();
    private long timersMade;
    private volatile Runnable waker = () -> {};
    private volatile boolean stopped;

    public ClientLoop(String name, Clock clock) {
        this.name = name;
        this.clock = clock;
    }

    /** Tells the loop how its driver is woken. Called once, before the driver starts. */
    public void wakeWith(Runnable driverWake) {
        this.waker = driverWake;
    }

    /** Runs the task on this loop, after everything handed over before. Dropped silently once the loop stopped. */
    @Override
    public void execute(Runnable task) {
        if (stopped) {
            return;
        }
        inbox.offer(task);
        waker.run();
    }

    /** A question whose answer is still owed. */
    private record Owed(CompletableFuture<?> result, Supplier<FailureSite> where) {
        void refuse() {
            result.completeExceptionally(new ClosedException("the client is closed", where.get()));
        }
    }

    /**
     * Asks a question on this loop. The future ends in any case: with the answer, with the question's failure, or with a
     * {@link ClosedException} when the loop stops first or has stopped.
     *
     * @param where tells where the question stands when the loop stops first
     */
    public <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> work, Supplier<FailureSite> where) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Long question = questions.getAndIncrement();
        Owed owed = new Owed(result, where);
        asked.put(question, owed);
        Completion.on(result, (value, failure) -> asked.remove(question));
        execute(() -> {
            try {
                Completion.on(work.get(), (value, failure) -> {
                    if (failure == null) {
                        result.complete(value);
                    } else {
                        result.completeExceptionally(failure);
                    }
                });
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        if (stopped) {
            owed.refuse();
        }
        return result;
    }

    /** Runs the task once, after the delay; never when the loop stops before. May be called from any thread. */
    public Timer after(long delayMs, Runnable task) {
        return after(delayMs, task, () -> {});
    }

    /** Runs the task once, after the delay, or the other one when the loop stops before or has stopped: one of the two. */
    public Timer after(long delayMs, Runnable task, Runnable abandoned) {
        return schedule(delayMs, new Timer(task, 0, abandoned));
    }

    /** Runs the task again and again; the period is counted from the end of a run. May be called from any thread. */
    public Timer every(long firstDelayMs, long periodMs, Runnable task) {
        if (periodMs <= 0) {
            throw new IllegalArgumentException("periodMs=" + periodMs + ", must be above 0");
        }
        return schedule(firstDelayMs, new Timer(task, periodMs, () -> {}));
    }

    private Timer schedule(long delayMs, Timer timer) {
        long atMs = clock.monotonicMs() + Math.max(0, delayMs);
        execute(() -> timers.add(new Due(atMs, timersMade++, timer)));
        if (stopped) {
            timer.abandon();
        }
        return timer;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int doWork(long nowMs) {
        int done = runTasks();
        while (!timers.isEmpty() && timers.peek().atMs <= nowMs) {
            Timer timer = timers.remove().timer;
            if (!timer.mayRun()) {
                continue;
            }
            run(timer.task());
            done++;
            if (timer.periodMs() > 0 && !timer.isCancelled()) {
                timers.add(new Due(clock.monotonicMs() + timer.periodMs(), timersMade++, timer));
            }
        }
        return done;
    }

    private int runTasks() {
        int done = 0;
        Runnable task;
        while (done < TASKS_PER_PASS && (task = inbox.poll()) != null) {
            run(task);
            done++;
        }
        return done;
    }

    /**
     * A task that fails is a defect, or code of the user that ran here; neither may take the heartbeats and offsets of the
     * whole client with it.
     */
    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("event=client_task_failed loop={}", name, e);
        }
    }

    @Override
    public long nextDeadlineMs() {
        Due next = timers.peek();
        return next == null ? Long.MAX_VALUE : next.atMs;
    }

    /** Runs what was handed over, tells those who wait for timers and answers that these will not come. Idempotent. */
    @Override
    public void onStop() {
        stopped = true;
        while (runTasks() > 0) {
            // to the last one
        }
        for (Due due = timers.poll(); due != null; due = timers.poll()) {
            run(due.timer::abandon);
        }
        asked.values().forEach(Owed::refuse);
    }
}
