package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.log.SyncedToMark;
import dev.perigee.store.recovery.CorruptLogException;
import dev.perigee.store.recovery.LogCut;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Recovery from tails that are cut short, half-written or flipped, at every byte of a record. */
final class TornTailTest {
    private static final String FILE = "commitlog/00000000000000000000";

    private final HandClock clock = new HandClock();
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private LogRig rig;
    /** Synced and covered by a durable mark. */
    private Sent safe;
    /** Written but not synced. */
    private Sent last;

    private byte[] content = {};
    private byte[] mark = {};

    @BeforeEach
    void writeOneSafeAndOneUnsyncedUnit() throws IOException {
        rig = new LogRig(disk, clock, new Random(2), FlushMode.SYNC);
        safe = rig.send("topic", 0, "safe");
        rig.settle();
        clock.pass(200);
        rig.stepFlusher();
        last = rig.send("topic", 0, "last");
        rig.stepLog();
        rig.stepLog();
        content = disk.content(FILE);
        mark = disk.content(SyncedToMark.FILE);
        clock.pass(1_000);
        rig.stepLog(); // completes the last unit by timeout: the test learns its place
    }

    private void put(byte[] bytes) {
        disk.kill();
        disk.put(FILE, bytes);
        disk.put(SyncedToMark.FILE, mark);
    }

    private int lastStart() {
        return (int) last.request().physicalOffset(0);
    }

    private int lastEnd() {
        return (int) last.request().endOffset();
    }

    @Test
    void aRecordWrittenUpToAnyByteIsCut() throws IOException {
        for (int written = lastStart(); written < lastEnd(); written++) {
            byte[] torn = content.clone();
            Arrays.fill(torn, written, torn.length, (byte) 0);
            put(torn);
            rig.reopen();
            assertThat(rig.engine().report().endOffset())
                    .as("written to %d", written)
                    .isEqualTo(lastStart());
            assertThat(rig.messages()).extracting(StoredFrame::body).containsExactly("safe");
        }
    }

    @Test
    void aFileCutShortAtAnyByteOfTheLastRecordIsRecovered() throws IOException {
        for (int size = lastStart(); size <= lastEnd(); size++) {
            put(Arrays.copyOf(content, size));
            rig.reopen();
            long expected = size == lastEnd() ? lastEnd() : lastStart();
            assertThat(rig.engine().report().endOffset()).as("size %d", size).isEqualTo(expected);
        }
    }

    @Test
    void aFlipAtAnyByteOfAnUnsyncedRecordCutsIt() throws IOException {
        for (int at = lastStart(); at < lastEnd(); at++) {
            byte[] flipped = content.clone();
            flipped[at] ^= 0x10;
            put(flipped);
            rig.reopen();
            assertThat(rig.engine().report().endOffset())
                    .as("flipped at %d", at)
                    .isEqualTo(lastStart());
            assertThat(rig.engine().report().cutBytes()).as("flipped at %d", at).isPositive();
            assertThat(rig.engine().report().cutReason()).contains(String.valueOf(lastStart()));
        }
    }

    @Test
    void aFlipAtAnyByteOfASyncedRecordStopsTheStart() {
        long start = safe.request().physicalOffset(0);
        for (long at = start; at < safe.request().endOffset(); at++) {
            byte[] flipped = content.clone();
            flipped[(int) at] ^= 0x01;
            put(flipped);
            assertThatThrownBy(rig::reopen)
                    .as("flipped at %d", at)
                    .isInstanceOf(CorruptLogException.class)
                    .hasMessageContaining("offset " + start)
                    .hasMessageContaining("perigee log cut --accept-loss --at " + start);
        }
    }

    @Test
    void damageThatALaterFlushFollowsStopsTheStartAlthoughTheMarkLagsBehind() throws IOException {
        CrashingDisk other = new CrashingDisk(new Random(5));
        rig = new LogRig(other, clock, new Random(4), FlushMode.SYNC);
        rig.settle();
        byte[] oldMark = other.content(SyncedToMark.FILE);
        Sent acknowledged = rig.send("topic", 0, "acknowledged");
        rig.settle();
        Sent later = rig.send("topic", 0, "later");
        rig.settle();
        assertThat(later.result()).isEqualTo(AppendResult.APPENDED);
        byte[] bytes = other.content(FILE);
        bytes[(int) acknowledged.request().physicalOffset(0) + 60] ^= 0x01;
        other.kill();
        other.put(FILE, bytes);
        other.put(SyncedToMark.FILE, oldMark);
        assertThatThrownBy(rig::reopen).isInstanceOf(CorruptLogException.class).hasMessageContaining("later flush");
    }

    @Test
    void whatWasGivenUpIsGoneForGoodAndTheRestGoesOn() throws IOException {
        byte[] flipped = content.clone();
        long start = safe.request().physicalOffset(0);
        flipped[(int) start + 50] ^= 0x01;
        put(flipped);
        assertThatThrownBy(rig::reopen).isInstanceOf(CorruptLogException.class);
        LogCut cut = LogCut.run(disk, start, LogRig.SEGMENT_BYTES);
        assertThat(cut.lostBytes()).isPositive();
        rig.reopen();
        assertThat(rig.messages()).isEmpty();
        Sent again = rig.send("topic", 0, "again");
        rig.settle();
        assertThat(again.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(again.request().queueOffset())
                .as("behind what the cut may have taken")
                .isGreaterThan(last.request().queueOffset());
    }

    @Test
    void aCutLeavesAGapInEveryQueueOverAllFurtherRestarts() throws IOException {
        put(content);
        LogCut.run(disk, lastStart(), LogRig.SEGMENT_BYTES);
        rig.reopen();
        rig.settle();
        rig.closeClean();
        rig.reopen();
        assertThat(rig.engine().report().mayHaveLostTail()).isFalse();
        Sent known = rig.send("topic", 0, "known");
        Sent unknown = rig.send("another", 3, "unknown");
        rig.settle();
        assertThat(known.request().queueOffset()).isGreaterThan(last.request().queueOffset());
        assertThat(unknown.request().queueOffset())
                .as("the log may have lost all there was of this queue")
                .isPositive();
    }

    @Test
    void aLogShorterThanItsMarkStopsTheStart() throws IOException {
        disk.kill();
        disk.delete(FILE);
        assertThatThrownBy(rig::reopen).isInstanceOf(CorruptLogException.class).hasMessageContaining("synced up to");
    }

    @Test
    void anUnfinishedBatchIsCutWhole() throws IOException {
        disk.kill();
        rig.reopen();
        rig.settle();
        byte[] before = disk.content(SyncedToMark.FILE);
        Sent batch = rig.send("topic", 1, "one", "two", "three");
        rig.stepLog();
        byte[] bytes = disk.content(FILE);
        clock.pass(1_000);
        rig.stepLog();
        Arrays.fill(bytes, (int) batch.request().physicalOffset(2), bytes.length, (byte) 0);
        disk.kill();
        disk.put(FILE, bytes);
        disk.put(SyncedToMark.FILE, before);
        rig.reopen();
        assertThat(rig.engine().report().endOffset()).isEqualTo(batch.request().physicalOffset(0));
        assertThat(rig.messages()).extracting(StoredFrame::queueId).containsOnly(0);
    }

    @Test
    void theLogRecoversWithoutItsMark() throws IOException {
        disk.kill();
        disk.put(FILE, content);
        disk.delete(SyncedToMark.FILE);
        rig.reopen();
        assertThat(rig.messages()).extracting(StoredFrame::body).containsExactly("safe", "last");
    }

    @Test
    void aCutIsDurableBeforeTheFirstByteAfterIt() throws IOException {
        byte[] torn = content.clone();
        torn[lastStart() + 20] ^= 0x01;
        put(torn);
        rig.reopen();
        disk.crash();
        byte[] after = disk.content(FILE);
        for (int i = lastStart(); i < after.length; i++) {
            assertThat(after[i]).as("byte %d", i).isZero();
        }
    }
}
