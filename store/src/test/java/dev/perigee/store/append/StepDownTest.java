package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.store.append.Stream.Piece;
import dev.perigee.store.append.SwitchedReplication.Role;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A node that may not append any more says so to all who wait, before it follows another. */
final class StepDownTest {
    /** A replica that has what the writer has and appends by itself, without anything being confirmed. */
    private static long appending(Pair pair) throws IOException {
        pair.write(10);
        pair.carryAll();
        long fork = pair.replicaEnd();
        pair.replication.confirmLimit(fork);
        pair.replication.role(Role.APPENDS);
        return fork;
    }

    @Test
    void whatIsPendingIsOfUnknownOutcomeBeforeAnyByteOfANewerEpochIsTaken() throws IOException { // R2
        Pair pair = new Pair(1);
        long fork = appending(pair);
        Sent pending = pair.replica.send("topic0", 0, "pending");
        Sent appended = pair.replica.send("topic0", 0, false, "waits for nothing");
        pair.replica.settle();
        assertThat(pending.completions()).isZero();
        assertThat(appended.result()).isEqualTo(AppendResult.APPENDED);
        long pendingEnd = pair.replicaEnd();

        pair.writer.closeClean();
        pair.writer.reopen();
        pair.write(30);
        assertThat(pair.writerEnd()).isGreaterThan(pendingEnd);
        List<@Nullable AppendResult> seen = new ArrayList<>();
        pair.stream.onReceived(() -> seen.add(pending.result()));
        pair.replication.confirmLimit(Long.MAX_VALUE);
        pair.replication.role(Role.RECEIVES);
        pair.stream.order(pair.replica, fork);
        for (Piece piece : pair.stream.pieces(fork, pair.writerEnd(), 3, pair.random)) {
            pair.stream.offer(pair.replica, piece, pair.writerEnd());
        }
        pair.replica.settle();
        assertThat(pair.replica.log().confirmOffset())
                .as("beyond the place of the pending message")
                .isGreaterThan(pendingEnd);
        assertThat(seen).isNotEmpty().containsOnly(AppendResult.OUTCOME_UNKNOWN);
        assertThat(pending.completions()).isEqualTo(1);
        assertThat(pair.difference()).isEmpty();
    }

    @Test
    void aFlushThatComesWithTheLossOfTheRightConfirmsNothing() throws IOException { // R2
        Pair pair = new Pair(2);
        appending(pair);
        Sent pending = pair.replica.send("topic0", 0, "pending");
        pair.replica.stepLog();
        pair.replica.stepFlusher();
        pair.replication.confirmLimit(Long.MAX_VALUE);
        pair.replication.role(Role.NEITHER);
        pair.replica.stepLog();
        assertThat(pending.result()).isEqualTo(AppendResult.OUTCOME_UNKNOWN);
    }

    @Test
    void aShortPassAppendsNothingOnceTheRightIsLost() throws IOException {
        Pair pair = new Pair(3);
        appending(pair);
        pair.replica.settle();
        Sent soon = pair.replica.send("topic0", 0, "in a short pass");
        assertThat(pair.replica.stepLogShortly()).isTrue();
        pair.replication.role(Role.NEITHER);
        long end = pair.replicaEnd();
        Sent late = pair.replica.send("topic0", 0, "late");
        assertThat(pair.replica.stepLogShortly()).isFalse();
        assertThat(pair.replicaEnd()).isEqualTo(end);
        pair.replica.stepLog();
        assertThat(late.result()).isEqualTo(AppendResult.NOT_WRITABLE);
        assertThat(soon.result()).isEqualTo(AppendResult.OUTCOME_UNKNOWN);
    }

    @Test
    void theRightComesBackWithAnEpochOfItsOwn() throws IOException {
        Pair pair = new Pair(4);
        appending(pair);
        pair.replica.settle();
        assertThat(pair.replica.log().epoch()).isEqualTo(2);
        pair.replication.role(Role.NEITHER);
        pair.replica.settle();
        pair.replication.confirmLimit(Long.MAX_VALUE);
        pair.replication.role(Role.APPENDS);
        Sent sent = pair.replica.send("topic0", 0, "again");
        pair.replica.settle();
        assertThat(sent.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(pair.replica.log().epoch()).isEqualTo(3);
        assertThat(pair.replica.log().extent().epochs().epochs()).hasSize(3);
    }

    /** Who decided in an epoch before and is heard late decides nothing in the next one, whose owner may have decided the same (R13). */
    @Test
    void whatWasDecidedInOneEpochIsNotAppendedInAnother() throws IOException {
        Pair pair = new Pair(8);
        appending(pair);
        pair.replica.settle();
        FactSink sink = new FactSink(pair.replica.engine().gate(), pair.clock);
        List<AppendResult> results = new ArrayList<>();
        append(sink.onlyIn(() -> 2), results);
        append(sink.onlyIn(() -> FactSink.ANY_EPOCH), results);
        append(sink.onlyIn(() -> FactSink.NO_EPOCH), results);
        pair.replication.confirmLimit(Long.MAX_VALUE);
        pair.replica.settle();
        assertThat(results)
                .containsExactlyInAnyOrder(AppendResult.NOT_WRITABLE, AppendResult.APPENDED, AppendResult.APPENDED);

        append(sink.onlyIn(() -> 2), results); // on its way while the right goes and comes back
        pair.replication.role(Role.NEITHER);
        pair.replica.stepLog();
        append(sink.onlyIn(() -> 2), results);
        pair.replication.role(Role.APPENDS);
        pair.replica.settle();
        append(sink.onlyIn(() -> 2), results);
        append(sink.onlyIn(() -> 3), results);
        pair.replica.settle();

        assertThat(pair.replica.log().epoch()).isEqualTo(3);
        assertThat(results.subList(3, results.size()))
                .containsExactly(
                        AppendResult.NOT_WRITABLE,
                        AppendResult.NOT_WRITABLE,
                        AppendResult.NOT_WRITABLE,
                        AppendResult.APPENDED);
    }

    private static void append(FactSink sink, List<AppendResult> results) {
        FrameDraft draft = new FrameDraft().topic(new byte[] {'t'}).queueId(0).body(ByteBuffer.allocate(1));
        sink.append("t", 0, draft, FactSink.Room.ORDINARY, (result, end, queueOffset) -> results.add(result));
    }

    @Test
    void aReplicaThatIsClosedTurnsAwayWhatWaits() throws IOException {
        Pair pair = new Pair(5);
        pair.write(5);
        pair.replica.engine().gate().close();
        pair.stream.offer(pair.replica, pair.stream.piece(0, pair.writerEnd(), 1), 0);
        pair.stream.order(pair.replica, 0);
        pair.replica.settle();
        assertThat(pair.stream.refusals()).hasSize(2);
        assertThat(pair.replica.engine().logLoop().drained().getCount()).isZero();
    }

    @Test
    void aReplicaThatIsClosedWhileItIsCutFinishesTheCut() throws IOException {
        Pair pair = new Pair(6);
        long fork = appending(pair);
        pair.replica.send("topic0", 0, "goes");
        pair.replica.settle();
        pair.replication.role(Role.RECEIVES);
        pair.stream.order(pair.replica, fork);
        pair.replica.stepLog();
        pair.replica.engine().gate().close();
        pair.replica.stepLog();
        assertThat(pair.replica.engine().logLoop().drained().getCount()).isEqualTo(1);
        pair.replica.settle();
        assertThat(pair.stream.cut()).containsExactly(fork);
        assertThat(pair.replica.engine().logLoop().drained().getCount()).isZero();
        pair.replica.closeClean();
        pair.replica.reopen();
        assertThat(pair.replicaEnd()).isEqualTo(fork);
    }
}
