package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.BootId;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.frame.FrameLayout;
import dev.perigee.store.log.LogNames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A log whose end a crash took: the offsets it had given away are not given again (ADR 0010). */
final class LostTailTest {
    private final HandClock clock = new HandClock();

    @Test
    void offsetsOfALostTailAreNotGivenToOtherMessages() throws IOException {
        CrashingDisk other = new CrashingDisk(new Random(9));
        LogRig async = new LogRig(other, clock, new Random(10), FlushMode.ASYNC);
        async.send("topic", 0, "kept");
        async.settle();
        clock.pass(500);
        async.settle();
        clock.pass(500);
        async.settle();
        Sent lost = async.send("topic", 0, "lost");
        async.settle();
        assertThat(lost.result()).isEqualTo(AppendResult.APPENDED);
        other.crash();
        async.bootId(2);
        async.reopen();
        Sent next = async.send("topic", 0, "next");
        async.settle();
        assertThat(next.request().queueOffset()).isGreaterThan(lost.request().queueOffset());
        assertThat(async.engine().report().mayHaveLostTail()).isTrue();
    }

    /** A container that hides the name of the run: two starts without one need not be of one run. */
    @Test
    void aMachineThatDoesNotNameItsRunsMayHaveLostPowerBetweenTwoStarts() throws IOException {
        CrashingDisk other = new CrashingDisk(new Random(9));
        LogRig async = new LogRig(other, clock, new Random(10), FlushMode.ASYNC);
        async.bootId(BootId.UNKNOWN);
        async.reopen();
        async.send("topic", 0, "kept");
        async.settle();
        clock.pass(500);
        async.settle();
        Sent lost = async.send("topic", 0, "lost");
        async.settle();
        other.crash();
        async.reopen();
        Sent next = async.send("topic", 0, "next");
        async.settle();
        assertThat(async.engine().report().mayHaveLostTail()).isTrue();
        assertThat(next.request().queueOffset()).isGreaterThan(lost.request().queueOffset());
    }

    private LogRig rigThatLostATail(CrashingDisk other) throws IOException {
        LogRig async = new LogRig(other, clock, new Random(10), FlushMode.ASYNC);
        async.send("topic", 0, "kept");
        async.settle();
        clock.pass(500);
        async.settle();
        other.crash();
        async.bootId(2);
        async.reopen();
        return async;
    }

    @Test
    void theGapAfterALossOutlivesFurtherRestarts() throws IOException {
        LogRig async = rigThatLostATail(new CrashingDisk(new Random(9)));
        long gap = async.engine().report().queueOffsetGap();
        assertThat(gap)
                .as("as many of the smallest frames as may have been unforced")
                .isGreaterThan(5_000_000);
        async.settle();
        async.closeClean();
        async.reopen();
        assertThat(async.engine().report().mayHaveLostTail()).isFalse();
        Sent known = async.send("topic", 0, "known");
        Sent unknown = async.send("never seen", 5, "unknown");
        async.settle();
        assertThat(known.request().queueOffset()).isGreaterThanOrEqualTo(gap);
        assertThat(unknown.request().queueOffset()).isEqualTo(gap);
    }

    @Test
    void nothingIsTakenBeforeTheGapIsDurableSoThatASecondLossGivesNoOffsetAway() throws IOException {
        CrashingDisk other = new CrashingDisk(new Random(9));
        LogRig async = rigThatLostATail(other);
        Sent first = async.send("topic", 0, "first");
        async.stepLog();
        assertThat(first.result()).as("the gap is not durable").isNull();
        async.stepFlusher();
        async.stepLog();
        assertThat(first.result()).isEqualTo(AppendResult.APPENDED);
        other.crash();
        async.bootId(3);
        async.reopen();
        Sent second = async.send("topic", 0, "second");
        async.settle();
        assertThat(second.request().queueOffset()).isGreaterThan(first.request().queueOffset());
    }

    @Test
    void whereverTheSegmentEndsTheEpochBeginsWithAFrameAndNotWithABlank() throws IOException { // R25
        int factsRolled = 0;
        int startsRolled = 0;
        for (int left = 40; left <= 900; left += 20) {
            CrashingDisk other = new CrashingDisk(new Random(9));
            LogRig async = rigWithRoomLeft(other, left);
            long end = async.log().endOffset();
            assertThat(end).isEqualTo(LogRig.SEGMENT_BYTES - left);
            other.crash();
            async.bootId(2);
            async.reopen();
            async.settle();
            long start = async.log().extent().epochs().last().orElseThrow().startOffset();
            boolean fits = start == end;
            assertThat(start).as("%d bytes left", left).isIn(end, (long) LogRig.SEGMENT_BYTES);
            if (fits) {
                ByteBuffer file = ByteBuffer.wrap(other.content("commitlog/00000000000000000000"));
                int magic = file.getInt((int) start + FrameLayout.MAGIC);
                assertThat(FrameLayout.isFrameMagic(magic))
                        .as("%d bytes left", left)
                        .isTrue();
            }
            startsRolled += fits ? 0 : 1;
            factsRolled += fits && async.log().endOffset() > LogRig.SEGMENT_BYTES ? 1 : 0;
        }
        assertThat(startsRolled).as("epochs that began with a head").isPositive();
        assertThat(factsRolled).as("epochs whose facts rolled").isPositive();
    }

    /** All it has is durable, and so many bytes of its first segment are left. */
    private LogRig rigWithRoomLeft(CrashingDisk other, int leftBytes) throws IOException {
        LogRig async = new LogRig(other, clock, new Random(10), FlushMode.ASYNC);
        async.settle();
        long first = async.log().endOffset();
        async.send("topic", 0, "");
        async.settle();
        int emptyBytes = (int) (async.log().endOffset() - first);
        while (LogRig.SEGMENT_BYTES - async.log().endOffset() > 10_000) {
            async.send("topic", 0, "x".repeat(6_000));
            async.settle();
        }
        int body = (int) (LogRig.SEGMENT_BYTES - async.log().endOffset()) - emptyBytes - leftBytes;
        async.send("topic", 0, "x".repeat(body));
        async.settle();
        clock.pass(500);
        async.settle();
        clock.pass(500);
        async.settle();
        return async;
    }

    @Test
    void aStartThatDiesBeforeItStatedTheGapOwesItStill() throws IOException {
        CrashingDisk other = new CrashingDisk(new Random(9));
        LogRig async = rigThatLostATail(other);
        other.kill();
        async.reopen();
        assertThat(async.engine().report().mayHaveLostTail()).isTrue();
        async.closeClean();
        async.reopen();
        assertThat(async.engine().report().mayHaveLostTail()).isFalse();
    }

    @Test
    void aKilledProcessOnARunningMachineLosesNothingAndLeavesNoGap() throws IOException {
        CrashingDisk other = new CrashingDisk(new Random(11));
        LogRig async = new LogRig(other, clock, new Random(12), FlushMode.ASYNC);
        async.send("topic", 0, "one");
        async.settle();
        other.kill();
        async.reopen();
        Sent next = async.send("topic", 0, "two");
        async.settle();
        assertThat(next.request().queueOffset()).isEqualTo(1);
    }

    /** R5: what a replica lacks only another node can give it, so its own flushes do not make it whole. */
    @Test
    void aReplicaKnowsOfALossUntilItIsSaidToBeWhole() throws IOException {
        Pair pair = new Pair(3, FlushMode.ASYNC, LogRig.SEGMENT_BYTES);
        pair.write(5);
        pair.carryAll();
        pair.replicaDisk.crash();
        pair.replica.bootId(2);
        pair.replica.reopen();
        assertThat(pair.replica.engine().report().isRestoring()).isTrue();
        pair.carryAll();
        pair.clock.pass(600);
        pair.replica.settle();
        pair.replica.closeClean();
        pair.replica.reopen();
        assertThat(pair.replica.engine().report().isRestoring())
                .as("all of it was flushed")
                .isTrue();
        pair.replica.engine().flusher().restored();
        pair.replica.closeClean();
        pair.replica.reopen();
        assertThat(pair.replica.engine().report().isRestoring()).isFalse();
    }

    /** R5, R7: behind the mark nobody can tell a torn unit from a rotten one that was held. */
    @Test
    void aReplicaWhoseEndWasCutMayHaveForgottenWhatWasThere() throws IOException {
        Pair pair = new Pair(3);
        pair.write(5);
        pair.carryAll();
        pair.clock.pass(200);
        pair.replica.settle();
        pair.replicaDisk.kill();
        pair.replica.reopen();
        assertThat(pair.replica.engine().report().isRestoring())
                .as("nothing was cut")
                .isFalse();
        pair.write(20, 1);
        for (Stream.Piece piece : pair.stream.pieces(pair.replicaEnd(), pair.writerEnd(), 3, pair.random)) {
            pair.stream.offer(pair.replica, piece, 0);
        }
        pair.replica.stepLog();
        long end = pair.replicaEnd();
        pair.replicaDisk.kill();
        try (DiskFile file = pair.replicaDisk.open(LogNames.fileName(0))) {
            file.write(ByteBuffer.wrap(new byte[] {1}), end - 5);
        }
        pair.replica.bootId(2);
        pair.replica.reopen();
        assertThat(pair.replica.engine().report().cutBytes()).isPositive();
        assertThat(pair.replica.engine().report().isRestoring()).isTrue();
    }

    @Test
    void aReplicaOnAMachineThatDoesNotNameItsRunsKnowsThatItMayHaveForgotten() throws IOException { // R5
        Pair pair = new Pair(3, FlushMode.ASYNC, LogRig.SEGMENT_BYTES);
        pair.replica.closeClean();
        pair.replica.bootId(BootId.UNKNOWN);
        pair.replica.reopen();
        pair.write(5);
        pair.carryAll();
        pair.clock.pass(600);
        pair.replica.settle();
        pair.replicaDisk.crash();
        pair.replica.reopen();
        assertThat(pair.replica.engine().report().isRestoring()).isTrue();
    }
}
