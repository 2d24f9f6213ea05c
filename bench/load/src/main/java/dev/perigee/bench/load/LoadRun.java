package dev.perigee.bench.load;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Drives one {@link Target} by a {@link LoadPlan}. Prints {@code MARK begin} when the warm-up is over, {@code MARK end} when the window is,
 * and then one line {@code RESULT key=value …}; whoever started this process samples the broker's CPU time at the marks.
 */
public final class LoadRun {
    private static final long MAX_TRACKED_NS = TimeUnit.SECONDS.toNanos(60);
    /** A backlog that is not consumed by then counts as failed. */
    private static final long BACKLOG_LIMIT_S = 300;
    private static final long PROBE_EVERY_MS = 50;

    private final LoadPlan plan;
    private final Target target;
    private final PrintStream out;
    private final ConcurrentHistogram latencyNs = new ConcurrentHistogram(MAX_TRACKED_NS, 3);
    private final AtomicLong counted = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong paceMisses = new AtomicLong();
    private volatile boolean counting;
    private volatile boolean over;

    /** A run that prints to stdout. */
    public LoadRun(LoadPlan plan, Target target) {
        this(plan, target, System.out);
    }

    LoadRun(LoadPlan plan, Target target, PrintStream out) {
        this.plan = plan;
        this.target = target;
        this.out = out;
    }

    /** Runs the plan to its end. */
    public void run() throws Exception {
        switch (plan.mode()) {
            case "sync" -> timed(this::sendSync);
            case "async" -> timed(thread -> sendAsync(thread, () -> {}));
            case "paced" -> timed(thread -> sendAsync(thread, new Pace(plan.ratePerSecond() / plan.threads())::await));
            case "batch" -> timed(this::sendBatches);
            case "endtoend" -> endToEnd();
            case "backlog" -> backlog();
            case "fill" -> fill();
            case "create" -> create();
            case "probe" -> new ProbeRun(plan, target, out).run();
            default -> throw new IllegalArgumentException("unknown mode " + plan.mode());
        }
    }

    private interface Sender {
        void loop(int thread) throws Exception;
    }

    private void timed(Sender sender) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < plan.threads(); i++) {
            int number = i;
            Thread thread = new Thread(() -> runSender(sender, number), "load-" + i);
            thread.start();
            threads.add(thread);
        }
        window();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void window() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(plan.warmupMs());
        long beginNs = begin();
        TimeUnit.MILLISECONDS.sleep(plan.windowMs());
        end(beginNs);
        over = true;
    }

    private long begin() {
        print("MARK begin");
        counting = true;
        return System.nanoTime();
    }

    private void end(long beginNs) {
        counting = false;
        long elapsedNs = System.nanoTime() - beginNs;
        print("MARK end");
        print("RESULT count=" + counted.get() + " failed=" + failed.get() + " elapsedMs="
                + TimeUnit.NANOSECONDS.toMillis(elapsedNs) + " p50us=" + percentile(50) + " p99us=" + percentile(99)
                + " p999us=" + percentile(99.9) + " paceMisses=" + paceMisses.get());
    }

    private long percentile(double percent) {
        return TimeUnit.NANOSECONDS.toMicros(latencyNs.getValueAtPercentile(percent));
    }

    private void runSender(Sender sender, int number) {
        try {
            sender.loop(number);
        } catch (Exception e) {
            print("FAILED " + e);
            failed.incrementAndGet();
        }
    }

    private void sendSync(int thread) throws Exception {
        byte[] body = body();
        for (long i = thread; !over; i += plan.threads()) {
            long startNs = System.nanoTime();
            try {
                target.send(plan.topicAt(i), body);
                record(System.nanoTime() - startNs, 1);
            } catch (Exception e) {
                fail(e);
            }
        }
    }

    /** @param pace called before each send; may wait */
    private void sendAsync(int thread, Runnable pace) throws Exception {
        Semaphore permits = new Semaphore(plan.inFlight());
        byte[] body = body();
        for (long i = thread; !over; i += plan.threads()) {
            pace.run();
            permits.acquire();
            long startNs = System.nanoTime();
            Consumer<Throwable> done = error -> {
                permits.release();
                if (error == null) {
                    record(System.nanoTime() - startNs, 1);
                } else {
                    fail(error);
                }
            };
            try {
                target.sendAsync(plan.topicAt(i), body, done);
            } catch (Exception e) {
                done.accept(e); // one refusal must not silence this thread for the rest of the run
            }
        }
        permits.tryAcquire(plan.inFlight(), 10, TimeUnit.SECONDS);
    }

    private void sendBatches(int thread) throws Exception {
        List<byte[]> bodies = Collections.nCopies(plan.batchCount(), body());
        for (long i = thread; !over; i += plan.threads()) {
            long startNs = System.nanoTime();
            try {
                target.sendBatch(plan.topicAt(i), bodies);
                record(System.nanoTime() - startNs, plan.batchCount());
            } catch (Exception e) {
                fail(e);
            }
        }
    }

    private void create() {
        long begunNs = System.nanoTime();
        for (int i = 0; i < plan.topics(); i++) {
            try {
                target.createTopic(plan.topicAt(i), plan.queues());
                counted.incrementAndGet();
            } catch (Exception e) {
                fail(e);
            }
        }
        printTotal(begunNs);
    }

    private void printTotal(long begunNs) {
        print("RESULT count=" + counted.get() + " failed=" + failed.get() + " elapsedMs="
                + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNs));
    }

    private void fill() throws Exception {
        List<byte[]> bodies = Collections.nCopies(plan.batchCount(), body());
        AtomicLong sent = new AtomicLong();
        long begunNs = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < plan.threads(); t++) {
            Thread thread = new Thread(() -> runSender(n -> {
                while (sent.getAndAdd(plan.batchCount()) < plan.count()) {
                    target.sendBatch(plan.topic(), bodies);
                    counted.addAndGet(plan.batchCount());
                }
            }, 0));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        printTotal(begunNs);
    }

    /**
     * Consumes a backlog that another run has filled: the first third warms up, the window is the rest. Nothing is counted before the window
     * begins, nor beyond the backlog.
     */
    private void backlog() throws Exception {
        AtomicLong received = new AtomicLong();
        AtomicLong beginNs = new AtomicLong();
        CountDownLatch done = new CountDownLatch(1);
        long warm = plan.count() / 3;
        target.consume(plan.topic(), "bench_group_" + Long.toHexString(System.nanoTime()), body -> {
            long number = received.incrementAndGet();
            if (number == warm) {
                beginNs.set(begin());
            } else if (number > warm && number <= plan.count()) {
                counted.incrementAndGet();
            }
            if (number == plan.count()) {
                done.countDown();
            }
        });
        if (!done.await(BACKLOG_LIMIT_S, TimeUnit.SECONDS)) {
            failed.set(plan.count() - received.get());
        }
        if (beginNs.get() == 0) {
            print("RESULT count=0 failed=" + failed.get()); // the window never began
        } else {
            end(beginNs.get());
        }
    }

    /** A steady stream from one producer thread to one consumer that is known to receive; latency from send call to listener. */
    private void endToEnd() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        target.consume(plan.topic(), "bench_group_" + Long.toHexString(System.nanoTime()), body -> {
            first.countDown();
            long sentNs = ByteBuffer.wrap(body).getLong();
            record(System.nanoTime() - sentNs, 1);
        });
        if (receives(first)) {
            timed(this::sendSteadily);
        } else {
            fail(new IllegalStateException("the consumer got nothing within " + plan.firstMessageMs() + " ms"));
            print("RESULT count=0 failed=" + failed.get());
        }
    }

    /**
     * Sends a message now and then until one arrives. A consumer may learn the route of a topic, or its share of the queues, only at its next
     * look, which for a stock client is up to 30 s away; without this wait a short warm-up would end before it received anything.
     */
    private boolean receives(CountDownLatch first) throws Exception {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(plan.firstMessageMs());
        while (System.nanoTime() < deadlineNs) {
            byte[] body = body();
            ByteBuffer.wrap(body).putLong(System.nanoTime());
            target.send(plan.topic(), body);
            if (first.await(PROBE_EVERY_MS, TimeUnit.MILLISECONDS)) {
                return true;
            }
        }
        return false;
    }

    /** A send that begins more than a period behind its time is a pacing miss: the stream was no steady one there. */
    private void sendSteadily(int thread) throws Exception {
        Pace pace = new Pace(plan.ratePerSecond());
        while (!over) {
            byte[] body = body();
            ByteBuffer.wrap(body).putLong(System.nanoTime());
            target.sendAsync(plan.topic(), body, error -> {
                if (error != null) {
                    fail(error);
                }
            });
            if (!pace.await() && counting) {
                paceMisses.incrementAndGet();
            }
        }
    }

    private void record(long elapsedNs, int messages) {
        if (counting) {
            counted.addAndGet(messages);
            latencyNs.recordValue(Math.min(elapsedNs, MAX_TRACKED_NS));
        }
    }

    private void fail(Throwable error) {
        if (failed.getAndIncrement() == 0) {
            print("FIRST_FAILURE " + error);
        }
    }

    private byte[] body() {
        byte[] body = new byte[plan.sizeBytes()];
        ThreadLocalRandom.current().nextBytes(body);
        return body;
    }

    private void print(String line) {
        out.println(line);
        out.flush();
    }
}
