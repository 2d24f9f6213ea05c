package dev.perigee.bench.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.bench.runner.figure.Figures;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class LagSamplesTest {
    /** Tells these one after the other, then the last one again and again. */
    private static final class Told implements LagSamples.Source {
        private final Deque<Long> values;
        private final CountDownLatch allTold;

        Told(Long... values) {
            this.values = new ArrayDeque<>(List.of(values));
            this.allTold = new CountDownLatch(values.length + 1);
        }

        @Override
        public long lagMs() {
            allTold.countDown();
            return values.size() == 1 ? values.getFirst() : values.removeFirst();
        }
    }

    private static Figures half(int messages) {
        return Figures.of("RESULT count=" + messages + " failed=0 elapsedMs=1000", 0);
    }

    @Test
    void aSlaveIsLookedAtForAsLongAsTheWindowLasts() throws Exception {
        Told source = new Told(40L, 0L, 7L, 3L);
        LagSamples samples = new LagSamples(() -> 5, source);

        samples.window(true);
        assertThat(source.allTold.await(1, TimeUnit.MINUTES)).isTrue();
        samples.window(false);

        assertThat(samples.flaw()).isEmpty();
        assertThat(samples.count()).isGreaterThanOrEqualTo(4);
        assertThat(samples.percentile(0)).isZero();
        assertThat(samples.percentile(100)).isEqualTo(40);
        assertThat(samples.cpuMillis()).isEqualTo(5);
    }

    @Test
    void aPercentileIsAValueThatWasTakenAndSoManyDoNotExceed() throws Exception {
        AtomicInteger next = new AtomicInteger();
        CountDownLatch hundred = new CountDownLatch(100);
        LagSamples samples = new LagSamples(() -> 0, () -> {
            hundred.countDown();
            return next.incrementAndGet() == 1 ? 1_000 : 2;
        });

        samples.window(true);
        assertThat(hundred.await(1, TimeUnit.MINUTES)).isTrue();
        samples.window(false);

        assertThat(samples.percentile(50)).isEqualTo(2);
        assertThat(samples.percentile(99)).isEqualTo(2);
        assertThat(samples.percentile(100)).isEqualTo(1_000);
    }

    @Test
    void aRunWhoseSlaveCouldNotBeLookedAtDoesNotCount() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        LagSamples samples = new LagSamples(() -> 0, () -> {
            asked.countDown();
            throw new IOException("not one slave");
        });

        samples.window(true);
        assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
        samples.window(false);

        assertThat(LagRow.flaw(half(500), 500, samples)).contains("not one slave");
    }

    @Test
    void aRunThatDidNotGetHalfOfThePeakDoesNotCount() throws Exception {
        LagSamples samples = new LagSamples(() -> 0, new Told(0L));

        assertThat(LagRow.flaw(half(400), 500, samples)).isEqualTo("400 of 500 messages/s");
        assertThat(LagRow.flaw(half(0), 500, samples)).isEqualTo("half of the peak: no messages");
    }
}
