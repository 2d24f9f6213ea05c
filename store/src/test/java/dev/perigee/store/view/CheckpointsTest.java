package dev.perigee.store.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.log.PacedTask;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CheckpointsTest {
    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final String FILE = "first/view.checkpoint";

    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final Queue<PacedTask> preparer = new ArrayDeque<>();
    private TestLog log = new TestLog(disk, SEGMENT_BYTES);
    private CountingView first = new CountingView("first");
    private CountingView second = new CountingView("second");
    private ViewLoop loop = open();

    private ViewLoop open() {
        ViewSeams seams = new ViewSeams(log.log(), Clock.system(), disk, preparer::add, () -> true, () -> true);
        ViewLoop made = new ViewLoop(seams, new ViewConfig(100, 10_000, 60_000, 16), List.of(first, second), List.of());
        try {
            made.open();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return made;
    }

    private void reopen() {
        reopen(TestLog.LOG_ID, 1);
    }

    private void reopen(long logId, int epoch) {
        long end = log.end();
        preparer.clear();
        log = new TestLog(disk, SEGMENT_BYTES).endAt(end);
        log.epoch(logId, epoch);
        first = new CountingView("first");
        second = new CountingView("second");
        loop = open();
    }

    private void append(int count) {
        for (int i = 0; i < count; i++) {
            log.append("orders", 0);
        }
    }

    private void run() throws IOException {
        do {
            while (loop.doWork(1) > 0) {
                assertThat(preparer).hasSizeLessThanOrEqualTo(1);
            }
            while (!preparer.isEmpty()) {
                if (!preparer.element().step()) {
                    preparer.remove();
                }
            }
        } while (loop.doWork(1) > 0);
    }

    private void checkpoint() throws IOException {
        run();
        loop.requestCheckpoint();
        run();
        assertThat(loop.durableOffset()).isEqualTo(log.end());
    }

    private void assertWhole(int entries) {
        for (CountingView view : List.of(first, second)) {
            assertThat(view.offsets).as(view.name()).hasSize(entries).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void restartContinuesFromTheCheckpoint() throws IOException {
        append(10);
        checkpoint();
        long covered = log.end();
        append(5);
        reopen();
        assertWhole(15);
        assertThat(loop.durableOffset()).isEqualTo(covered);
        assertThat(first.passes).as("five entries in one pass").isEqualTo(1);
    }

    @Test
    void eachViewContinuesFromItsOwnCheckpoint() throws IOException {
        append(10);
        checkpoint();
        append(5);
        disk.delete("second/view.checkpoint");
        reopen();
        assertWhole(15);
        assertThat(loop.durableOffset()).isZero();
    }

    @Test
    void checkpointCutAnywhereIsForgotten() throws IOException {
        append(3);
        checkpoint();
        byte[] whole = disk.content(FILE);
        for (int size = 0; size < whole.length; size++) {
            disk.put(FILE, Arrays.copyOf(whole, size));
            reopen();
            assertWhole(3);
            assertThat(loop.durableOffset()).as("cut to %d", size).isZero();
        }
    }

    @Test
    void checkpointWithAnyByteChangedIsForgotten() throws IOException {
        append(3);
        checkpoint();
        byte[] whole = disk.content(FILE);
        for (int at = 0; at < whole.length; at++) {
            byte[] changed = whole.clone();
            changed[at] ^= 0x20;
            disk.put(FILE, changed);
            reopen();
            assertWhole(3);
            assertThat(loop.durableOffset()).as("changed at %d", at).isZero();
        }
    }

    @Test
    void checkpointOfAnotherViewLogOrFutureIsForgotten() throws IOException {
        append(3);
        checkpoint();
        byte[] whole = disk.content(FILE);
        reopen(0xBAD, 1);
        assertThat(loop.durableOffset()).as("another log").isZero();
        assertWhole(3);
        log.epoch(TestLog.LOG_ID, 1);
        disk.put("second/view.checkpoint", whole);
        disk.put(FILE, whole);
        reopen();
        assertThat(loop.durableOffset()).as("another view's").isZero();
        assertWhole(3);
        disk.put(FILE, whole);
        reopen(TestLog.LOG_ID, 0);
        assertThat(loop.durableOffset()).as("a later epoch").isZero();
        assertWhole(3);
    }

    @Test
    void aLogThatCannotTellItsNameIsComparedWithWhatAnyCheckpointCovered() throws IOException {
        append(3);
        checkpoint();
        assertThat(CheckpointFile.lowestOffset(disk, List.of("first", "second"), TestLog.LOG_ID))
                .isEqualTo(log.end());
        assertThat(CheckpointFile.lowestOffset(disk, List.of("first", "second"), 0))
                .isEqualTo(log.end());
        assertThat(CheckpointFile.lowestOffset(disk, List.of("first", "second"), 0xBAD))
                .isNegative();
    }

    /** The round was interrupted half way: what the first view has applied was confirmed all the same. */
    @Test
    void theFarthestCheckpointIsToldBesideTheNearest() throws IOException {
        append(3);
        checkpoint();
        CheckpointFile.delete(disk, "second");
        List<String> views = List.of("second", "first");
        assertThat(CheckpointFile.lowestOffset(disk, views, TestLog.LOG_ID)).isNegative();
        assertThat(CheckpointFile.highestOffset(disk, views, TestLog.LOG_ID)).isEqualTo(log.end());
        assertThat(CheckpointFile.highestOffset(disk, views, 0xBAD)).isNegative();
    }

    @Test
    void checkpointBehindTheLogsEndIsForgotten() throws IOException {
        append(3);
        long shorter = log.end();
        append(3);
        checkpoint();
        log.endAt(log.end());
        preparer.clear();
        log = new TestLog(disk, SEGMENT_BYTES).endAt(shorter);
        first = new CountingView("first");
        second = new CountingView("second");
        loop = open();
        assertWhole(3);
        assertThat(loop.durableOffset()).isZero();
    }

    @Test
    void checkpointNeverCoversWhatTheLogHasNotSynced() throws IOException {
        append(3);
        checkpoint();
        long synced = log.end();
        log.sync(false);
        append(3);
        loop.doWork(1);
        loop.requestCheckpoint();
        run();
        assertThat(preparer).isEmpty();
        assertThat(loop.durableOffset()).isEqualTo(synced);
        assertThat(loop.nextDeadlineMs()).as("looks again soon").isLessThanOrEqualTo(20);
        log.sync(true);
        run();
        assertThat(loop.durableOffset()).isEqualTo(log.end());
    }

    @Test
    void failedRoundLeavesTheFormerCheckpoint() throws IOException {
        append(3);
        checkpoint();
        long covered = log.end();
        append(3);
        run();
        disk.failForces(1);
        loop.requestCheckpoint();
        run();
        assertThat(loop.durableOffset()).isEqualTo(covered);
        log.force();
        disk.crash();
        reopen();
        assertWhole(6);
        assertThat(loop.durableOffset()).isEqualTo(covered);
    }

    @Test
    void failedRoundIsTriedAgainLater() throws IOException {
        append(3);
        run();
        disk.failForces(1);
        loop.requestCheckpoint();
        run();
        assertThat(loop.durableOffset()).isZero();
        long retryMs = loop.nextDeadlineMs();
        assertThat(retryMs).isBetween(5_000L, 60_000L);
        loop.requestCheckpoint();
        while (loop.durableOffset() == 0) {
            loop.doWork(retryMs);
            if (!preparer.isEmpty() && !preparer.element().step()) {
                preparer.remove();
            }
        }
        assertThat(loop.durableOffset()).isEqualTo(log.end());
    }

    @Test
    void manyBytesOrMuchTimeMakeACheckpointDue() throws IOException {
        append(50);
        run();
        assertThat(loop.durableOffset()).as("fewer than 10000 bytes").isZero();
        append(50);
        run();
        assertThat(loop.durableOffset()).as("more than 10000 bytes").isEqualTo(log.end());
        append(1);
        run();
        assertThat(loop.durableOffset()).isLessThan(log.end());
        loop.doWork(60_002);
        loop.doWork(60_002);
        assertThat(preparer).hasSize(1);
    }

    @Test
    void powerFailureInTheMiddleOfARoundLeavesOneOrTheOther() throws IOException {
        for (int steps = 0; steps < 8; steps++) {
            append(3);
            run();
            loop.requestCheckpoint();
            while (loop.doWork(1) > 0) {
                assertThat(preparer).hasSizeLessThanOrEqualTo(1);
            }
            for (int i = 0; i < steps && !preparer.isEmpty(); i++) {
                preparer.element().step();
            }
            log.force();
            disk.crash();
            reopen();
            assertWhole(3 * (steps + 1));
        }
    }

    @Test
    void deletedCheckpointsStayDeleted() throws IOException {
        append(3);
        checkpoint();
        CheckpointFile.deleteAll(disk);
        log.force();
        disk.crash();
        assertThat(disk.exists(FILE)).isFalse();
        reopen();
        assertWhole(3);
        assertThat(loop.durableOffset()).isZero();
    }

    @Test
    void cleanCloseCoversEverything() throws IOException {
        append(7);
        run();
        loop.close();
        log.force();
        disk.crash();
        reopen();
        assertWhole(7);
        assertThat(loop.durableOffset()).isEqualTo(log.end());
        assertThat(first.passes).isZero();
    }
}
