package dev.perigee.faults.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.history.Availability.Span;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class AvailabilityTest {
    private static History acknowledgedAtMs(long... moments) {
        return History.of(LongStream.of(moments)
                .mapToObj(ms -> "send 0 %d SEND_OK 0 %d %d %d".formatted(ms, ms, ms * 1_000 - 1, ms * 1_000)));
    }

    private static List<Long> gaps(History history, Span... spans) {
        return Availability.longestGapsMs(history, List.of(spans));
    }

    private static Span spanMs(long begin, long end) {
        return new Span(begin * 1_000, end * 1_000);
    }

    @Test
    void theLongestTimeBetweenTwoAcknowledgementsCounts() {
        History history = acknowledgedAtMs(10, 20, 30, 530, 540, 600, 610);
        assertThat(gaps(history, spanMs(25, 615))).containsExactly(500L);
        assertThat(gaps(history, spanMs(535, 605))).containsExactly(60L);
    }

    @Test
    void aGapThatBeganBeforeTheFaultCountsWholeAndOneThatEndsInTheNextSpanOnlyToItsBegin() {
        History history = acknowledgedAtMs(10, 200, 210, 900);
        assertThat(gaps(history, spanMs(50, 205))).containsExactly(190L);
        assertThat(gaps(history, spanMs(205, 300))).containsExactly(90L);
    }

    @Test
    void whenNoneCameAnyMoreTheEndOfTheSpanCounts() {
        assertThat(gaps(acknowledgedAtMs(10), spanMs(20, 400))).containsExactly(390L);
        assertThat(gaps(acknowledgedAtMs(), spanMs(20, 400))).containsExactly(380L);
    }

    @Test
    void theGapOfOneFaultIsNotCountedForTheOneBefore() {
        History history = acknowledgedAtMs(10, 20, 30, 40, 5_000, 5_010);
        assertThat(gaps(history, spanMs(15, 42), spanMs(42, 5_020))).containsExactly(10L, 4_960L);
    }

    @Test
    void whatWasNotAcknowledgedDoesNotCount() {
        History history = History.of(List.of(
                "send 0 1 SEND_OK 0 0 9000 10000",
                "send 0 2 UNKNOWN -1 -1 10000 50000",
                "send 0 3 SLAVE_NOT_AVAILABLE 0 1 10000 60000",
                "send 0 4 SEND_OK 0 2 9000 90000")
                .stream());
        assertThat(gaps(history, spanMs(11, 100))).containsExactly(80L);
    }
}
