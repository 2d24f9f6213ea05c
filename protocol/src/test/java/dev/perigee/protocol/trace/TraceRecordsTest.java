package dev.perigee.protocol.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.TestVectors;
import dev.perigee.protocol.trace.TraceRecord.ConsumeBegun;
import dev.perigee.protocol.trace.TraceRecord.ConsumeEnded;
import dev.perigee.protocol.trace.TraceRecord.Ending;
import dev.perigee.protocol.trace.TraceRecord.Kind;
import dev.perigee.protocol.trace.TraceRecord.Recalled;
import dev.perigee.protocol.trace.TraceRecord.Sent;
import dev.perigee.protocol.trace.TraceRecord.TransactionEnded;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trace records as stock clients write them, and ours as they read them. */
class TraceRecordsTest {
    private static final String VECTOR = "23-trace-pub-record";

    private static final Sent SENT = new Sent(
            1_760_000_000_000L,
            "DefaultRegion",
            "demo_producer",
            "DemoTopic",
            "0A0000010D2018B4AAC20A1B2C3D0007",
            "TagA",
            "order-1",
            "10.0.0.2:10911",
            5,
            4,
            Kind.NORMAL,
            "0A00000200002A9F00000000075BCD15",
            true,
            null);

    /** Records with {@code ^} and {@code $} in place of their separators. */
    private static String shown(String text) {
        return text.replace('\u0001', '^').replace('\u0002', '$');
    }

    private static TraceRecords read(String shown) {
        return TraceRecords.of(shown.replace('^', '\u0001').replace('$', '\u0002'));
    }

    @Test
    void aSendIsWrittenAndReadAsInTheVector() {
        byte[] vector = TestVectors.bytes(VECTOR);
        assertThat(TraceRecords.text(SENT).getBytes(StandardCharsets.UTF_8)).isEqualTo(vector);
        assertThat(TraceRecords.of(new String(vector, StandardCharsets.UTF_8)))
                .isEqualTo(new TraceRecords(List.of(SENT), 0));
        assertThat(SENT.findableBy())
                .containsExactlyElementsOf(
                        TestVectors.description(VECTOR).getJSONArray("keys").toList(String.class));
    }

    @Test
    void whatIsNotThereIsWrittenAsNullAndReadAsNothing() {
        Sent bare = new Sent(1, "R", "g", "T", "ID", null, null, "h:1", 0, 2, Kind.DELAYED, null, false, null);
        String text = TraceRecords.text(bare);
        assertThat(shown(text)).isEqualTo("Pub^1^R^g^T^ID^null^null^h:1^0^2^3^null^false$");
        assertThat(TraceRecords.of(text).records()).containsExactly(bare);
        assertThat(bare.findableBy()).containsExactly("ID");
    }

    @Test
    void everyKindOfRecordComesBackAsItWas() {
        List<TraceRecord> all = List.of(
                SENT,
                new Sent(1, "R", "g", "T", "ID", "t", "k1 k2", "h:1", 3, 2, Kind.HALF, "OFF", true, "c:2"),
                new ConsumeBegun(5, "R", "g", "REQ", "ID", 3, "k1 k2"),
                new ConsumeEnded("REQ", "ID", 7, true, "k1 k2", Ending.SUCCESS, 9, "g"),
                new ConsumeEnded("REQ", "ID2", 7, false, null, Ending.EXCEPTION, 9, "g"),
                new TransactionEnded(
                        1, "R", "g", "T", "ID", "t", null, "h:1", Kind.COMMITTED, "TX", "COMMIT_MESSAGE", true),
                new Recalled(1, "R", "g", "T", "ID", true));
        StringBuilder body = new StringBuilder();
        all.forEach(record -> body.append(TraceRecords.text(record)));
        assertThat(TraceRecords.of(body.toString())).isEqualTo(new TraceRecords(all, 0));
    }

    @Test
    void theLongFormsAreWrittenThatEveryReaderTakes() {
        assertThat(shown(TraceRecords.text(new ConsumeBegun(5, "R", "g", "REQ", "ID", 3, null))))
                .isEqualTo("SubBefore^5^R^g^REQ^ID^3^null$");
        assertThat(shown(TraceRecords.text(new ConsumeEnded("REQ", "ID", 7, false, "k", Ending.RETURNED_NULL, 9, "g"))))
                .isEqualTo("SubAfter^REQ^ID^7^false^k^3^9^g$");
        assertThat(shown(TraceRecords.text(new TransactionEnded(
                        1, "R", "g", "T", "ID", "t", "k", "h:1", Kind.COMMITTED, "TX", "ROLLBACK_MESSAGE", false))))
                .isEqualTo("EndTransaction^1^R^g^T^ID^t^k^h:1^2^TX^ROLLBACK_MESSAGE^false$");
        assertThat(shown(TraceRecords.text(new Recalled(1, "R", "g", "T", "ID", false))))
                .isEqualTo("Recall^1^R^g^T^ID^false$");
    }

    @Test
    void theShorterFormsOfOlderClientsAreRead() {
        assertThat(read("Pub^1^R^g^T^ID^t^k^h:1^5^4^0^true$").records())
                .containsExactly(
                        new Sent(1, "R", "g", "T", "ID", "t", "k", "h:1", 5, 4, Kind.NORMAL, null, true, null));
        assertThat(read("SubAfter^REQ^ID^7^true^k$SubAfter^REQ^ID^7^false^k$").records())
                .containsExactly(
                        new ConsumeEnded("REQ", "ID", 7, true, "k", Ending.SUCCESS, 0, null),
                        new ConsumeEnded("REQ", "ID", 7, false, "k", Ending.FAILED, 0, null));
        assertThat(read("SubAfter^REQ^ID^7^false^k^1$").records())
                .containsExactly(new ConsumeEnded("REQ", "ID", 7, false, "k", Ending.TIMEOUT, 0, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense",
                "Unknown^1^2",
                "Pub",
                "Pub^x^R^g^T^ID^t^k^h:1^5^4^0^true",
                "Pub^1^R^g^T^ID^t^k^h:1^5^4^none^true",
                "SubBefore^1^R^g^REQ^ID^many^k",
                "SubAfter^REQ^ID",
                "SubAfter^REQ^ID^7^false^k^5",
                "EndTransaction^1^R",
                "Recall^1^R^g^T^ID"
            })
    void whatCannotBeReadIsCountedAndTheOthersAreRead(String broken) {
        TraceRecords read = read(broken + "$" + shown(TraceRecords.text(SENT)));
        assertThat(read.records()).containsExactly(SENT);
        assertThat(read.unreadable()).isEqualTo(1);
    }

    @Test
    void aKindOfLaterClientsIsAMessageLikeAnyOther() {
        for (String kind : List.of("9", "-1")) {
            assertThat(read("Pub^1^R^g^T^ID^t^k^h:1^5^4^" + kind + "^true$").records())
                    .containsExactly(
                            new Sent(1, "R", "g", "T", "ID", "t", "k", "h:1", 5, 4, Kind.NORMAL, null, true, null));
        }
    }

    @Test
    void anEmptyTextIsWrittenAsNone() {
        String text = shown(TraceRecords.text(new ConsumeBegun(5, "R", "g", "REQ", "ID", 3, "")));
        assertThat(text).isEqualTo("SubBefore^5^R^g^REQ^ID^3^null$");
        assertThat(shown(TraceRecords.text(
                        new Sent(1, "R", "g", "T", "ID", "", "", "h:1", 0, 2, Kind.NORMAL, "", false, ""))))
                .isEqualTo("Pub^1^R^g^T^ID^null^null^h:1^0^2^0^null^false^null$");
    }

    @Test
    void noFieldCanEndItsRecord() {
        Recalled sly = new Recalled(1, "R", "g\u0002Pub\u0001", "T", "ID", true);
        assertThat(TraceRecords.of(TraceRecords.text(sly)).records())
                .containsExactly(new Recalled(1, "R", "g Pub ", "T", "ID", true));
    }
}
