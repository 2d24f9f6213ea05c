package dev.perigee.store.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ColdReadersTest {
    @Test
    void readsBeyondTheQueueAreRefusedAndCounted() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(2);
        try (ColdReaders readers = new ColdReaders(1, 1)) {
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

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void closedReadersRefuse() {
        ColdReaders readers = new ColdReaders(2, 4);
        readers.close();
        assertThat(readers.execute(() -> {})).isFalse();
    }

    @Test
    void withoutThreadsTheCallerReads() {
        Thread[] ran = new Thread[1];
        try (ColdReaders readers = new ColdReaders(0, 1)) {
            assertThat(readers.execute(() -> ran[0] = Thread.currentThread())).isTrue();
        }
        assertThat(ran[0]).isSameAs(Thread.currentThread());
    }

    @Test
    void threadCountIsLimited() {
        assertThatThrownBy(() -> new ColdReaders(17, 1).close()).hasMessageContaining("17");
    }
}
