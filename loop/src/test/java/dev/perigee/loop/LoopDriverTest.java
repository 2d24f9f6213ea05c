package dev.perigee.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopDriverTest {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

    /** Where a piece of work was done. */
    private record Done(int work, Thread by) {}

    /** Takes numbers from an inbox; negative ones fail, and odd ones are too much for a short pass. */
    private static final class Numbers implements LendableLoop {
        final Queue<Integer> inbox = new ConcurrentLinkedQueue<>();
        final Queue<Done> done = new ConcurrentLinkedQueue<>();
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger mostInside = new AtomicInteger();
        volatile long deadlineMs = Long.MAX_VALUE;
        volatile boolean hiddenDeadline;
        volatile Runnable onShortPass = () -> {};

        @Override
        public String name() {
            return "numbers";
        }

        @Override
        public int doWork(long nowMs) {
            enter();
            try {
                int count = 0;
                for (Integer work = inbox.poll(); work != null; work = inbox.poll()) {
                    take(work);
                    count++;
                }
                if (nowMs >= deadlineMs) {
                    deadlineMs = Long.MAX_VALUE;
                    done.add(new Done(0, Thread.currentThread()));
                }
                return count;
            } finally {
                inside.decrementAndGet();
            }
        }

        @Override
        public boolean doShortWork(long nowMs) {
            enter();
            try {
                onShortPass.run();
                Integer next = inbox.peek();
                while (next != null && next % 2 == 0) {
                    take(inbox.remove());
                    next = inbox.peek();
                }
                return next == null;
            } finally {
                inside.decrementAndGet();
            }
        }

        @Override
        public long nextDeadlineMs() {
            return hiddenDeadline ? Long.MAX_VALUE : deadlineMs;
        }

        private void enter() {
            mostInside.accumulateAndGet(inside.incrementAndGet(), Math::max);
        }

        private void take(int work) {
            if (work < 0) {
                throw new IllegalArgumentException("work " + work);
            }
            done.add(new Done(work, Thread.currentThread()));
        }
    }

    private static final class LateClock implements Clock {
        final AtomicLong aheadNs = new AtomicLong();

        @Override
        public long wallMs() {
            return Clock.system().wallMs();
        }

        @Override
        public long monotonicNs() {
            return Clock.system().monotonicNs() + aheadNs.get();
        }
    }

    private final Numbers loop = new Numbers();
    private final LateClock clock = new LateClock();
    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();
    private final CountDownLatch failed = new CountDownLatch(1);
    private final LoopDriver driver = new LoopDriver(loop, clock, (which, cause) -> {
        faults.add(cause);
        failed.countDown();
    });

    @AfterEach
    void stop() {
        assertThat(driver.stop(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NS))).isTrue();
    }

    private static void await(BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - startNs).isLessThan(PATIENCE_NS);
            Thread.onSpinWait();
        }
    }

    /** Asks for the loop until this thread is lent it, once; the task runs inside the short pass. */
    private void borrow(Runnable inside) {
        AtomicInteger passes = new AtomicInteger();
        loop.onShortPass = () -> {
            loop.onShortPass = () -> {};
            passes.incrementAndGet();
            inside.run();
        };
        await(() -> {
            driver.runOrWake();
            return passes.get() == 1;
        });
    }

    @Test
    void aParkedLoopIsRunByTheThreadThatHasWorkForIt() {
        driver.start();
        borrow(() -> loop.inbox.add(4));
        assertThat(loop.done).containsExactly(new Done(4, Thread.currentThread()));
    }

    @Test
    void aLoopThatNeverRanIsNotLent() {
        loop.inbox.add(4);
        driver.runOrWake();
        assertThat(loop.done).isEmpty();
        driver.start();
        await(() -> loop.done.size() == 1);
        assertThat(loop.done.element().by()).isNotSameAs(Thread.currentThread());
    }

    @Test
    void wakingNeverRunsTheLoopOnTheCallingThread() {
        driver.start();
        borrow(() -> {});
        loop.inbox.add(4);
        driver.wake();
        await(() -> loop.done.size() == 1);
        assertThat(loop.done.element().by()).isNotSameAs(Thread.currentThread());
    }

    @Test
    void whatAShortPassLeavesOverIsDoneByTheLoopsOwnThread() {
        driver.start();
        borrow(() -> {
            loop.inbox.add(4);
            loop.inbox.add(5);
        });
        await(() -> loop.done.size() == 2);
        assertThat(loop.done).first().isEqualTo(new Done(4, Thread.currentThread()));
        assertThat(loop.done).last().extracting(Done::by).isNotSameAs(Thread.currentThread());
    }

    @Test
    void aWakeDuringAShortPassIsNotLostAndLetsNobodyInTwice() {
        driver.start();
        borrow(() -> {
            loop.deadlineMs = Long.MIN_VALUE; // the next pass of the own thread leaves a trace
            driver.wake();
            driver.runOrWake();
            loop.hiddenDeadline = true;
        });
        await(() -> loop.done.stream().anyMatch(done -> done.work() == 0));
        assertThat(loop.mostInside).hasValue(1);
    }

    @Test
    void anEarlierDeadlineAfterAShortPassWakesTheOwnThread() {
        driver.start();
        borrow(() -> loop.deadlineMs = clock.monotonicMs() + 1);
        await(() -> loop.done.stream().anyMatch(done -> done.work() == 0));
        assertThat(loop.done.element().by()).isNotSameAs(Thread.currentThread());
    }

    @Test
    void aFailureInAShortPassIsTheLoopsAndNotTheBorrowers() throws InterruptedException {
        driver.start();
        borrow(() -> loop.inbox.add(-2));
        assertThat(failed.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(faults).singleElement().extracting(Throwable::getMessage).isEqualTo("work -2");
        assertThat(driver.fault()).hasMessage("work -2");
        assertThat(driver.stop(60_000)).isTrue();
        loop.inbox.add(4);
        driver.runOrWake();
        assertThat(loop.done).as("a failed loop never runs again").isEmpty();
    }

    @Test
    void afterASlowPassTheLoopKeepsToItsOwnThreadForTwentyTimesAsLong() {
        driver.start();
        borrow(() -> clock.aheadNs.addAndGet(TimeUnit.HOURS.toNanos(1)));
        for (int i = 0; i < 1_000; i++) {
            loop.inbox.add(4);
            driver.runOrWake();
        }
        await(() -> loop.done.size() == 1_000);
        assertThat(loop.done).extracting(Done::by).doesNotContain(Thread.currentThread());
        clock.aheadNs.addAndGet(TimeUnit.HOURS.toNanos(21));
        await(() -> {
            loop.inbox.add(4);
            driver.runOrWake();
            return loop.done.stream().anyMatch(done -> done.by() == Thread.currentThread());
        });
    }

    @Test
    void manyThreadsAreNeverInTheLoopTogetherAndNothingIsForgotten() throws InterruptedException {
        driver.start();
        int threads = 4;
        int each = 20_000;
        CountDownLatch ended = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            Thread worker = new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    loop.inbox.add(i % 7);
                    if (i % 3 == 0) {
                        driver.wake();
                    } else {
                        driver.runOrWake();
                    }
                }
                ended.countDown();
            });
            worker.setDaemon(true);
            worker.start();
        }
        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        await(() -> loop.done.size() == threads * each);
        assertThat(loop.mostInside).hasValue(1);
        assertThat(faults).isEmpty();
    }
}
