package dev.perigee.bench.runner.figure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class FiguresTest {
    private static Figures run(String words) {
        return Figures.of("RESULT " + words, 500);
    }

    @Test
    void aRunWithoutFailuresCounts() {
        Figures figures = run("count=1000 failed=0 elapsedMs=2000 p50us=10 p99us=20 p999us=30 paceMisses=4");

        assertThat(figures.isSound()).isTrue();
        assertThat(figures.perSecond()).isEqualTo(500);
        assertThat(figures.cpuUsPerMessage()).isEqualTo(500);
        assertThat(figures.paceMisses()).isEqualTo(4);
    }

    @Test
    void aRunWithFailuresSaysSoAndDoesNotCount() {
        assertThat(run("count=1000 failed=384 elapsedMs=2000").flaw()).isEqualTo("384 failed");
    }

    @Test
    void aRunWithoutMessagesSaysSoAndDoesNotCount() {
        assertThat(run("count=0 failed=0 elapsedMs=2000").flaw()).isEqualTo("no messages");
    }

    @Test
    void flawedRunsAreLeftOutOfTheMedian() {
        List<Figures> runs = List.of(
                run("count=1000 failed=0 elapsedMs=1000"),
                run("count=9000 failed=1 elapsedMs=1000"),
                Figures.flawed("no result"),
                run("count=3000 failed=0 elapsedMs=1000"));

        assertThat(Figure.PER_SECOND.of(runs).median()).isEqualTo(2000);
        assertThat(Figure.PER_SECOND.of(runs).spread()).isEqualTo("1,000–3,000");
    }
}
