package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.message.FrameStamp;
import dev.perigee.store.append.Stream.Piece;
import dev.perigee.store.append.SwitchedReplication.Role;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.receive.ReceiveRefusedException;
import dev.perigee.store.receive.ReceiveRefusedException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A log takes in what another one wrote, as it was written, and nothing else. */
final class ReceiveTest {
    @Test
    void aReplicaHasTheFolderOfItsWriterByteForByte() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            Pair pair = new Pair(seed);
            pair.stream.padding(new Random(seed));
            for (int round = 0; round < 6; round++) {
                pair.write(40);
                pair.carryAll();
                if (round == 3) { // a new epoch of the writer
                    pair.writer.closeClean();
                    pair.writer.reopen();
                    pair.writer.settle();
                }
            }
            pair.carryAll();
            assertThat(pair.stream.refusals()).as("seed %d", seed).isEmpty();
            assertThat(pair.difference()).as("seed %d", seed).isEmpty();
            assertThat(pair.writer.log().segments().size()).as("segments").isGreaterThan(3);
            assertThat(pair.replica.log().extent()).isEqualTo(pair.writer.log().extent());
            assertThat(pair.replica.log().logId()).isEqualTo(pair.writer.log().logId());
            assertThat(pair.replica.messages()).isEqualTo(pair.writer.messages());
        }
    }

    @Test
    void anEmptyLogTakesNameStartAndSegmentSizeFromItsFirstHead() throws IOException {
        Pair pair = new Pair(1, FlushMode.SYNC, 4 * LogRig.SEGMENT_BYTES);
        pair.write(200);
        pair.writer.log().trimTo(2 * LogRig.SEGMENT_BYTES);
        long start = pair.writer.log().startOffset();
        assertThat(start).isPositive();
        pair.stream.carry(pair.replica, start, pair.writerEnd(), pair.random);
        assertThat(pair.stream.refusals()).isEmpty();
        assertThat(pair.replica.log().startOffset()).isEqualTo(start);
        assertThat(pair.replica.log().segmentSizeBytes()).isEqualTo(LogRig.SEGMENT_BYTES);
        assertThat(pair.replica.log().logId()).isEqualTo(pair.writer.log().logId());
        assertThat(pair.replica.log().extent()).isEqualTo(pair.writer.log().extent());
        assertThat(pair.replica.messages()).isEqualTo(pair.writer.messages());
        pair.replica.closeClean();
        pair.replica.reopen();
        assertThat(pair.replica.log().extent()).isEqualTo(pair.writer.log().extent());
    }

    @Test
    void unitsOfTheAdoptedSegmentSizeAreTheLargestFromThenOn() throws IOException {
        Pair pair = new Pair(1, FlushMode.SYNC, 4 * LogRig.SEGMENT_BYTES);
        int before = pair.replica.engine().gate().maxOwnUnitBytes();
        pair.write(3);
        pair.carryAll();
        assertThat(pair.replica.engine().gate().maxOwnUnitBytes())
                .isLessThan(before)
                .isEqualTo(pair.writer.engine().gate().maxOwnUnitBytes());
    }

    @Test
    void aFlippedBitAtAnyByteOfAUnitIsRefusedAndNothingIsWritten() throws IOException { // R4
        Pair pair = new Pair(2);
        pair.write(4);
        pair.carryAll();
        long end = pair.replicaEnd();
        pair.writer.send("topic", 1, "one", "two", "three");
        pair.writer.settle();
        byte[] unit = pair.stream.piece(end, pair.writerEnd(), 1).bytes();
        byte[] before = pair.replicaDisk.content("commitlog/00000000000000000000");
        for (int at = 0; at < unit.length; at++) {
            byte[] flipped = unit.clone();
            flipped[at] ^= (byte) (1 << at % 8);
            pair.stream.offer(pair.replica, end, flipped, end);
            pair.replica.settle();
            assertThat(pair.stream.refusals()).as("flip at %d", at).hasSize(at + 1);
            assertThat(pair.stream.refusals().get(at).getMessage()).contains("expected", "found", "offset");
        }
        assertThat(pair.replicaEnd()).isEqualTo(end);
        assertThat(pair.replicaDisk.content("commitlog/00000000000000000000")).isEqualTo(before);
        pair.carryAll();
        assertThat(pair.difference()).isEmpty();
    }

    @Test
    void bytesForAnotherPlaceAreRefusedNamingBoth() throws IOException {
        Pair pair = new Pair(3);
        pair.write(8);
        pair.carryAll();
        long end = pair.replicaEnd();
        pair.write(3);
        Piece first = pair.stream.piece(end, pair.writerEnd(), 1);
        Piece second = pair.stream.piece(first.endOffset(), pair.writerEnd(), 1);
        pair.stream.offer(pair.replica, second, end);
        pair.stream.offer(pair.replica, end, second.bytes(), end);
        pair.replica.settle();
        assertThat(pair.stream.refusals())
                .extracting(ReceiveRefusedException::reason)
                .containsExactly(Reason.PLACE, Reason.PLACE);
        assertThat(pair.stream.refusals().get(0).offset()).isEqualTo(end);
        assertThat(pair.stream.refusals().get(0).found()).contains(String.valueOf(second.offset()));
        assertThat(pair.stream.refusals().get(1).found()).contains(String.valueOf(second.offset()));
        assertThat(pair.replicaEnd()).isEqualTo(end);
    }

    @Test
    void nothingOfAUnitIsTakenBeforeAllOfItIsThere() throws IOException { // R20
        Pair pair = new Pair(4);
        pair.write(4);
        pair.carryAll();
        long end = pair.replicaEnd();
        pair.writer.send("topic", 0, "one", "two", "three");
        pair.writer.settle();
        byte[] unit = pair.stream.piece(end, pair.writerEnd(), 1).bytes();
        for (int size = 1; size < unit.length; size++) {
            pair.stream.offer(pair.replica, end, Arrays.copyOf(unit, size), end);
        }
        pair.replica.settle();
        assertThat(pair.stream.refusals()).hasSize(unit.length - 1);
        assertThat(pair.stream.refusals())
                .extracting(ReceiveRefusedException::reason)
                .containsOnly(Reason.UNIT);
        assertThat(pair.replicaEnd()).isEqualTo(end);
        pair.stream.offer(pair.replica, end, unit, end);
        pair.replica.settle();
        assertThat(pair.replicaEnd()).isEqualTo(end + unit.length);
    }

    @Test
    void aWholeUnitBeforeOneThatIsCutShortIsNotTakenEither() throws IOException {
        Pair pair = new Pair(5);
        pair.write(4);
        pair.carryAll();
        long end = pair.replicaEnd();
        pair.write(2);
        Piece both = pair.stream.piece(end, pair.writerEnd(), 2);
        pair.stream.offer(pair.replica, end, Arrays.copyOf(both.bytes(), both.bytes().length - 1), end);
        pair.replica.settle();
        assertThat(pair.stream.refusals()).hasSize(1);
        assertThat(pair.replicaEnd()).isEqualTo(end);
    }

    @Test
    void anEpochThatFallsOrRisesWithoutSayingSoIsRefused() throws IOException { // R4
        Pair pair = new Pair(6);
        pair.writer.settle();
        pair.writer.closeClean();
        pair.writer.reopen();
        pair.write(3);
        pair.carryAll();
        assertThat(pair.replica.log().epoch()).isEqualTo(2);
        long end = pair.replicaEnd();
        pair.write(1);
        byte[] unit = pair.stream.piece(end, pair.writerEnd(), 1).bytes();
        for (int epoch : new int[] {1, 3}) {
            pair.stream.offer(pair.replica, end, stamped(unit, epoch), end);
        }
        pair.replica.settle();
        assertThat(pair.stream.refusals())
                .extracting(ReceiveRefusedException::reason)
                .containsExactly(Reason.EPOCH, Reason.EPOCH);
        assertThat(pair.stream.refusals().get(1).expected()).contains("epoch 2");
        assertThat(pair.stream.refusals().get(1).found()).contains("epoch 3");
        assertThat(pair.replicaEnd()).isEqualTo(end);
    }

    private static byte[] stamped(byte[] unit, int epoch) {
        byte[] other = unit.clone();
        ByteBuffer bytes = ByteBuffer.wrap(other);
        for (int at = 0; at < other.length; at += bytes.getInt(at)) {
            boolean continues = FrameStamp.unitContinues(bytes, at, bytes.getInt(at));
            FrameStamp.write(bytes, at, bytes.getInt(at), epoch, continues);
        }
        return other;
    }

    @Test
    void segmentsRollWhereTheSendersDo() throws IOException { // R30
        Pair pair = new Pair(7);
        pair.write(120);
        List<Piece> pieces = pair.stream.pieces(0, pair.writerEnd(), 1, pair.random);
        Piece blank = pieces.stream()
                .filter(piece -> piece.endOffset() == LogRig.SEGMENT_BYTES)
                .findFirst()
                .orElseThrow();
        pair.stream.carry(pair.replica, 0, blank.offset(), pair.random);
        byte[] bytes = blank.bytes();
        byte[] half = Arrays.copyOf(bytes, 4);
        byte[] shorter = ByteBuffer.wrap(bytes.clone()).putInt(0, 8).array();
        byte[] partOfTheZeros = Arrays.copyOf(bytes, 20);
        byte[] noZeros = Arrays.copyOf(bytes, (int) (blank.endOffset() - blank.offset()));
        noZeros[noZeros.length - 1] = 1;
        byte[] beyond = Arrays.copyOf(bytes, (int) (blank.endOffset() - blank.offset() + 1));
        for (byte[] wrong : List.of(half, shorter, partOfTheZeros, noZeros, beyond)) {
            pair.stream.offer(pair.replica, blank.offset(), wrong, 0);
        }
        pair.replica.settle();
        assertThat(pair.stream.refusals()).hasSize(5);
        assertThat(pair.replicaEnd()).isEqualTo(blank.offset());
        pair.stream.offer(pair.replica, blank, 0);
        pair.replica.settle();
        assertThat(pair.replicaEnd()).isEqualTo(LogRig.SEGMENT_BYTES);
        Piece message = pair.stream.piece(pieces.get(1).offset(), pair.writerEnd(), 1);
        pair.stream.offer(pair.replica, LogRig.SEGMENT_BYTES, message.bytes(), 0);
        pair.stream.offer(pair.replica, LogRig.SEGMENT_BYTES, bytes, 0);
        pair.replica.settle();
        assertThat(pair.stream.refusals()).as("no head").hasSize(7);
        pair.carryAll();
        assertThat(pair.stream.refusals()).hasSize(7);
        assertThat(pair.difference()).isEmpty();
    }

    @Test
    void bytesOfAnotherLogAreRefusedWithBothNames() throws IOException {
        Pair pair = new Pair(9);
        pair.write(120);
        CrashingDisk otherDisk = new CrashingDisk(new Random(9));
        LogRig other = new LogRig(otherDisk, pair.clock, new Random(77), FlushMode.SYNC);
        other.settle();
        long rolled = LogRig.SEGMENT_BYTES;
        pair.stream.carry(pair.replica, 0, rolled, pair.random);
        assertThat(pair.replicaEnd()).isEqualTo(rolled);
        byte[] head = new Stream(otherDisk, LogRig.SEGMENT_BYTES)
                .piece(0, other.log().endOffset(), 1)
                .bytes();
        ByteBuffer moved = ByteBuffer.wrap(head);
        moved.putLong(28, rolled);
        FrameStamp.write(moved, 0, head.length, 1, false);
        pair.stream.offer(pair.replica, rolled, head, 0);
        pair.replica.settle();
        ReceiveRefusedException refusal = pair.stream.refusals().get(0);
        assertThat(refusal.reason()).isEqualTo(Reason.LOG);
        assertThat(refusal.expected())
                .contains(Long.toHexString(pair.replica.log().logId()));
        assertThat(refusal.found()).contains(Long.toHexString(other.log().logId()));
    }

    @Test
    void anEmptyLogBeginsWithNothingButAHead() throws IOException {
        Pair pair = new Pair(10);
        pair.write(5);
        Piece head = pair.stream.piece(0, pair.writerEnd(), 1);
        Piece message = pair.stream.piece(head.endOffset(), pair.writerEnd(), 1);
        pair.stream.offer(pair.replica, message, 0);
        pair.stream.offer(pair.replica, 4096, head.bytes(), 0);
        pair.replica.settle();
        assertThat(pair.stream.refusals())
                .extracting(ReceiveRefusedException::reason)
                .containsExactly(Reason.SEGMENT, Reason.SEGMENT);
        assertThat(pair.replicaEnd()).isZero();
        assertThat(pair.replica.log().segments()).isEmpty();
        pair.carryAll();
        assertThat(pair.difference()).isEmpty();
    }

    @Test
    void aWriterDoesNotReceive() throws IOException {
        Pair pair = new Pair(11);
        pair.write(2);
        pair.replication.role(Role.APPENDS);
        pair.stream.offer(pair.replica, pair.stream.piece(0, pair.writerEnd(), 1), 0);
        pair.stream.order(pair.replica, 0);
        pair.replica.settle();
        assertThat(pair.stream.refusals())
                .extracting(ReceiveRefusedException::reason)
                .containsExactly(Reason.NOT_RECEIVING, Reason.NOT_RECEIVING);
        assertThat(pair.replica.log().epoch()).isEqualTo(1);
    }

    @Test
    void aReplicaBeginsNoEpochUntilItMayAppendAndThenOneOfItsOwn() throws IOException {
        Pair pair = new Pair(12);
        pair.replica.settle();
        assertThat(pair.replicaEnd()).isZero();
        Sent refused = pair.replica.send("topic0", 0, "too early");
        pair.replica.settle();
        assertThat(refused.result()).isEqualTo(AppendResult.NOT_WRITABLE);
        pair.write(30);
        pair.carryAll();
        long next = pair.replica.messages().stream()
                .filter(frame -> frame.topic().equals("topic0") && frame.queueId() == 0)
                .count();
        pair.replication.role(Role.APPENDS);
        Sent sent = pair.replica.send("topic0", 0, "in turn");
        pair.replica.settle();
        assertThat(sent.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(sent.request().queueOffset()).as("folded while receiving").isEqualTo(next);
        assertThat(pair.replica.log().epoch()).isEqualTo(2);
        assertThat(pair.replica.log().extent().epochs().last().orElseThrow().startOffset())
                .isEqualTo(pair.writerEnd());
    }

    @Test
    void aFrameOfAReplicaIsNotOlderThanWhatItReceivedBefore() throws IOException { // R18
        Pair pair = new Pair(13);
        pair.clock.pass(3_000);
        pair.write(3);
        pair.carryAll();
        long last = pair.writer.messages().get(2).storeTimestampMs();
        pair.clock.jump(-60_000);
        pair.replication.role(Role.APPENDS);
        pair.replica.send("topic0", 0, "by a slower clock");
        pair.replica.settle();
        assertThat(pair.replica
                        .messages()
                        .get(pair.replica.messages().size() - 1)
                        .storeTimestampMs())
                .isGreaterThanOrEqualTo(last);
    }

    @Test
    void aFullInboxTurnsAwayAndTellsWhenThereIsRoom() throws IOException {
        Pair pair = new Pair(14);
        byte[] junk = new byte[1 << 20];
        int offered = 0;
        while (pair.stream.offer(pair.replica, 0, junk, 0)) {
            offered++;
        }
        assertThat(offered).isEqualTo(8);
        assertThat(pair.stream.roomTold()).isZero();
        pair.replica.settle();
        assertThat(pair.stream.roomTold()).isEqualTo(1);
        assertThat(pair.stream.offer(pair.replica, 0, junk, 0)).isTrue();
    }

    @Test
    void whatIsLargerThanTheInboxIsTakenAlone() throws IOException {
        Pair pair = new Pair(17);
        byte[] huge = new byte[16 << 20];
        assertThat(pair.stream.offer(pair.replica, 0, new byte[1], 0)).isTrue();
        assertThat(pair.stream.offer(pair.replica, 0, huge, 0)).isFalse();
        pair.replica.settle();
        assertThat(pair.stream.roomTold()).isEqualTo(1);
        assertThat(pair.stream.offer(pair.replica, 0, huge, 0)).isTrue();
        assertThat(pair.stream.offer(pair.replica, 0, new byte[1], 0)).isFalse();
    }

    @Test
    void readersOfAReplicaSeeWhatItsWriterConfirmedAndNoMore() throws IOException {
        Pair pair = new Pair(15);
        pair.write(10);
        long confirmed = pair.writerEnd();
        pair.write(10);
        for (Piece piece : pair.stream.pieces(0, pair.writerEnd(), 2, pair.random)) {
            pair.stream.offer(pair.replica, piece, confirmed);
            pair.replica.settle();
            assertThat(pair.replica.log().confirmOffset()).isEqualTo(Math.min(confirmed, pair.replicaEnd()));
        }
        pair.stream.offer(pair.replica, pair.replicaEnd(), new byte[0], pair.writerEnd());
        pair.replica.settle();
        assertThat(pair.replica.log().confirmOffset()).isEqualTo(pair.writerEnd());
    }

    @Test
    void aStopInOrderShowsReadersNothingThatIsNotConfirmed() throws IOException {
        Pair pair = new Pair(16);
        pair.write(10);
        long confirmed = pair.writerEnd();
        pair.write(10);
        for (Piece piece : pair.stream.pieces(0, pair.writerEnd(), 2, pair.random)) {
            pair.stream.offer(pair.replica, piece, confirmed);
        }
        pair.replica.settle();
        pair.replica.stopClean();
        assertThat(pair.replica.log().confirmOffset()).isEqualTo(confirmed);
        pair.replica.engine().close();
        pair.confirmedAtStart(confirmed);
        pair.replica.reopen();
        assertThat(pair.replicaEnd()).isEqualTo(pair.writerEnd());
        assertThat(pair.replica.log().confirmOffset()).isEqualTo(confirmed);
    }
}
