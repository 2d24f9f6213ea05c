package dev.perigee.bench.runner.figure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class MarkdownRowsTest {
    @Test
    void eachFigureIsARowAndTheNameStandsInTheFirst() {
        MarkdownRows rows = new MarkdownRows("async-1k", "Perigee", "Kafka")
                .add("messages/s", new Samples(60_000, 62_000, 64_000), new Samples(31_000))
                .add("broker CPU µs/message", new Samples(10.5), new Samples(21));

        assertThat(rows.toString().lines())
                .containsExactly(
                        "| row | figure | Perigee | spread | Kafka | spread | ratio | bar |",
                        "|---|---|---|---|---|---|---|---|",
                        "| async-1k | messages/s | 62,000 | 60,000–64,000 | 31,000 | 31,000–31,000 | 2.00 | – |",
                        "|  | broker CPU µs/message | 10.5 | 10.5–10.5 | 21.0 | 21.0–21.0 | 0.50 | – |");
    }

    @Test
    void withoutAPeerThereIsNoRatio() {
        assertThat(new MarkdownRows("start", "Perigee", "peer")
                        .add("launch to ready ms", new Samples(812), new Samples())
                        .toString())
                .endsWith("| start | launch to ready ms | 812.0 | 812.0–812.0 | – | – | – | – |");
    }

    @Test
    void anIdleProcessThatUsedNothingIsAFigureToo() {
        assertThat(new MarkdownRows("start", "Perigee", "peer")
                        .add("CPU % of a core, idle", new Samples(0, 0.07, 0), new Samples())
                        .toString())
                .contains("| 0.00 | 0.00–0.07 |");
    }

    @Test
    void whatWasNotTakenOnEitherSideIsLeftOut() {
        assertThat(new MarkdownRows("backlog", "Perigee", "stock")
                        .addIfGiven("p50 µs", new Samples(0, 0), new Samples(0))
                        .toString())
                .doesNotContain("p50");
    }

    @Test
    void whatIsZeroOnOneSideOnlyIsShown() {
        assertThat(new MarkdownRows("endtoend", "Perigee", "stock")
                        .addIfGiven("pacing misses", new Samples(0), new Samples(7))
                        .toString())
                .contains("| pacing misses | 0.00 | 0.00–0.00 | 7.00 | 7.00–7.00 | 0.00 | – |");
    }

    @Test
    void theMedianOfAnEvenNumberIsBetweenTheTwoInTheMiddle() {
        assertThat(new Samples(4, 1, 3, 100).median()).isEqualTo(3.5);
    }
}
