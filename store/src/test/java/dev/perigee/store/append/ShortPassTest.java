package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.disk.CrashingDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the log loop does for a thread that borrows it, and what it leaves to its own. */
class ShortPassTest {
    private final HandClock clock = new HandClock();
    private LogRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new LogRig(new CrashingDisk(new Random(1)), clock, new Random(1), FlushMode.ASYNC);
    }

    @Test
    void theEpochIsBegunByTheLoopsOwnThread() {
        Sent sent = rig.send("topic", 0, "m");
        assertThat(rig.stepLogShortly()).isFalse();
        assertThat(sent.result()).isNull();
        rig.stepLog();
        assertThat(sent.result()).isEqualTo(AppendResult.APPENDED);
    }

    @Test
    void aFewUnitsAreAppendedAndCompletedInOrder() throws IOException {
        rig.stepLog();
        Sent first = rig.send("topic", 0, "a");
        Sent second = rig.send("topic", 0, "b", "c");
        assertThat(rig.stepLogShortly()).isTrue();
        assertThat(first.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(second.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(rig.messages()).extracting(StoredFrame::body).containsExactly("a", "b", "c");
    }

    @Test
    void aShortPassCompletesWhatTheFlusherMadeDurable() throws IOException {
        rig = new LogRig(new CrashingDisk(new Random(1)), clock, new Random(1), FlushMode.SYNC);
        rig.settle();
        Sent sent = rig.send("topic", 0, "m");
        assertThat(rig.stepLogShortly()).isTrue();
        assertThat(sent.result()).as("not durable yet").isNull();
        rig.stepFlusher();
        assertThat(rig.stepLogShortly()).isTrue();
        assertThat(sent.result()).isEqualTo(AppendResult.APPENDED);
    }

    @Test
    void moreThanAFewUnitsAreLeftToTheLoopsOwnThread() {
        rig.stepLog();
        List<Sent> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(rig.send("topic", 0, "m"));
        }
        assertThat(rig.stepLogShortly()).isFalse();
        assertThat(all.stream().filter(sent -> sent.result() == AppendResult.APPENDED))
                .hasSize(16);
        rig.stepLog();
        assertThat(all).extracting(Sent::result).containsOnly(AppendResult.APPENDED);
    }

    @Test
    void aNewSegmentIsLeftToTheLoopsOwnThread() {
        rig.stepLog();
        int before = rig.log().segments().size();
        Sent sent = rig.send("topic", 0, "x".repeat(20_000));
        while (rig.stepLogShortly()) {
            assertThat(sent.result()).isEqualTo(AppendResult.APPENDED);
            sent = rig.send("topic", 0, "x".repeat(20_000));
        }
        assertThat(sent.result()).isNull();
        assertThat(rig.log().segments()).hasSize(before);
        rig.stepLog();
        assertThat(sent.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(rig.log().segments()).hasSize(before + 1);
    }

    @Test
    void aClosedGateIsLeftToTheLoopsOwnThread() {
        rig.stepLog();
        Sent sent = rig.send("topic", 0, "m");
        rig.engine().gate().close();
        assertThat(rig.stepLogShortly()).isFalse();
        assertThat(sent.result()).isNull();
        rig.stepLog();
        assertThat(sent.result()).isEqualTo(AppendResult.APPENDED);
    }

    @Test
    void whileMuchIsNotForcedYetWritingIsLeftToTheLoopsOwnThread() {
        rig.stepLog();
        int sends = 0;
        Sent sent = rig.send("topic", 0, "x".repeat(30_000));
        while (rig.stepLogShortly() || own(sent)) {
            sends++;
            sent = rig.send("topic", 0, "x".repeat(30_000));
        }
        assertThat((long) sends * 30_000).isBetween(30L << 20, 36L << 20);
    }

    /** Lets the own thread begin a new segment; false when it was not the segment that kept the pass from it. */
    private boolean own(Sent sent) {
        rig.stepLog();
        assertThat(sent.result()).isEqualTo(AppendResult.APPENDED);
        return rig.log().segments().size() * (long) LogRig.SEGMENT_BYTES < 33L << 20;
    }
}
