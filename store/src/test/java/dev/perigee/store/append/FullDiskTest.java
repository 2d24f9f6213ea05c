package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.store.disk.Ballast;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.SmallDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Somebody else fills the disk to the last byte, between two looks at it. */
final class FullDiskTest {
    private static final long ROOM_BYTES = 8 << 20;

    private final HandClock clock = new HandClock();
    private final SmallDisk disk = new SmallDisk(new CrashingDisk(new Random(1)), ROOM_BYTES);
    private LogRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new LogRig(disk, clock, new Random(2), FlushMode.ASYNC);
        rig.settle();
        lookAtDisk();
    }

    /** The preparer at work for a second, which is more than it needs to see and to do anything here. */
    private void lookAtDisk() {
        for (int i = 0; i < 100; i++) {
            clock.pass(10);
            rig.stepPreparer();
        }
    }

    private Sent send(String body) {
        Sent sent = rig.send("topic", 0, body);
        rig.settle();
        return sent;
    }

    private AppendResult fact() {
        List<AppendResult> results = new ArrayList<>();
        new FactSink(rig.engine().gate(), clock)
                .append(new TopicDeleted("gone"), (result, endOffset) -> results.add(result));
        rig.settle();
        return results.get(0);
    }

    @Test
    void writeThatFindsTheDiskFullIsDoneWithTheBallastsRoom() throws IOException {
        assertThat(disk.exists(Ballast.FILE)).isTrue();
        disk.foreignTakes(Long.MAX_VALUE);
        assertThat(send("the last one").result()).isEqualTo(AppendResult.APPENDED);
        assertThat(rig.faults()).isEmpty();
        assertThat(disk.exists(Ballast.FILE)).isFalse();
        rig.closeClean();
        rig.reopen();
        assertThat(rig.messages()).extracting(StoredFrame::body).containsExactly("the last one");
    }

    /** R12-03: the largest unit, behind as much as is staged. */
    @Test
    void largestUnitFindsRoomBehindWhatIsStaged() throws IOException {
        disk.foreignTakes(Long.MAX_VALUE);
        List<Sent> staged = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            staged.add(rig.send("topic", 0, "x".repeat(LogRig.SEGMENT_BYTES / 8)));
        }
        Sent largest = send("x".repeat(LogRig.SEGMENT_BYTES / 2 - 500));
        assertThat(rig.faults()).isEmpty();
        assertThat(staged).extracting(Sent::result).containsOnly(AppendResult.APPENDED);
        assertThat(largest.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(send("too late").result()).isEqualTo(AppendResult.DISK_FULL);
        rig.closeClean();
    }

    /** R12-05: it went on without one, up to the last byte. */
    @Test
    void whatRoomThereWasForABallastAtTheStartIsLookedForAgain() throws IOException {
        SmallDisk filling = new SmallDisk(new CrashingDisk(new Random(3)), ROOM_BYTES);
        rig = new LogRig(filling, clock, new Random(4), FlushMode.ASYNC);
        filling.foreignTakes(ROOM_BYTES - 100_000);
        lookAtDisk();
        assertThat(filling.exists(Ballast.FILE)).isFalse();
        assertThat(fact()).isEqualTo(AppendResult.DISK_FULL);
        filling.foreignTakes(Long.MAX_VALUE);
        assertThat(fact()).isEqualTo(AppendResult.DISK_FULL);
        filling.foreignTakes(0);
        lookAtDisk();
        assertThat(filling.exists(Ballast.FILE)).isTrue();
        assertThat(fact()).isEqualTo(AppendResult.APPENDED);
        assertThat(rig.faults()).isEmpty();
        rig.closeClean();
    }

    @Test
    void afterThatNothingIsTakenUntilThereIsSpaceAgain() throws IOException {
        disk.foreignTakes(Long.MAX_VALUE);
        assertThat(send("the last one").result()).isEqualTo(AppendResult.APPENDED);
        assertThat(send("too late").result()).isEqualTo(AppendResult.DISK_FULL);
        assertThat(fact()).as("not even facts").isEqualTo(AppendResult.DISK_FULL);
        lookAtDisk();
        assertThat(fact()).isEqualTo(AppendResult.DISK_FULL);
        assertThat(disk.exists(Ballast.FILE)).isFalse();
        disk.foreignTakes(0);
        lookAtDisk();
        assertThat(disk.exists(Ballast.FILE)).isTrue();
        assertThat(fact()).isEqualTo(AppendResult.APPENDED);
        assertThat(send("on again").result()).isEqualTo(AppendResult.APPENDED);
        assertThat(rig.faults()).isEmpty();
        rig.closeClean();
        rig.reopen();
        assertThat(rig.messages()).extracting(StoredFrame::body).containsExactly("the last one", "on again");
    }

    @Test
    void newLogFileIsMadeWithTheBallastsRoom() throws IOException {
        String large = "x".repeat(LogRig.SEGMENT_BYTES / 3);
        assertThat(send(large).result()).isEqualTo(AppendResult.APPENDED);
        assertThat(send(large).result()).isEqualTo(AppendResult.APPENDED);
        disk.foreignTakes(Long.MAX_VALUE);
        disk.giveBack(large.length() + 1_000); // for the message, but not for its file
        assertThat(send(large).result()).isEqualTo(AppendResult.APPENDED);
        assertThat(rig.faults()).isEmpty();
        assertThat(rig.log().endOffset()).isGreaterThan(LogRig.SEGMENT_BYTES);
        rig.closeClean();
    }

    @Test
    void startOnAFullDiskUsesTheBallastOfTheRunBefore() throws IOException {
        rig.closeClean();
        disk.foreignTakes(Long.MAX_VALUE);
        rig.reopen();
        rig.settle();
        assertThat(rig.faults()).isEmpty();
        assertThat(send("too late").result()).isEqualTo(AppendResult.DISK_FULL);
        disk.foreignTakes(0);
        lookAtDisk();
        assertThat(send("on again").result()).isEqualTo(AppendResult.APPENDED);
        rig.closeClean();
    }

    @Test
    void restartWithASpentBallastTakesNothingThoughAFewBytesAreFree() throws IOException {
        disk.foreignTakes(Long.MAX_VALUE);
        assertThat(send("the last one").result()).isEqualTo(AppendResult.APPENDED);
        assertThat(disk.exists(Ballast.FILE)).isFalse();
        rig.closeClean();
        assertThat(disk.freeBytes()).as("what the ballast left").isGreaterThan(1_000);
        rig.reopen();
        rig.settle();
        assertThat(send("too late").result()).isEqualTo(AppendResult.DISK_FULL);
        assertThat(fact()).isEqualTo(AppendResult.DISK_FULL);
        lookAtDisk();
        assertThat(send("still too late").result()).isEqualTo(AppendResult.DISK_FULL);
        disk.foreignTakes(0);
        lookAtDisk();
        assertThat(disk.exists(Ballast.FILE)).isTrue();
        assertThat(send("on again").result()).isEqualTo(AppendResult.APPENDED);
        assertThat(rig.faults()).isEmpty();
        rig.closeClean();
    }

    @Test
    void firstStartOnAFullDiskTakesNothingUntilThereIsRoomForABallast() throws IOException {
        SmallDisk full = new SmallDisk(new CrashingDisk(new Random(3)), ROOM_BYTES);
        full.foreignTakes(ROOM_BYTES - 10_000);
        LogRig first = new LogRig(full, clock, new Random(4), FlushMode.ASYNC);
        first.settle();
        Sent early = first.send("topic", 0, "too early");
        first.settle();
        assertThat(early.result()).isEqualTo(AppendResult.DISK_FULL);
        assertThat(first.faults()).isEmpty();
        first.closeClean();
    }

    @Test
    void otherFailureOfAWriteStillEndsTheLog() {
        disk.failWrites();
        assertThat(send("lost").result()).isEqualTo(AppendResult.OUTCOME_UNKNOWN);
        assertThat(rig.faults()).hasSize(1);
        assertThat(send("after").result()).isEqualTo(AppendResult.NOT_WRITABLE);
    }

    @Test
    void whatIsReceivedWaitsUntilThereIsSpaceAgain() throws IOException {
        Pair pair = new Pair(3);
        for (int i = 0; i < 6; i++) {
            pair.writer.send("topic", 0, "small");
            pair.writer.settle();
        }
        SmallDisk small = new SmallDisk(new CrashingDisk(new Random(4)), ROOM_BYTES);
        SwitchedReplication replication = new SwitchedReplication(SwitchedReplication.Role.RECEIVES);
        rig = new LogRig(
                small, clock, new Random(5), LogRig.config(FlushMode.ASYNC, 64, 256 * 1024), () -> replication);
        List<Stream.Piece> pieces = pair.stream.pieces(0, pair.writerEnd(), 1, pair.random);
        receive(pair, pieces.get(0));
        receive(pair, pieces.get(1));
        lookAtDisk();
        assertThat(small.exists(Ballast.FILE)).isTrue();
        small.foreignTakes(Long.MAX_VALUE);
        receive(pair, pieces.get(2));
        assertThat(rig.log().endOffset())
                .as("by the ballast's room")
                .isEqualTo(pieces.get(2).endOffset());
        receive(pair, pieces.get(3));
        assertThat(rig.log().endOffset()).isEqualTo(pieces.get(2).endOffset());
        assertThat(rig.engine().logLoop().nextDeadlineMs())
                .as("it looks again by itself")
                .isLessThanOrEqualTo(clock.monotonicMs() + 100);
        small.foreignTakes(0);
        lookAtDisk();
        rig.settle();
        assertThat(rig.log().endOffset()).isEqualTo(pieces.get(3).endOffset());
        assertThat(pair.stream.refusals()).isEmpty();
        assertThat(rig.faults()).isEmpty();
    }

    private static Pair pairOfASmallLog() throws IOException {
        Pair pair = new Pair(3);
        pair.writer.send("topic", 0, "small");
        pair.writer.settle();
        return pair;
    }

    /** The log at test receives, on that disk, and its settings ask for files of another size than the writer's. */
    private void receiveWithLargerFiles(SmallDisk other) throws IOException {
        SwitchedReplication replication = new SwitchedReplication(SwitchedReplication.Role.RECEIVES);
        LogLoopConfig larger = LogRig.config(FlushMode.ASYNC, 64, 256 * 1024).forSegmentsOf(4 * LogRig.SEGMENT_BYTES);
        rig = new LogRig(other, clock, new Random(5), larger, () -> replication);
        lookAtDisk();
    }

    /** R12-04: whose settings ask for smaller files than those of the log that it receives. */
    @Test
    void ballastFitsTheFilesOfALogThatIsTakenOver() throws IOException {
        Pair pair = pairOfASmallLog();
        SmallDisk other = new SmallDisk(new CrashingDisk(new Random(4)), 10 * ROOM_BYTES);
        receiveWithLargerFiles(other);
        long before = ballastBytes(other);
        receive(pair, pair.stream.pieces(0, pair.writerEnd(), 1, pair.random).get(0));
        assertThat(rig.log().segmentSizeBytes()).isEqualTo(LogRig.SEGMENT_BYTES);
        lookAtDisk();
        assertThat(ballastBytes(other)).isPositive().isLessThan(before / 2);
        rig.closeClean();
        rig.reopen();
        assertThat(other.exists(Ballast.FILE)).isTrue();
    }

    /** R13-05: the ballast that is there has another size than the log wants that is taken over. */
    @Test
    void aDiskThatIsFullWhenALogIsTakenOverEndsNobody() throws IOException {
        Pair pair = pairOfASmallLog();
        SmallDisk other = new SmallDisk(new CrashingDisk(new Random(4)), 10 * ROOM_BYTES);
        receiveWithLargerFiles(other);
        assertThat(other.exists(Ballast.FILE)).isTrue();
        other.foreignTakes(Long.MAX_VALUE);
        Stream.Piece first =
                pair.stream.pieces(0, pair.writerEnd(), 1, pair.random).get(0);

        receive(pair, first);

        assertThat(rig.faults()).isEmpty();
        assertThat(rig.log().endOffset()).isEqualTo(first.endOffset());
        assertThat(rig.engine().isOutOfSpace()).isTrue();
        other.foreignTakes(0);
        lookAtDisk();
        assertThat(other.exists(Ballast.FILE)).isTrue();
        assertThat(rig.engine().isOutOfSpace()).isFalse();
        rig.closeClean();
    }

    private static long ballastBytes(Disk of) throws IOException {
        try (DiskFile file = of.openRead(Ballast.FILE)) {
            return file.size();
        }
    }

    private void receive(Pair pair, Stream.Piece piece) {
        pair.stream.offer(rig, piece, 0);
        rig.settle();
    }
}
