package dev.perigee.client.consumer;

import dev.perigee.client.listener.ListenerRun;
import dev.perigee.client.listener.Spread;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the calls of a concurrent listener. Runs of messages wait in one queue; tasks on the listener's threads take messages
 * from the oldest run, call by call, and hand ended calls back in lumps, so that neither a hop between threads nor a lock is
 * paid for each message.
 *
 * <p>On threads of our own a task goes on until nothing waits, and {@link Spread} says how many tasks there are. No task can
 * know how long its next call takes; so while anything waits somebody looks every few milliseconds whether calls are still
 * begun, and adds tasks when they are not. On threads of the user each call is a task, because the user may refuse, count or
 * mark tasks; a task he refuses is offered again after a pause.
 *
 * <p>What waits is bounded by the flow control of the queues.
 */
@ThreadSafe
final class ConcurrentCalls {
    /** The pause before a message the broker did not take back, or a call no thread took, is tried again. */
    static final long LOCAL_RETRY_MS = 5_000;
    /** Calls of one task; then other tasks have their turn, for instance a direct consumption an administrator waits for. */
    static final int CALLS_PER_TASK = 1_024;
    /** Ended calls are handed over when there are so many of them. */
    static final int LUMP = 32;
    /** Or when the first of them is so old. */
    static final long LUMP_NS = TimeUnit.MICROSECONDS.toNanos(200);
    /** Time between two looks whether calls are still begun while messages wait. */
    static final long WATCH_MS = 2;
    /** The longest time between two looks, when there is nothing to be done about it. */
    static final long MAX_WATCH_MS = 64;

    private static final Logger LOG = LoggerFactory.getLogger(ConcurrentCalls.class);
    private static final int CHUNK = 1_024;

    /**
     * What the calls need.
     *
     * @param maxTasks tasks at a time on threads of our own; {@link #TASK_PER_CALL} on threads of the user
     */
    record Parts(
            int batchSize,
            int maxTasks,
            ListenerRun listener,
            ConsumeTimeouts timeouts,
            Executor threads,
            ClientLoop loop,
            Clock clock) {}

    /** A task for each call, however many. */
    static final int TASK_PER_CALL = Integer.MAX_VALUE;

    private final Parts parts;
    private final Consumer<RunningBatch> ended;
    private final Runnable settled;
    private final Queue<MessageRun> waiting = new ConcurrentLinkedQueue<>();
    private final MpscUnboundedArrayQueue<RunningBatch> handedOver = new MpscUnboundedArrayQueue<>(CHUNK);
    private final AtomicBoolean settling = new AtomicBoolean();
    private final Runnable settle = this::settle;
    private final Spread spread = new Spread();
    /** Tasks on threads of our own that were handed in and have not ended. */
    private final AtomicInteger tasks = new AtomicInteger();
    /** The rest is the client loop's. */
    private boolean isWatched;

    private long watchMs;
    private int addedLast;
    private @Nullable MessageRun oldest;
    private int oldestLeft;

    /**
     * @param ended takes each ended call, on the client loop
     * @param settled called on the client loop after a lump of ended calls
     */
    ConcurrentCalls(Parts parts, Consumer<RunningBatch> ended, Runnable settled) {
        this.parts = parts;
        this.ended = ended;
        this.settled = settled;
    }

    /** Messages are to be consumed. Client loop. */
    void add(MessageRun run) {
        waiting.add(run);
        if (parts.maxTasks == TASK_PER_CALL) {
            for (int left = run.size(); left > 0; left -= parts.batchSize) {
                offer(new Task(1));
            }
        } else {
            addWanted();
            watch();
        }
    }

    private void addWanted() {
        addTasks(spread.threads(waitingCalls(), tasks.get(), parts.maxTasks));
    }

    /** A queue was given up or moved: what waits of it is let go. Client loop. */
    void forget(QueuePuller from) {
        waiting.removeIf(run -> run.from() == from && !run.isWanted());
    }

    /** Takes the calls that have ended so far. Client loop. */
    void settle() {
        settling.set(false); // first, so that a call handed over from now on is told anew
        RunningBatch batch = handedOver.poll();
        if (batch == null) {
            return;
        }
        while (batch != null) {
            batch.end();
            ended.accept(batch);
            batch = handedOver.poll();
        }
        settled.run();
    }

    private long waitingCalls() {
        long calls = 0;
        for (MessageRun run : waiting) {
            calls += (run.left() + parts.batchSize - 1) / parts.batchSize;
        }
        return calls;
    }

    private void addTasks(int wanted) {
        while (tasks.get() < wanted) {
            tasks.incrementAndGet();
            if (!offer(new Task(CALLS_PER_TASK))) {
                tasks.decrementAndGet();
                return;
            }
        }
    }

    /** Hands a task in. What is not taken stays in the queue and is offered again later. Client loop. */
    private boolean offer(Task task) {
        try {
            parts.threads.execute(task);
            return true;
        } catch (RuntimeException
                | Error e) { // the user's executor may throw anything; the messages must not be forgotten
            if (task.hasBegun()) {
                LOG.warn("event=listener_call_failed_on_client_loop reason=\"{}\"", e.toString(), e);
                return true;
            }
            LOG.warn(
                    "event=listener_executor_refused waitingRuns={} againMs={} reason=\"{}\"",
                    waiting.size(),
                    LOCAL_RETRY_MS,
                    e.toString());
            parts.loop.after(LOCAL_RETRY_MS, this::offerAgain);
            return false;
        }
    }

    private void offerAgain() {
        if (waiting.isEmpty()) {
            return;
        }
        if (parts.maxTasks == TASK_PER_CALL) {
            offer(new Task(1));
        } else {
            addWanted();
        }
    }

    /** Looks after what waits, until nothing does. Client loop. */
    private void watch() {
        MessageRun head = waiting.peek();
        if (!isWatched && head != null) {
            watchMs = WATCH_MS;
            addedLast = 0;
            lookLater(head);
        }
    }

    private void lookLater(MessageRun head) {
        oldest = head;
        oldestLeft = head.left();
        isWatched = true;
        parts.loop.after(watchMs, this::look);
    }

    private void look() {
        isWatched = false;
        settle();
        MessageRun head = waiting.peek();
        if (head == null) {
            return;
        }
        boolean isStuck = head == oldest && head.left() == oldestLeft;
        int running = tasks.get();
        if (isStuck && running < parts.maxTasks) {
            addedLast = Math.max(1, 2 * addedLast); // a few may have been held up by a busy machine, all by their calls
            addTasks((int) Math.min(parts.maxTasks, Math.min((long) running + addedLast, running + waitingCalls())));
            watchMs = WATCH_MS;
        } else {
            addedLast = isStuck ? addedLast : 0;
            watchMs = isStuck ? Math.min(MAX_WATCH_MS, 2 * watchMs) : WATCH_MS;
        }
        lookLater(head);
    }

    /** Takes messages and calls the listener, on one of its threads. */
    private final class Task implements Runnable, ConsumeTimeouts.Caller {
        private final int maxCalls;
        private volatile boolean begun;
        private volatile @Nullable RunningBatch current;
        private long nowNs;
        /** Ended calls that were not handed over, and when the first of them began. */
        private int ended;

        private long firstBegunNs;

        Task(int maxCalls) {
            this.maxCalls = maxCalls;
        }

        boolean hasBegun() {
            return begun;
        }

        @Override
        public @Nullable RunningBatch current() {
            return current;
        }

        @Override
        public void run() {
            begun = true;
            nowNs = parts.clock.monotonicNs();
            parts.listener.calls().begun();
            parts.timeouts.watch(this);
            boolean isCounted = parts.maxTasks != TASK_PER_CALL;
            try {
                boolean isOver = false;
                while (!isOver) {
                    isOver = !makeCalls() || !isCounted || hasEnded();
                }
                isCounted = false;
            } finally {
                current = null;
                handOver();
                parts.timeouts.unwatch(this);
                parts.listener.calls().ended();
                if (isCounted) {
                    failed();
                }
            }
        }

        /** Makes calls; gives whether it stopped because nothing waits, and not because others have to have their turn. */
        private boolean makeCalls() {
            for (int calls = 0; calls < maxCalls; calls++) {
                RunningBatch batch = next(nowNs);
                if (batch == null) {
                    return true;
                }
                call(batch);
                if (Thread.currentThread().isInterrupted()) {
                    break; // the next call must not find it; a pool that goes on clears it before the next task
                }
            }
            giveWay();
            return false;
        }

        private void call(RunningBatch batch) {
            current = batch;
            if (ended == 0) {
                firstBegunNs = nowNs;
            } else if (waiting.isEmpty()) {
                handOver(); // nobody watches any more, and this call may take long
            }
            try {
                long endNs = parts.listener.run(batch.from().queue(), batch.messages(), nowNs, batch);
                spread.took(endNs - nowNs);
                nowNs = endNs;
            } finally {
                handedOver.offer(batch);
                ended++;
            }
            if (ended >= LUMP || nowNs - firstBegunNs >= LUMP_NS) {
                handOver();
            }
        }

        private void handOver() {
            if (ended > 0) {
                ended = 0;
                if (!settling.get() && settling.compareAndSet(false, true)) {
                    parts.loop.execute(settle);
                }
            }
        }

        /** A new task goes on behind those that wait for a thread. */
        private void giveWay() {
            if (parts.maxTasks == TASK_PER_CALL) {
                return;
            }
            try {
                parts.threads.execute(new Task(CALLS_PER_TASK));
            } catch (RejectedExecutionException e) {
                tasks.decrementAndGet();
                LOG.debug("event=listener_threads_closed reason=\"{}\"", e.getMessage());
            }
        }

        /** Nothing waited a moment ago: gives whether nothing has come since. */
        private boolean hasEnded() {
            tasks.decrementAndGet(); // first, so that whoever adds something from now on adds a task
            if (waiting.isEmpty()) {
                return true;
            }
            tasks.incrementAndGet();
            return false;
        }

        /** An error of the listener ends this task, and most likely its thread. */
        private void failed() {
            tasks.decrementAndGet();
            parts.loop.execute(ConcurrentCalls.this::addWanted);
        }
    }

    /** The messages for the next call, or null when nothing waits. Any thread. */
    private @Nullable RunningBatch next(long nowNs) {
        for (MessageRun run = waiting.peek(); run != null; run = waiting.peek()) {
            if (!run.isWanted()) { // somebody else consumes this queue now, or it goes on from another position
                waiting.remove(run);
                continue;
            }
            int first = run.take(parts.batchSize);
            int end = Math.min(run.size(), first + parts.batchSize);
            if (end == run.size()) {
                waiting.remove(run);
            }
            if (first < end) {
                return new RunningBatch(run, first, end, TimeUnit.NANOSECONDS.toMillis(nowNs));
            }
        }
        return null;
    }
}
