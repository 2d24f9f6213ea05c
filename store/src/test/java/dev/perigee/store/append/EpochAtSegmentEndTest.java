package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.append.Stream.Piece;
import dev.perigee.store.epoch.ForkSearch;
import dev.perigee.store.epoch.ForkSearch.Ask;
import dev.perigee.store.epoch.ForkSearch.Fork;
import dev.perigee.store.epoch.ForkSearch.Step;
import dev.perigee.store.epoch.LogExtent;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** An epoch that does not fit any more into the segment at hand begins with the head of the next. */
final class EpochAtSegmentEndTest {
    /** Less than the start of an epoch takes. */
    private static final int LEFT_BYTES = 200;

    private static final long NEXT_SEGMENT = LogRig.SEGMENT_BYTES;

    private final Pair pair;
    /** Where the last frame of the first epoch ends. */
    private final long full;

    /** The replica has all of the first epoch; of the second, which the writer began behind a blank, nothing. */
    EpochAtSegmentEndTest() throws IOException {
        pair = new Pair(8);
        pair.write(10);
        while (NEXT_SEGMENT - pair.writerEnd() > LEFT_BYTES) {
            long left = NEXT_SEGMENT - pair.writerEnd();
            pair.writer.send("topic", 0, "x".repeat((int) Math.max(0, Math.min(6_000, left - 350))));
            pair.writer.settle();
        }
        full = pair.writerEnd();
        assertThat(full).isLessThan(NEXT_SEGMENT);
        pair.carryAll();
        pair.writer.closeClean();
        pair.writer.reopen();
        pair.write(3);
    }

    private static long fork(LogExtent theirs, LogExtent mine) {
        Step step = ForkSearch.begin(mine);
        while (step instanceof Ask ask) {
            step = ForkSearch.next(ForkSearch.answer(ask, theirs), mine);
        }
        assertThat(step).isInstanceOf(Fork.class);
        return ((Fork) step).offset();
    }

    private long fork() {
        return fork(pair.writer.log().extent(), pair.replica.log().extent());
    }

    private void takeTheBlank() throws IOException {
        Piece blank = pair.stream.piece(full, pair.writerEnd(), 1);
        assertThat(blank.endOffset()).as("end of the blank").isEqualTo(NEXT_SEGMENT);
        pair.stream.offer(pair.replica, blank, blank.endOffset());
        pair.replica.settle();
        assertThat(pair.replicaEnd()).isEqualTo(NEXT_SEGMENT);
        assertThat(pair.replica.log().confirmOffset()).isEqualTo(NEXT_SEGMENT);
    }

    private void assertFollows() throws IOException {
        pair.stream.session(2);
        pair.carryAll();
        assertThat(pair.stream.refusals()).isEmpty();
        assertThat(pair.replica.log().extent()).isEqualTo(pair.writer.log().extent());
        assertThat(pair.difference()).isEmpty();
        pair.replica.closeClean();
        pair.replica.reopen();
        assertThat(pair.replica.log().extent()).isEqualTo(pair.writer.log().extent());
    }

    @Test
    void anEpochThatDoesNotFitBeginsWithTheNextHeadAndIsTakenOver() throws IOException {
        assertThat(pair.writer.log().extent().epochs().last().orElseThrow().startOffset())
                .isEqualTo(NEXT_SEGMENT);
        assertFollows();
    }

    @Test
    void theWriterFindsTheSameStartAgain() throws IOException { // R15
        LogExtent written = pair.writer.log().extent();
        pair.writer.closeClean();
        pair.writer.reopen();
        assertThat(pair.writer.log().extent().epochs().cutTo(written.endOffset()))
                .isEqualTo(written.epochs());
    }

    @Test
    void aReplicaThatHasNotTheBlankYetGoesOnWhereItEnds() throws IOException { // R25
        assertThat(fork()).isEqualTo(pair.replicaEnd()).isEqualTo(full);
        assertFollows();
    }

    @Test
    void aReplicaThatHasTheBlankButNotTheHeadIsNotLockedOut() throws IOException { // R24, R25
        takeTheBlank();
        assertThat(fork()).as("not below the confirm offset").isEqualTo(NEXT_SEGMENT);
        assertFollows();
    }

    @Test
    void aReplicaThatStartsAnewBetweenBlankAndHeadIsNotLockedOut() throws IOException { // R24, R25
        takeTheBlank();
        pair.replica.closeClean();
        pair.confirmedAtStart(NEXT_SEGMENT);
        pair.replica.reopen();
        assertThat(pair.replicaEnd()).isEqualTo(NEXT_SEGMENT);
        assertThat(fork()).as("not below the confirm offset").isEqualTo(NEXT_SEGMENT);
        assertFollows();
    }
}
