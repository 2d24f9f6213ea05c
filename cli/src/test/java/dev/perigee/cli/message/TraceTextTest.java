package dev.perigee.cli.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.query.MessageTrace.Note;
import dev.perigee.protocol.trace.TraceRecord;
import dev.perigee.protocol.trace.TraceRecord.ConsumeBegun;
import dev.perigee.protocol.trace.TraceRecord.ConsumeEnded;
import dev.perigee.protocol.trace.TraceRecord.Ending;
import dev.perigee.protocol.trace.TraceRecord.Kind;
import dev.perigee.protocol.trace.TraceRecord.Recalled;
import dev.perigee.protocol.trace.TraceRecord.Sent;
import dev.perigee.protocol.trace.TraceRecord.TransactionEnded;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is shown of each kind of note. */
final class TraceTextTest {
    private static Note note(TraceRecord record) {
        return new Note(record.timeMs(), "10.0.0.1:5000", record);
    }

    /** Time, what, outcome, topic, tag, broker, cost, retries, request, offset id, bytes, kind, transaction, from check. */
    private static List<@Nullable Object> cells(TraceRecord record) {
        Note note = note(record);
        return Arrays.asList(
                TraceText.time(note),
                TraceText.what(note),
                TraceText.outcome(note),
                TraceText.topic(note),
                TraceText.tag(note),
                TraceText.storeHost(note),
                TraceText.costMs(note),
                TraceText.retries(note),
                TraceText.requestId(note),
                TraceText.offsetMessageId(note),
                TraceText.bodyBytes(note),
                TraceText.kind(note),
                TraceText.transactionId(note),
                TraceText.fromCheck(note));
    }

    @Test
    void aSendSaysWhereItWentAndHowItEnded() {
        TraceRecord sent =
                new Sent(1_000, "r", "g", "T", "id", "blue", "k", "h:1", 12, 3, Kind.DELAYED, "0A", false, null);
        assertThat(cells(sent))
                .containsExactly(
                        "1970-01-01T00:00:01Z",
                        "sent",
                        "failed",
                        "T",
                        "blue",
                        "h:1",
                        3L,
                        null,
                        null,
                        "0A",
                        12,
                        "delayed",
                        null,
                        null);
    }

    @Test
    void aListenerThatIsCalledSaysHowOftenTheMessageFailedBefore() {
        assertThat(cells(new ConsumeBegun(1_000, "r", "g", "q1", "id", 2, "k")))
                .containsExactly(
                        "1970-01-01T00:00:01Z",
                        "listener called",
                        null,
                        null,
                        null,
                        null,
                        null,
                        2,
                        "q1",
                        null,
                        null,
                        null,
                        null,
                        null);
    }

    @Test
    void theEndOfACallSaysWhyAndNoTimeWhereAnOldClientNotedNone() {
        assertThat(cells(new ConsumeEnded("q1", "id", 5, false, "k", Ending.RETURNED_NULL, 0, null)))
                .containsExactly(
                        null,
                        "listener ended",
                        "returned null",
                        null,
                        null,
                        null,
                        5L,
                        null,
                        "q1",
                        null,
                        null,
                        null,
                        null,
                        null);
    }

    @Test
    void aDecisionSaysOfWhichTransaction() {
        TraceRecord decided = new TransactionEnded(
                1_000, "r", "g", "T", "id", "blue", "k", "h:1", Kind.COMMITTED, "tx-1", "COMMIT_MESSAGE", true);
        assertThat(cells(decided))
                .containsExactly(
                        "1970-01-01T00:00:01Z",
                        "decided",
                        "COMMIT_MESSAGE",
                        "T",
                        "blue",
                        "h:1",
                        null,
                        null,
                        null,
                        null,
                        null,
                        "committed",
                        "tx-1",
                        true);
    }

    @Test
    void aRecallSaysOfWhichTopic() {
        assertThat(cells(new Recalled(1_000, "r", "g", "T", "id", true)))
                .containsExactly(
                        "1970-01-01T00:00:01Z",
                        "recalled",
                        "success",
                        "T",
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null);
    }

    @Test
    void notesThatCouldNotBeReadAreCountedInOneSentence() {
        assertThat(TraceText.unreadable(1)).isEqualTo("perigee: 1 note could not be read and is not shown");
        assertThat(TraceText.unreadable(3)).isEqualTo("perigee: 3 notes could not be read and are not shown");
    }
}
