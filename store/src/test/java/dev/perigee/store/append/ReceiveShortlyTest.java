package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.append.Stream.Piece;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What the log loop of a replica takes in for a thread that borrows it, and what it leaves to its own. */
final class ReceiveShortlyTest {
    private final Pair pair;

    ReceiveShortlyTest() throws IOException {
        pair = new Pair(1);
    }

    /** A replica that has the beginning of the log. */
    private void begin() throws IOException {
        pair.write(4);
        pair.carryAll();
        assertThat(pair.replicaEnd()).isEqualTo(pair.writerEnd());
    }

    private Piece nextUnit() throws IOException {
        return pair.stream.piece(pair.replicaEnd(), pair.writerEnd(), 1);
    }

    @Test
    void aLittleIsTakenInAndConfirmedAsTheSenderSays() throws IOException {
        begin();
        pair.write(1);
        assertThat(pair.stream.offer(pair.replica, nextUnit(), pair.writerEnd()))
                .isTrue();
        assertThat(pair.replica.stepLogShortly()).isTrue();
        assertThat(pair.replicaEnd()).isEqualTo(pair.writerEnd());
        assertThat(pair.replica.log().confirmOffset()).isEqualTo(pair.writerEnd());
        assertThat(pair.difference()).isEmpty();
    }

    @Test
    void aShortPassAnswersForWhatTheFlusherMadeDurable() throws IOException {
        begin();
        pair.write(1);
        pair.stream.offer(pair.replica, nextUnit(), pair.writerEnd());
        pair.replica.stepLogShortly();
        assertThat(pair.replication.held()).as("not durable yet").isLessThan(pair.writerEnd());
        pair.replica.stepFlusher();
        assertThat(pair.replica.stepLogShortly()).isTrue();
        assertThat(pair.replication.held()).isEqualTo(pair.writerEnd());
    }

    @Test
    void theFirstBytesOfALogAreLeftToTheLoopsOwnThread() throws IOException {
        pair.write(1);
        pair.stream.offer(pair.replica, nextUnit(), pair.writerEnd());
        assertThat(pair.replica.stepLogShortly()).isFalse();
        assertThat(pair.replicaEnd()).isZero();
        pair.replica.settle();
        assertThat(pair.replicaEnd()).isPositive();
    }

    @Test
    void aNewSegmentIsLeftToTheLoopsOwnThread() throws IOException {
        begin();
        while (pair.writer.log().segments().size() < 3) {
            pair.write(16);
        }
        int left = 0;
        while (pair.replicaEnd() < pair.writerEnd()) {
            int segments = pair.replica.log().segments().size();
            pair.stream.offer(pair.replica, nextUnit(), pair.writerEnd());
            if (!pair.replica.stepLogShortly()) {
                assertThat(pair.replica.log().segments()).hasSize(segments);
                left++;
                pair.replica.settle();
            }
            pair.replica.stepFlusher();
        }
        assertThat(left).as("a blank and a head for each new segment").isBetween(2, 4);
        assertThat(pair.stream.refusals()).isEmpty();
        assertThat(pair.difference()).isEmpty();
    }

    @Test
    void moreThanALittleIsLeftToTheLoopsOwnThread() throws IOException {
        begin();
        long before = pair.replicaEnd();
        while (pair.writerEnd() - before < 100_000) {
            pair.write(1);
        }
        for (Piece piece : pair.stream.pieces(before, pair.writerEnd(), 1, pair.random)) {
            assertThat(pair.stream.offer(pair.replica, piece, pair.writerEnd())).isTrue();
        }
        assertThat(pair.replica.stepLogShortly()).isFalse();
        assertThat(pair.replicaEnd() - before).isBetween(1L, 64L << 10);
        pair.replica.settle();
        assertThat(pair.difference()).isEmpty();
    }

    @Test
    void aCutIsLeftToTheLoopsOwnThread() throws IOException {
        begin();
        pair.stream.order(pair.replica, pair.replicaEnd());
        assertThat(pair.replica.stepLogShortly()).isFalse();
        assertThat(pair.stream.cut()).isEmpty();
        pair.replica.settle();
        assertThat(pair.stream.cut()).containsExactly(pair.replicaEnd());
    }
}
