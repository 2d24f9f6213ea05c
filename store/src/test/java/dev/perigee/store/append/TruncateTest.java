package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.fact.ReplicasInSync;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.store.append.Stream.Piece;
import dev.perigee.store.append.SwitchedReplication.Role;
import dev.perigee.store.log.LogNames;
import dev.perigee.store.receive.ReceiveRefusedException.Reason;
import dev.perigee.store.tail.Flusher;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The one cut of a running log: durable, of a new generation, and as if what it took had never been there. */
final class TruncateTest {
    /** A replica that has all the writer wrote; nothing above an offset is confirmed. */
    private static long filled(Pair pair, int confirmedUnits, int units) throws IOException {
        pair.write(confirmedUnits);
        long confirmed = pair.writerEnd();
        pair.write(units);
        for (Piece piece : pair.stream.pieces(0, pair.writerEnd(), 3, pair.random)) {
            pair.stream.offer(pair.replica, piece, confirmed);
            pair.replica.settle();
        }
        assertThat(pair.replica.log().confirmOffset()).isEqualTo(confirmed);
        assertThat(pair.replicaEnd()).isEqualTo(pair.writerEnd());
        return confirmed;
    }

    private static void cut(Pair pair, long endOffset) {
        assertThat(pair.stream.order(pair.replica, endOffset)).isTrue();
        pair.replica.settle();
    }

    @Test
    void aCutLogIsZeroBehindItsEndAndHasNoLaterFiles() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            Pair pair = new Pair(seed);
            long confirmed = filled(pair, 10, 150);
            assertThat(pair.replica.log().segments().size()).isGreaterThan(2);
            cut(pair, confirmed);
            assertThat(pair.stream.cut()).as("seed %d", seed).containsExactly(confirmed);
            assertThat(pair.replicaEnd()).isEqualTo(confirmed);
            assertThat(pair.replication.cuts()).containsExactly(confirmed);
            assertZerosFrom(pair, confirmed);
            pair.carryAll();
            assertThat(pair.difference()).as("seed %d: refilled", seed).isEmpty();
            assertThat(pair.replica.log().extent()).isEqualTo(pair.writer.log().extent());
            assertThat(pair.replica.faults()).isEmpty();
        }
    }

    private static void assertZerosFrom(Pair pair, long endOffset) throws IOException {
        long start = endOffset - endOffset % LogRig.SEGMENT_BYTES;
        for (String name : pair.replicaDisk.list("commitlog")) {
            byte[] bytes = pair.replicaDisk.content("commitlog/" + name);
            long first = Long.parseLong(name);
            for (int i = (int) Math.max(0, endOffset - first); first >= start && i < bytes.length; i++) {
                assertThat(bytes[i]).as("%s byte %d", name, i).isZero();
            }
        }
    }

    @Test
    void aCutIsDurableBeforeTheFirstByteAfterIt() throws IOException { // R3
        for (int seed = 0; seed < 30; seed++) {
            Pair pair = new Pair(seed);
            long confirmed = filled(pair, 10, 100);
            cut(pair, confirmed);
            // a shorter unit than stood there before: what lies behind it must not come back
            pair.stream.offer(pair.replica, pair.stream.piece(confirmed, pair.writerEnd(), 1), confirmed);
            pair.replica.stepLog();
            pair.replicaDisk.crash();
            pair.confirmedAtStart(confirmed);
            pair.replica.reopen();
            long unit = pair.stream.piece(confirmed, pair.writerEnd(), 1).endOffset();
            assertThat(pair.replicaEnd()).as("seed %d", seed).isIn(confirmed, unit);
            pair.carryAll();
            assertThat(pair.difference()).as("seed %d", seed).isEmpty();
        }
    }

    @Test
    void aForceThatBeganBeforeACutCountsForNothingAfterIt() throws IOException { // R1
        Pair pair = new Pair(1);
        pair.write(5);
        pair.carryAll();
        long confirmed = pair.replicaEnd();
        pair.write(5);
        for (Piece piece : pair.stream.pieces(confirmed, pair.writerEnd(), 2, pair.random)) {
            pair.stream.offer(pair.replica, piece, confirmed);
        }
        pair.stream.order(pair.replica, confirmed);
        pair.stream.onReceived(
                pair.replica::stepFlusher); // forced up to the end, while the loop is about to order the cut
        pair.replica.stepLog();
        pair.stream.onReceived(() -> {});
        assertThat(pair.replica.engine().flusher().flushed().endOffset()).isEqualTo(pair.writerEnd());
        long generation = pair.replication.generation();
        pair.replica.stepLog();
        assertThat(pair.replication.held()).isEqualTo(confirmed);
        pair.replica.settle();
        assertThat(pair.replication.generation()).isGreaterThan(generation);
        assertThat(pair.replica.log().syncedOffset()).isEqualTo(confirmed);
        assertThat(pair.replication.held()).isEqualTo(confirmed);
        Piece again = pair.stream.piece(confirmed, pair.writerEnd(), 2);
        pair.stream.offer(pair.replica, again, confirmed);
        pair.replica.stepLog();
        pair.replica.stepLog();
        assertThat(pair.replicaEnd()).isEqualTo(again.endOffset());
        assertThat(pair.replication.held())
                .as("written again, not forced again")
                .isEqualTo(confirmed);
        pair.replica.settle();
        assertThat(pair.replication.held()).isEqualTo(again.endOffset());
    }

    @Test
    void aCutBelowTheConfirmOffsetIsRefused() throws IOException { // R24
        Pair pair = new Pair(2);
        long confirmed = filled(pair, 10, 10);
        cut(pair, confirmed - 1);
        assertThat(pair.stream.refusals()).hasSize(1);
        assertThat(pair.stream.refusals().get(0).reason()).isEqualTo(Reason.CONFIRMED);
        assertThat(pair.stream.refusals().get(0).expected()).contains(String.valueOf(confirmed));
        assertThat(pair.replicaEnd()).isEqualTo(pair.writerEnd());
        cut(pair, pair.writerEnd() + 1);
        assertThat(pair.stream.refusals().get(1).reason()).isEqualTo(Reason.PLACE);
    }

    @Test
    void aCutAtTheEndIsNone() throws IOException {
        Pair pair = new Pair(3);
        filled(pair, 5, 5);
        cut(pair, pair.writerEnd());
        assertThat(pair.stream.cut()).containsExactly(pair.writerEnd());
        assertThat(pair.replication.cuts()).isEmpty();
    }

    @Test
    void bytesOfferedBehindACutWaitForIt() throws IOException {
        Pair pair = new Pair(4);
        long confirmed = filled(pair, 10, 60);
        pair.stream.order(pair.replica, confirmed);
        for (Piece piece : pair.stream.pieces(confirmed, pair.writerEnd(), 3, pair.random)) {
            pair.stream.offer(pair.replica, piece, confirmed);
        }
        pair.replica.stepLog();
        pair.replica.stepLog();
        assertThat(pair.stream.cut()).as("the flusher has not run").isEmpty();
        assertThat(pair.replicaEnd()).isEqualTo(confirmed);
        Sent sent = pair.replica.send("topic0", 0, "meanwhile");
        pair.replica.stepLog();
        assertThat(sent.result()).isEqualTo(AppendResult.NOT_WRITABLE);
        pair.replica.settle();
        assertThat(pair.stream.cut()).containsExactly(confirmed);
        assertThat(pair.stream.refusals()).isEmpty();
        assertThat(pair.replicaEnd()).isEqualTo(pair.writerEnd());
        assertThat(pair.difference()).isEmpty();
    }

    @Test
    void aWriterThatWasDeposedForgetsTheOffsetsItGaveAway() throws IOException {
        Pair pair = new Pair(5);
        pair.write(20);
        pair.carryAll();
        long fork = pair.replicaEnd();
        pair.replication.confirmLimit(fork);
        pair.replication.role(Role.APPENDS);
        Sent lost = pair.replica.send("topic0", 0, "lost", "lost too");
        pair.replica.settle();
        assertThat(lost.completions()).isZero();
        pair.replication.role(Role.RECEIVES);
        pair.replica.stepLog();
        assertThat(lost.result()).isEqualTo(AppendResult.OUTCOME_UNKNOWN);
        cut(pair, fork);
        assertThat(pair.replica.log().extent()).isEqualTo(pair.writer.log().extent());
        pair.write(20);
        pair.carryAll();
        assertThat(pair.difference()).isEmpty();
        pair.replication.confirmLimit(Long.MAX_VALUE);
        pair.replication.role(Role.APPENDS);
        long next = pair.writer.messages().stream()
                .filter(frame -> frame.topic().equals("topic0") && frame.queueId() == 0)
                .count();
        Sent sent = pair.replica.send("topic0", 0, "in turn");
        pair.replica.settle();
        assertThat(sent.request().queueOffset()).isEqualTo(next);
    }

    @Test
    void aDeletionThatIsCutIsTakenBackWithAllThatCameAfterIt() throws IOException {
        Pair pair = new Pair(6);
        pair.write(20);
        pair.carryAll();
        long fork = pair.replicaEnd();
        long next = pair.writer.messages().stream()
                .filter(frame -> frame.topic().equals("topic0") && frame.queueId() == 1)
                .count();
        pair.replication.confirmLimit(fork);
        pair.replication.role(Role.APPENDS);
        pair.replica.send("topic0", 1, "one more");
        FactSink facts = new FactSink(pair.replica.engine().gate(), pair.clock);
        facts.append(new TopicDeleted("topic0"), (result, endOffset) -> {});
        pair.replica.settle();
        Sent closed = pair.replica.send("topic0", 1, "to nobody");
        pair.replica.settle();
        assertThat(closed.result()).isEqualTo(AppendResult.TOPIC_DELETED);
        pair.replication.role(Role.RECEIVES);
        cut(pair, fork);
        pair.replication.confirmLimit(Long.MAX_VALUE);
        pair.replication.role(Role.APPENDS);
        Sent sent = pair.replica.send("topic0", 1, "in turn");
        pair.replica.settle();
        assertThat(sent.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(sent.request().queueOffset()).isEqualTo(next);
    }

    @Test
    void anEpochOfItsOwnThatIsCutIsNotInTheTable() throws IOException {
        Pair pair = new Pair(7);
        pair.write(5);
        pair.carryAll();
        long fork = pair.replicaEnd();
        pair.replication.confirmLimit(fork);
        pair.replication.role(Role.APPENDS);
        pair.replica.settle();
        assertThat(pair.replica.log().epoch()).isEqualTo(2);
        pair.replication.role(Role.RECEIVES);
        cut(pair, fork);
        assertThat(pair.replica.log().epoch()).isEqualTo(1);
        assertThat(pair.replica.log().extent()).isEqualTo(pair.writer.log().extent());
        pair.writer.closeClean();
        pair.writer.reopen();
        pair.write(3);
        pair.carryAll();
        assertThat(pair.stream.refusals())
                .as("another epoch of the same number")
                .isEmpty();
        assertThat(pair.replica.log().extent()).isEqualTo(pair.writer.log().extent());
    }

    @Test
    void aPreparedFileOfTheOldEndIsNotTheNextOne() throws IOException {
        Pair pair = new Pair(8);
        long confirmed = filled(pair, 10, 100);
        for (int i = 0; i < 50; i++) {
            pair.clock.pass(20);
            pair.replica.stepPreparer();
        }
        cut(pair, confirmed);
        for (int i = 0; i < 50; i++) {
            pair.clock.pass(20);
            pair.replica.stepPreparer();
        }
        pair.carryAll();
        assertThat(pair.replica.faults()).isEmpty();
        assertThat(pair.difference()).isEmpty();
        pair.replica.closeClean();
        pair.replica.reopen();
        assertThat(pair.replica.log().extent()).isEqualTo(pair.writer.log().extent());
    }

    @Test
    void aDiskThatFailsACutStopsTheLog() throws IOException {
        Pair pair = new Pair(9);
        long confirmed = filled(pair, 10, 20);
        pair.replicaDisk.failForces(1);
        cut(pair, confirmed);
        assertThat(pair.replica.faults()).hasSize(1);
        assertThat(pair.stream.cut()).isEmpty();
        assertThat(pair.stream.refusals())
                .extracting(refusal -> refusal.reason())
                .containsExactly(Reason.NOT_RECEIVING);
    }

    @Test
    void theLogOfABrokerAloneIsNotCutWhileItRuns() throws IOException {
        Pair pair = new Pair(10);
        pair.write(3);
        SoloReplication alone = new SoloReplication(FlushMode.SYNC);
        alone.recovered(0, pair.writerEnd());
        assertThat(alone.mayReceive()).isFalse();
        assertThatThrownBy(() -> alone.truncated(1, 0)).isInstanceOf(IllegalStateException.class);
        pair.stream.order(pair.writer, 0);
        pair.writer.settle();
        assertThat(pair.stream.refusals().get(0).reason()).isEqualTo(Reason.NOT_RECEIVING);
    }

    @Test
    void aMarkNeverPromisesWhatACutTook() throws IOException {
        Pair pair = new Pair(11);
        long confirmed = filled(pair, 10, 40);
        pair.clock.pass(Flusher.ASYNC_DELAY_MS);
        pair.replica.stepFlusher(); // the mark is durable up to the old end
        cut(pair, confirmed);
        pair.replicaDisk.crash();
        pair.confirmedAtStart(confirmed);
        pair.replica.reopen();
        assertThat(pair.replicaEnd()).isEqualTo(confirmed);
        assertThat(pair.replicaDisk.list("commitlog"))
                .isEqualTo(List.of(LogNames.fileName(0).substring("commitlog/".length())));
    }

    /** R15: who is in sync is what the log says, and no more when the fact is cut. */
    @Test
    void aSetOfReplicasThatIsCutIsTakenBack() throws IOException {
        Pair pair = new Pair(9);
        List<InSyncMember> before = List.of(new InSyncMember(1, "ab"), new InSyncMember(2, "cd"));
        pair.writer.fact(new ReplicasInSync(before));
        pair.writer.settle();
        long confirmed = filled(pair, 10, 0);
        pair.writer.fact(new ReplicasInSync(List.of(new InSyncMember(1, "ab"))));
        pair.writer.settle();
        for (Piece piece : pair.stream.pieces(confirmed, pair.writerEnd(), 2, pair.random)) {
            pair.stream.offer(pair.replica, piece, confirmed);
        }
        pair.replica.settle();
        assertThat(pair.replica
                        .log()
                        .replicaSet(pair.replicaEnd())
                        .orElseThrow()
                        .members())
                .hasSize(1);
        cut(pair, confirmed);
        assertThat(pair.replica
                        .log()
                        .replicaSet(pair.replicaEnd())
                        .orElseThrow()
                        .members())
                .isEqualTo(before);
    }
}
