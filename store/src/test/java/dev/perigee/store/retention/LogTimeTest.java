package dev.perigee.store.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.EpochStarted;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.LogHead;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.TestFrame;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogTimeTest {
    private static final long HOUR_MS = 3_600_000;
    private static final long NOW_MS = 1_700_000_000_000L;

    private final RetentionView view = new RetentionView();
    private final LogTime time = new LogTime(72 * HOUR_MS);

    private void message(long storeMs) {
        view.apply(new LogEntry().wrap(TestFrame.of("orders", 0, 0).encode(0, storeMs), 0, 0));
    }

    private void start(long storeMs) {
        fact(new EpochStarted(1, "id"), storeMs);
    }

    private void head(int epoch, long storeMs) {
        fact(new LogHead("log", epoch, "id", 0, List.of(), 1 << 30, null, null, null), storeMs);
    }

    private void fact(Fact fact, long storeMs) {
        view.apply(new LogEntry()
                .wrap(
                        TestFrame.of(SystemTopic.FACTS, FactCodec.QUEUE_ID, 0)
                                .property("FACT", fact.kind())
                                .property("MU", "1")
                                .body(FactCodec.body(fact))
                                .encode(0, storeMs),
                        0,
                        0));
    }

    @Test
    void firstMessageOfAnEmptyLogIsNoJump() {
        time.observe(view, 10);
        start(NOW_MS);
        message(NOW_MS);
        time.observe(view, 20);
        assertThat(time.paused(20)).isFalse();
        assertThat(time.at(1_020)).isEqualTo(NOW_MS + 1_000);
    }

    @Test
    void timeGoesOnWhileNothingIsSent() {
        message(NOW_MS);
        time.observe(view, 0);
        time.observe(view, 80 * HOUR_MS);
        message(NOW_MS + 80 * HOUR_MS);
        time.observe(view, 80 * HOUR_MS + 5);
        assertThat(time.paused(80 * HOUR_MS + 5)).isFalse();
        assertThat(time.at(80 * HOUR_MS + 5)).isEqualTo(NOW_MS + 80 * HOUR_MS);
    }

    @Test
    void jumpThatMonotonicTimeDoesNotExplainPauses() {
        message(NOW_MS);
        time.observe(view, 0);
        message(NOW_MS + LogTime.JUMP_TOLERANCE_MS + 11_000);
        time.observe(view, 10_000);
        assertThat(time.paused(10_000)).isTrue();
        assertThat(time.paused(10_000 + LogTime.PAUSE_MS)).isFalse();
    }

    @Test
    void stopLongerThanRetentionPausesAtTheStart() {
        message(NOW_MS);
        start(NOW_MS + 72 * HOUR_MS);
        time.observe(view, 0);
        assertThat(time.paused(0)).isTrue();
    }

    @Test
    void stopLongerThanRetentionPausesAlsoWhenTheRunBeganWithASegment() {
        head(1, NOW_MS);
        message(NOW_MS);
        head(2, NOW_MS + 72 * HOUR_MS);
        message(NOW_MS + 72 * HOUR_MS);
        time.observe(view, 0);
        assertThat(time.paused(0)).isTrue();
    }

    @Test
    void headThatRestatesTheEpochIsNoStart() {
        head(1, NOW_MS);
        message(NOW_MS);
        head(2, NOW_MS + 72 * HOUR_MS);
        head(2, NOW_MS + 73 * HOUR_MS);
        assertThat(view.startGapMs()).isEqualTo(72 * HOUR_MS);
    }

    @Test
    void ordinaryStopPausesNothing() {
        message(NOW_MS);
        start(NOW_MS + 71 * HOUR_MS);
        time.observe(view, 0);
        assertThat(time.paused(0)).isFalse();
    }
}
