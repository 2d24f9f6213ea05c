package dev.perigee.store.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ColdReadersTest {
    @Test
    void readsBeyondTheQueueAreRefusedAndCounted() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(2);
        try (ColdReaders readers = new ColdReaders(1, 1, Clock.system())) {
            readers.execute(() -> {
                begun.countDown();
                await(release);
                done.countDown();
            });
            begun.await();
            assertThat(readers.execute(done::countDown)).isTrue();
            assertThat(readers.execute(done::countDown)).isFalse();
            assertThat(readers.refusedCount()).isEqualTo(1);
            release.countDown();
            done.await();
        }
    }

    @Test
    void aReadThatWaitedTooLongIsNotReadAndToldSo() throws InterruptedException {
        AtomicLong nowMs = new AtomicLong();
        Clock clock = new Clock() {
            @Override
            public long wallMs() {
                return nowMs.get();
            }

            @Override
            public long monotonicNs() {
                return nowMs.get() * 1_000_000;
            }
        };
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(2);
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        try (ColdReaders readers = new ColdReaders(1, 2, clock)) {
            readers.maxWaitMs(70);
            readers.execute(() -> await(release));
            for (String name : List.of("first", "second")) {
                nowMs.addAndGet(1);
                readers.execute(
                        () -> {
                            told.add(name + " read");
                            done.countDown();
                        },
                        waitedMs -> {
                            told.add(name + " waited " + waitedMs);
                            done.countDown();
                        });
            }
            nowMs.addAndGet(70);
            release.countDown();
            done.await();
        }
        assertThat(told).containsExactly("first waited 71", "second read");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void closedReadersRefuse() {
        ColdReaders readers = new ColdReaders(2, 4, Clock.system());
        readers.close();
        assertThat(readers.execute(() -> {})).isFalse();
    }

    @Test
    void withoutThreadsTheCallerReads() {
        Thread[] ran = new Thread[1];
        try (ColdReaders readers = new ColdReaders(0, 1, Clock.system())) {
            assertThat(readers.execute(() -> ran[0] = Thread.currentThread())).isTrue();
        }
        assertThat(ran[0]).isSameAs(Thread.currentThread());
    }

    @Test
    void readersThatAreGivenThreadsReadOnThem() throws Exception {
        try (ColdReaders readers = new ColdReaders(0, 1, Clock.system())) {
            readers.start(1);
            CompletableFuture<Thread> ran = new CompletableFuture<>();
            assertThat(readers.execute(() -> ran.complete(Thread.currentThread())))
                    .isTrue();
            assertThat(ran.get(60, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
            assertThatThrownBy(() -> readers.start(1)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void threadCountIsLimited() {
        assertThatThrownBy(() -> new ColdReaders(17, 1, Clock.system()).close()).hasMessageContaining("17");
    }
}
