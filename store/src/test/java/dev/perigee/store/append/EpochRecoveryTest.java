package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.ReplicasInSync;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.EpochFile;
import dev.perigee.store.epoch.EpochFold;
import dev.perigee.store.epoch.EpochTable;
import dev.perigee.store.epoch.ReplicaSet;
import dev.perigee.store.epoch.ReplicaSets;
import dev.perigee.store.log.LogFiles;
import dev.perigee.store.log.LogScanner;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The table of epochs and the replicas in sync that a start finds are what stamps and facts of the log say, whatever became of log and file. */
final class EpochRecoveryTest {
    private final HandClock clock = new HandClock();
    private long checkpoint = -1;

    private LogRig rig(CrashingDisk disk, int seed) throws IOException {
        LogLoopConfig config = LogRig.config(FlushMode.SYNC, 64, 256 * 1024);
        return new LogRig(
                disk, clock, new Random(seed), config, () -> new SoloReplication(FlushMode.SYNC), () -> checkpoint);
    }

    /** Writes the file as a checkpoint does, and has the next start walk from there. */
    private void checkpoint(CrashingDisk disk, LogRig rig) throws IOException {
        checkpoint = rig.log().confirmOffset();
        new EpochFile(
                        rig.log().logId(),
                        checkpoint,
                        rig.log().extent().epochs().cutTo(checkpoint),
                        rig.log().replicaSet(checkpoint),
                        rig.log().members(checkpoint).all())
                .write(disk);
    }

    /** The first byte of each epoch number, by a walk over all frames. */
    private static Map<Integer, Long> stamped(CrashingDisk disk, long endOffset) throws IOException {
        Map<Integer, Long> starts = new TreeMap<>();
        if (disk.list("commitlog").isEmpty()) {
            return starts;
        }
        try (LogFiles files = LogFiles.open(disk, "commitlog")) {
            LogScanner scan = files.scan(Long.parseLong(disk.list("commitlog").get(0)));
            while (scan.next() && scan.offset() < endOffset) {
                if (scan.isSound()) {
                    starts.putIfAbsent(scan.epoch(), scan.offset());
                }
            }
        }
        return starts;
    }

    /** Whom the facts of the log name last, by a walk over all frames. */
    private static Optional<ReplicaSet> named(CrashingDisk disk, long endOffset) throws IOException {
        ReplicaSets named = ReplicaSets.NONE;
        if (disk.list("commitlog").isEmpty()) {
            return named.last();
        }
        try (LogFiles files = LogFiles.open(disk, "commitlog")) {
            LogScanner scan = files.scan(Long.parseLong(disk.list("commitlog").get(0)));
            while (scan.next() && scan.offset() < endOffset) {
                if (scan.isSound()) {
                    named = named.with(EpochFold.factOf(scan.frame(), 0), scan.offset() + scan.sizeBytes());
                }
            }
        }
        return named.last();
    }

    private static void assertAgrees(CrashingDisk disk, LogRig rig, String context) throws IOException {
        assertThat(rig.log().replicaSet(rig.log().endOffset()))
                .as(context)
                .isEqualTo(named(disk, rig.log().endOffset()));
        EpochTable table = rig.log().extent().epochs();
        Map<Integer, Long> stamps = stamped(disk, rig.log().endOffset());
        assertThat(table.epochs()).as(context).extracting(Epoch::number).containsExactlyElementsOf(stamps.keySet());
        long start = rig.log().startOffset();
        for (Epoch epoch : table.epochs()) {
            assertThat(epoch.id()).as(context).isNotZero();
            long first = Objects.requireNonNull(stamps.get(epoch.number()));
            if (first == start) { // what is left of one that was trimmed
                assertThat(epoch.startOffset()).as(context).isLessThanOrEqualTo(first);
            } else {
                assertThat(epoch.startOffset()).as(context).isEqualTo(first);
            }
        }
    }

    private interface Ending {
        void end(CrashingDisk disk, LogRig rig) throws IOException;
    }

    private void livesWith(Ending ending) throws IOException {
        for (int seed = 0; seed < 4; seed++) {
            CrashingDisk disk = new CrashingDisk(new Random(seed));
            Random random = new Random(seed + 100);
            checkpoint = -1;
            LogRig rig = rig(disk, seed);
            for (int life = 0; life < 8; life++) {
                int units = random.nextInt(40);
                for (int i = 0; i < units; i++) {
                    rig.send("topic", random.nextInt(3), "x".repeat(random.nextInt(4_000)));
                    if (random.nextInt(15) == 0) {
                        rig.fact(new ReplicasInSync(List.of(new InSyncMember(1 + random.nextInt(3), "ab" + i))));
                    }
                    if (random.nextInt(4) == 0) {
                        rig.settle();
                    }
                    if (random.nextInt(20) == 0) {
                        rig.settle();
                        checkpoint(disk, rig);
                    }
                    clock.pass(30);
                    rig.stepFlusher();
                }
                ending.end(disk, rig);
                rig.reopen();
                assertAgrees(disk, rig, "seed " + seed + " life " + life);
                rig.settle();
                assertAgrees(disk, rig, "seed " + seed + " life " + life + " begun");
            }
        }
    }

    @Test
    void theTableAgreesWithTheLogAfterAKill() throws IOException {
        livesWith((disk, rig) -> disk.kill());
    }

    @Test
    void theTableAgreesWithTheLogAfterALostTail() throws IOException {
        livesWith((disk, rig) -> disk.crash());
    }

    @Test
    void theTableAgreesWithTheLogAfterAStopInOrder() throws IOException {
        livesWith((disk, rig) -> {
            rig.stopClean();
            checkpoint(disk, rig);
            rig.engine().close();
        });
    }

    @Test
    void theTableAgreesWithTheLogAfterATrim() throws IOException {
        livesWith((disk, rig) -> {
            rig.settle();
            checkpoint(disk, rig);
            rig.log().trimTo(rig.log().confirmOffset() - 2L * LogRig.SEGMENT_BYTES);
            assertAgrees(disk, rig, "trimmed");
            disk.kill();
        });
    }

    @Test
    void theTableIsMadeAnewWithoutItsFile() throws IOException {
        livesWith((disk, rig) -> {
            rig.settle();
            checkpoint(disk, rig);
            disk.kill();
            EpochFile.delete(disk);
        });
    }

    @Test
    void aTableThatDoesNotAgreeWithTheHeadsIsDropped() throws IOException { // R9, R15
        livesWith((disk, rig) -> {
            rig.settle();
            checkpoint(disk, rig);
            EpochFile told = EpochFile.read(disk).orElseThrow();
            Epoch first = told.epochs().epochs().get(0);
            EpochTable wrong = EpochTable.of(List.of(new Epoch(first.number(), first.id() + 1, first.startOffset())));
            new EpochFile(told.logId(), told.coveredTo(), wrong, told.inSync(), told.members()).write(disk);
            disk.kill();
        });
    }

    @Test
    void aTableOfAnotherLogIsDropped() throws IOException {
        livesWith((disk, rig) -> {
            rig.settle();
            checkpoint(disk, rig);
            EpochFile told = EpochFile.read(disk).orElseThrow();
            new EpochFile(told.logId() + 1, told.coveredTo(), EpochTable.EMPTY, Optional.empty(), List.of())
                    .write(disk);
            disk.kill();
        });
    }

    @Test
    void aTableThatTheWalkContradictsIsMadeAnew() throws IOException {
        CrashingDisk disk = new CrashingDisk(new Random(3));
        LogRig rig = rig(disk, 3);
        rig.send("topic", 0, "one");
        rig.settle();
        disk.kill();
        rig.reopen(); // the second epoch begins in the first segment, of which the head says nothing of it
        rig.send("topic", 0, "two");
        rig.settle();
        checkpoint(disk, rig);
        rig.send("topic", 0, "three");
        rig.settle();
        EpochTable right = rig.log().extent().epochs();
        new EpochFile(
                        rig.log().logId(),
                        checkpoint,
                        right.cutTo(right.epochs().get(1).startOffset()),
                        Optional.empty(),
                        List.of())
                .write(disk);
        disk.kill();
        rig.reopen();
        assertThat(rig.log().extent().epochs()).isEqualTo(right);
    }

    @Test
    void anEpochWhoseBeginningIsDamagedEqualsNoOther() throws IOException {
        CrashingDisk disk = new CrashingDisk(new Random(4));
        LogRig rig = rig(disk, 4);
        rig.settle();
        disk.kill();
        rig.reopen();
        rig.settle();
        rig.send("topic", 0, "two");
        rig.settle();
        clock.pass(200);
        rig.stepFlusher();
        checkpoint(disk, rig);
        long second = rig.log().extent().epochs().epochs().get(1).startOffset();
        disk.kill();
        disk.flip("commitlog/00000000000000000000", second + 100, 1);
        EpochFile.delete(disk);
        rig.reopen();
        Epoch found = rig.log().extent().epochs().epochs().get(1);
        assertThat(found.number()).isEqualTo(2);
        assertThat(found.isSameAs(found)).isFalse();
    }

    /** R30: the fact is trimmed away, and the heads of later segments tell it again. */
    @Test
    void whoIsInSyncIsKnownWhenTheFactIsGone() throws IOException {
        CrashingDisk disk = new CrashingDisk(new Random(5));
        LogRig rig = rig(disk, 5);
        rig.fact(new ReplicasInSync(List.of(new InSyncMember(2, "cd"))));
        rig.settle();
        long factEnd = rig.log().endOffset();
        for (int i = 0; i < 100; i++) {
            rig.send("topic", 0, "x".repeat(2_000));
            rig.settle();
        }
        rig.log().trimTo(rig.log().endOffset());
        assertThat(rig.log().startOffset()).isGreaterThan(factEnd);
        disk.kill();
        EpochFile.delete(disk);
        rig.reopen();
        assertThat(rig.log().replicaSet(rig.log().endOffset()))
                .contains(new ReplicaSet(List.of(new InSyncMember(2, "cd")), factEnd));
    }

    /** Else every view of it would look like that of another log, and its time would begin anew. */
    @Test
    void aReplicaThatReceivedNothingInARunStillKnowsTheEpochAndTheTimeOfItsLog() throws IOException {
        Pair pair = new Pair(1);
        pair.write(5);
        pair.carryAll();
        pair.replica.settle();
        for (int starts = 0; starts < 3; starts++) {
            pair.replica.closeClean();
            pair.replica.reopen();
            assertThat(pair.replica.engine().report().epoch())
                    .as("start %d", starts)
                    .isEqualTo(1);
            assertThat(pair.replica.engine().report().storeTimestampMs())
                    .as("start %d", starts)
                    .isPositive();
        }
    }
}
