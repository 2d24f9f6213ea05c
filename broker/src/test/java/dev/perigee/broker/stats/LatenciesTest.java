package dev.perigee.broker.stats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatenciesTest {
    private final Latencies latencies = new Latencies();

    @Test
    void nothingTakesNoTime() {
        assertThat(latencies.longestMs()).isZero();
        assertThat(latencies.quantileMs(0.99)).isZero();
        assertThat(latencies.distribution()).startsWith("[<=0ms]:0 [0~10ms]:0 ").endsWith(" [10s~]:0");
    }

    @Test
    void everyTimeIsCountedInItsStep() {
        for (long ms :
                new long[] {0, 1, 10, 11, 50, 100, 101, 200, 500, 501, 1_000, 1_001, 5_000, 5_001, 10_000, 10_001}) {
            latencies.add(ms);
        }
        assertThat(latencies.distribution())
                .isEqualTo("[<=0ms]:1 [0~10ms]:2 [10~50ms]:2 [50~100ms]:1 [100~200ms]:2 [200~500ms]:1 [500ms~1s]:2"
                        + " [1~2s]:1 [2~3s]:0 [3~4s]:0 [4~5s]:1 [5~10s]:2 [10s~]:1");
        assertThat(latencies.longestMs()).isEqualTo(10_001);
    }

    @Test
    void quantilesAreTheEndOfTheirCount() {
        for (int i = 0; i < 99; i++) {
            latencies.add(3);
        }
        latencies.add(12_345);
        assertThat(latencies.quantileMs(0.99)).isEqualTo(3);
        assertThat(latencies.quantileMs(0.999)).isEqualTo(12_345);
    }
}
