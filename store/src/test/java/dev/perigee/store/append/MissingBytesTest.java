package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.epoch.MemberFacts;
import dev.perigee.store.frame.FrameSeal;
import dev.perigee.store.log.SyncedToMark;
import dev.perigee.store.recovery.CorruptLogException;
import dev.perigee.store.recovery.LogCut;
import dev.perigee.store.tail.EpochFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files of the log that are shorter, longer or fewer than they were when their bytes were synced. */
final class MissingBytesTest {
    private static final int SEGMENT_BYTES = LogRig.SEGMENT_BYTES;

    /** How the broker ended before somebody touched its files. */
    private enum Ended {
        IN_ORDER,
        KILLED
    }

    private final HandClock clock = new HandClock();
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final List<byte[]> files = new ArrayList<>();
    private byte[] mark = {};
    /** Everything below was synced, and every view had applied it. */
    private long end;

    private static String name(int file) {
        return String.format("commitlog/%020d", (long) file * SEGMENT_BYTES);
    }

    /** Two full files, a third begun, and a fourth prepared; all synced, with a durable mark. */
    private void write(Ended ended) throws IOException {
        LogRig rig = new LogRig(disk, clock, new Random(2), FlushMode.SYNC);
        for (int i = 0; i < 20; i++) {
            rig.send("topic", 0, i + "x".repeat(7_000));
            rig.settle();
        }
        clock.pass(200);
        rig.stepFlusher();
        for (int i = 0; i < 20; i++) {
            clock.pass(10);
            rig.stepPreparer();
        }
        end = rig.log().confirmOffset();
        if (ended == Ended.IN_ORDER) {
            rig.closeClean();
        } else {
            disk.kill();
        }
        assertThat(rig.log().segments()).hasSize(3);
        for (int file = 0; file < 4; file++) {
            files.add(disk.content(name(file)));
        }
        mark = disk.content(SyncedToMark.FILE);
    }

    private void restore() {
        disk.kill();
        for (int file = 0; file < files.size(); file++) {
            disk.put(name(file), files.get(file));
        }
        disk.put(SyncedToMark.FILE, mark);
    }

    /** @param applied the lowest offset a durable view has applied; negative for none */
    private LogEngine open(long applied) throws IOException {
        return LogEngine.open(
                new LogEngine.Seams(disk, clock, new Random(3), 1, fault -> {}),
                LogRig.config(FlushMode.SYNC, 64, 256 * 1024),
                new SoloReplication(FlushMode.SYNC),
                logId -> applied);
    }

    /** A view that is durable farther than what replication knows to be confirmed would look like one of another log. */
    @Test
    void whatTheFarthestViewHasAppliedIsConfirmedAtTheStart() throws IOException {
        write(Ended.KILLED);
        LogEngine engine = openWithViewsAt(SwitchedReplication.Role.NEITHER, end - 100);
        assertThat(engine.log().confirmOffset()).isEqualTo(end - 100);
        engine.close();
    }

    private LogEngine openWithViewsAt(SwitchedReplication.Role role, long applied) throws IOException {
        SwitchedReplication behind = new SwitchedReplication(role);
        behind.confirmLimit(0);
        return LogEngine.open(
                new LogEngine.Seams(disk, clock, new Random(3), 1, fault -> {}),
                LogRig.config(FlushMode.SYNC, 64, 256 * 1024),
                behind,
                logId -> -1,
                logId -> applied);
    }

    /** Whom it follows then may not have its end, and that would be cut. */
    @Test
    void whatABrokerConfirmedThatAskedNobodyIsConfirmedWhenItFollowsAnother() throws IOException {
        write(Ended.KILLED);
        LogEngine engine = openWithViewsAt(SwitchedReplication.Role.RECEIVES, end - 100);
        assertThat(engine.confirmedAlone()).isTrue();
        assertThat(engine.log().confirmOffset()).isEqualTo(end);
        engine.close();
        disk.kill();

        engine = openWithViewsAt(SwitchedReplication.Role.RECEIVES, end - 100);
        assertThat(engine.confirmedAlone()).as("nobody has kept it elsewhere").isTrue();
        engine.confirmedIsKept();
        engine.close();
        disk.kill();

        engine = openWithViewsAt(SwitchedReplication.Role.RECEIVES, end - 100);
        assertThat(engine.confirmedAlone()).isFalse();
        assertThat(engine.log().confirmOffset()).isEqualTo(end - 100);
        engine.close();
    }

    private void cut(int file, int sizeBytes) {
        disk.put(name(file), Arrays.copyOf(files.get(file), sizeBytes));
    }

    private int usedBytes(int file) {
        byte[] bytes = files.get(file);
        int used = bytes.length;
        while (used > 0 && bytes[used - 1] == 0) {
            used--;
        }
        return used;
    }

    @ParameterizedTest
    @EnumSource(Ended.class)
    void aFileShorterThanWhatWasSyncedStopsEveryStartAndStaysAsItIs(Ended ended) throws IOException {
        write(ended);
        for (int file = 0; file < 3; file++) {
            int used = file < 2 ? SEGMENT_BYTES : usedBytes(file);
            for (int size : List.of(0, 1, used / 2, used - 1)) {
                for (long applied : List.of(-1L, end)) {
                    restore();
                    cut(file, size);
                    for (int start = 0; start < 2; start++) {
                        assertThatThrownBy(() -> open(applied))
                                .as("file %d of %d bytes, views at %d, start %d", file, size, applied, start)
                                .isInstanceOf(CorruptLogException.class)
                                .hasMessageContaining(name(file) + " ends at offset " + (file * SEGMENT_BYTES + size))
                                .hasMessageContaining("synced up to offset " + end)
                                .hasMessageContaining("perigee log cut --accept-loss");
                        assertThat(disk.content(name(file))).hasSize(size);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Ended.class)
    void aFileShortOnlyBehindWhatWasSyncedGetsItsLengthAgain(Ended ended) throws IOException {
        write(ended);
        for (int file : List.of(2, 3)) {
            restore();
            cut(file, file == 3 ? 0 : usedBytes(file) + 10);
            LogEngine engine = open(end);
            assertThat(engine.report().endOffset()).isEqualTo(end);
            for (String each : disk.list("commitlog")) {
                assertThat(disk.content("commitlog/" + each)).as(each).hasSize(SEGMENT_BYTES);
            }
            engine.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Ended.class)
    void aMissingFileStopsTheStart(Ended ended) throws IOException {
        write(ended);
        restore();
        disk.delete(name(1));
        assertThatThrownBy(() -> open(end)).isInstanceOf(IOException.class).hasMessageContaining("missing in between");
        restore();
        disk.delete(name(2));
        assertThatThrownBy(() -> open(end)).isInstanceOf(IOException.class).hasMessageContaining("missing in between");
        restore();
        disk.delete(name(2));
        disk.delete(name(3));
        assertThatThrownBy(() -> open(end))
                .isInstanceOf(CorruptLogException.class)
                .hasMessageContaining("its files end here, but it was synced up to offset " + end);
    }

    @ParameterizedTest
    @EnumSource(Ended.class)
    void anEmptyFileThatWasPreparedIsNoLog(Ended ended) throws IOException {
        write(ended);
        restore();
        for (int file = 0; file < 3; file++) {
            disk.delete(name(file));
        }
        for (long applied : List.of(-1L, end)) {
            assertThatThrownBy(() -> open(applied))
                    .isInstanceOf(CorruptLogException.class)
                    .hasMessageContaining("is empty, but the log was synced up to offset " + end);
        }
    }

    @ParameterizedTest
    @EnumSource(Ended.class)
    void whatAViewHasAppliedIsMissedEvenWhenTheMarkIsGone(Ended ended) throws IOException {
        write(ended);
        for (int files : List.of(2, 0)) {
            restore();
            disk.delete(SyncedToMark.FILE);
            for (int file = files; file < 4; file++) {
                disk.delete(name(file));
            }
            assertThatThrownBy(() -> open(end))
                    .as("%d files left", files)
                    .isInstanceOf(CorruptLogException.class)
                    .hasMessageContaining("its files end here");
        }
    }

    @ParameterizedTest
    @EnumSource(Ended.class)
    void aFileWhoseBeginningIsZeroStopsTheStartAlthoughItsEndIsNeverLookedAt(Ended ended) throws IOException {
        write(ended);
        restore();
        disk.put(name(2), new byte[SEGMENT_BYTES]);
        assertThatThrownBy(() -> open(end))
                .isInstanceOf(CorruptLogException.class)
                .hasMessageContaining("offset " + 2 * SEGMENT_BYTES);
    }

    @ParameterizedTest
    @EnumSource(Ended.class)
    void aFileLongerThanASegmentStopsTheStartAndStaysAsItIs(Ended ended) throws IOException {
        write(ended);
        restore();
        cut(2, SEGMENT_BYTES + 1);
        assertThatThrownBy(() -> open(end))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(name(2))
                .hasMessageContaining("more than the segment size " + SEGMENT_BYTES);
        assertThat(disk.content(name(2))).hasSize(SEGMENT_BYTES + 1);
    }

    @Test
    void whatTheShortFileHeldCanBeGivenUpAndTheRestIsKept() throws IOException {
        write(Ended.IN_ORDER);
        cut(1, SEGMENT_BYTES / 2);
        CorruptLogException refusal = (CorruptLogException) catchThrowable(() -> open(end));
        assertThatThrownBy(() -> LogCut.run(disk, end, SEGMENT_BYTES)).hasMessageContaining("behind a hole");
        LogCut.run(disk, refusal.offset(), SEGMENT_BYTES);
        LogEngine engine = open(-1);
        assertThat(engine.report().endOffset())
                .isEqualTo(refusal.offset())
                .isBetween((long) SEGMENT_BYTES, SEGMENT_BYTES * 3L / 2);
        assertThat(LogRig.readAll(engine.log())).hasSizeGreaterThan(9);
        assertThat(disk.content(name(1))).hasSize(SEGMENT_BYTES);
        engine.close();
    }

    @Test
    void aLogOfOneShortOrEmptyFileCanBeGivenUpThoughItsLengthTellsNothing() throws IOException {
        for (int size : List.of(0, 1000, 4096)) {
            disk.kill();
            for (String name : disk.list("commitlog")) {
                disk.delete("commitlog/" + name);
            }
            disk.delete(SyncedToMark.FILE);
            LogRig rig = new LogRig(disk, clock, new Random(2), FlushMode.SYNC);
            rig.send("topic", 0, "x".repeat(7_000));
            rig.settle();
            rig.closeClean();
            disk.put(name(0), Arrays.copyOf(disk.content(name(0)), size));
            CorruptLogException refusal = (CorruptLogException) catchThrowable(rig::reopen);
            assertThat(refusal.offset()).isBetween(0L, (long) size);
            LogCut.run(disk, refusal.offset(), 1 << 20);
            rig.reopen();
            assertThat(rig.log().confirmOffset()).as("%d bytes", size).isEqualTo(refusal.offset());
            assertThat(disk.list("commitlog")).hasSize(refusal.offset() == 0 ? 0 : 1);
            rig.closeClean();
        }
    }

    @Test
    void aNameBeyondAllOffsetsIsNamedInsteadOfRead() throws IOException {
        write(Ended.IN_ORDER);
        String stranger = "9".repeat(20);
        disk.put("commitlog/" + stranger, new byte[0]);
        assertThatThrownBy(() -> open(end))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(stranger)
                .hasMessageContaining("move it away");
        disk.delete("commitlog/" + stranger);
        disk.put("commitlog/" + String.format("%020d", 1L << 40), new byte[0]);
        assertThatThrownBy(() -> open(end)).isInstanceOf(IOException.class).hasMessageContaining("missing in between");
    }

    @Test
    void aHoleTooLongToLookThroughIsFoundByTheFileBehindIt() {
        int large = 80 << 20;
        disk.put(name(0), Arrays.copyOf(head(0, 0, large), large));
        disk.put(String.format("commitlog/%020d", large), Arrays.copyOf(head(large, large - 1000, large), 4096));
        assertThatThrownBy(() -> open(-1))
                .isInstanceOf(CorruptLogException.class)
                .hasMessageContaining("the sound frame at offset " + large + " belongs to a later flush");
    }

    private byte[] head(long offset, long syncedTo, int segmentSizeBytes) {
        EpochFrames epochFrames = new EpochFrames(7, segmentSizeBytes, () -> 1, clock);
        epochFrames.begin(1, 0);
        ByteBuffer frame = epochFrames.logHead(Optional.empty(), MemberFacts.NONE);
        FrameSeal seal = new FrameSeal();
        seal.unit(1, 1, syncedTo);
        seal.seal(frame, 0, 0, offset, false);
        byte[] bytes = new byte[frame.remaining()];
        frame.get(0, bytes);
        return bytes;
    }
}
