package dev.perigee.protocol.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alibaba.fastjson2.JSONObject;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.TestVectors;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdsTest {
    private static final JSONObject VECTOR = TestVectors.description("14-message-ids");

    private static Clock at(String instant) {
        long wallMs = Instant.parse(instant).toEpochMilli();
        return new Clock() {
            @Override
            public long wallMs() {
                return wallMs;
            }

            @Override
            public long monotonicNs() {
                return 0;
            }
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"offsetMsgId_v4", "offsetMsgId_v6"})
    void writesAndReadsOffsetIdsAsStockDoes(String name) {
        String text = VECTOR.getJSONObject(name).getString("text");
        MessageId id = MessageId.parse(text);
        assertThat(id.physicalOffset()).isEqualTo(123456789);
        assertThat(id.storeHost().getPort()).isEqualTo(10911);
        assertThat(id.text()).isEqualTo(text);
        assertThat(MessageId.parse(text.toLowerCase(java.util.Locale.ROOT))).isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0A", "ZZ00000200002A9F00000000075BCD15", "0A00000200002A9F00000000075BCD1500"})
    void refusesWhatIsNoOffsetId(String text) {
        assertThatThrownBy(() -> MessageId.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void keepsNegativeOffsetsAndOddPortsReadable() {
        InetSocketAddress host = new InetSocketAddress("10.0.0.2", 1);
        assertThat(MessageId.parse(new MessageId(host, -1).text())).isEqualTo(new MessageId(host, -1));
        assertThat(MessageId.parse("0A000002FFFFFFFF00000000075BCD15")
                        .storeHost()
                        .getPort())
                .isZero();
    }

    @Test
    void takesAStockUniqueIdApart() {
        JSONObject vector = VECTOR.getJSONObject("UNIQ_KEY");
        UniqueId.Parts parts = UniqueId.parse(vector.getString("text"));
        assertThat(parts.address().getHostAddress()).isEqualTo("10.0.0.1");
        assertThat(parts.processId()).isEqualTo(3360);
        assertThat(parts.processNumber()).isEqualTo(0x18B4AAC2);
        assertThat(parts.sinceMonthStartMs()).isEqualTo(169552957);
        assertThat(parts.counter()).isEqualTo(7);
        assertThat(TestVectors.bytes("14-message-ids")).isEqualTo(HexFormat.of().parseHex(vector.getString("text")));
    }

    @Test
    void makesIdsThatCanBeTakenApart() {
        UniqueId ids = new UniqueId(
                new byte[] {10, 0, 0, 1}, 0x1_0D20, 0x18B4AAC2, at("2026-01-02T23:05:52.957Z"), ZoneOffset.UTC);
        assertThat(ids.next()).isEqualTo("0A0000010D2018B4AAC20A1B2C3D0000");
        assertThat(ids.next()).endsWith("0001");
        UniqueId.Parts parts = UniqueId.parse(ids.next());
        long nowMs = Instant.parse("2026-01-31T00:00:00Z").toEpochMilli();
        assertThat(Instant.ofEpochMilli(parts.madeMs(nowMs, ZoneOffset.UTC))).hasToString("2026-01-02T23:05:52.957Z");
        long nextMonthMs = Instant.parse("2026-02-01T12:00:00Z").toEpochMilli();
        assertThat(Instant.ofEpochMilli(parts.madeMs(nextMonthMs, ZoneOffset.UTC)))
                .hasToString("2026-01-02T23:05:52.957Z");
    }

    @Test
    void writesAndReadsRecallHandlesAsStockDoes() {
        JSONObject vector = TestVectors.description("19-recall-handle");
        RecallHandle handle = new RecallHandle(
                vector.getString("topic"),
                vector.getString("brokerName"),
                vector.getLongValue("timestampStr"),
                vector.getString("uniqKey"));
        assertThat(handle.text()).isEqualTo(vector.getString("text"));
        assertThat(handle.text().getBytes(StandardCharsets.US_ASCII)).isEqualTo(TestVectors.bytes("19-recall-handle"));
        assertThat(RecallHandle.parse(handle.text())).isEqualTo(handle);
        assertThat(RecallHandle.parse(vector.getString("text").replace("=", "")))
                .as("without padding")
                .isEqualTo(handle);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "v1",
                "v1 T b 5",
                "v1 T b 5 key more",
                "v2 T b 5 key",
                "v1 T b five key",
                "v1 T b 9223372036854775808 key",
                "v1 T b -9223372036854775808 key",
                "v1 T b -5 key",
                "v1 T b 0 key",
                "v1 T b 5 ",
                "v1  T b 5"
            })
    void refusesWhatIsNoRecallHandle(String words) {
        String text = Base64.getUrlEncoder().encodeToString(words.getBytes(StandardCharsets.UTF_8));
        assertThat(RecallHandle.parse(text)).isNull();
        assertThat(RecallHandle.parse("?" + text)).isNull();
        assertThat(RecallHandle.parse("A".repeat(100_000))).isNull();
    }

    @Test
    void namesAMessageWithTheLongestKeyThereCanBeAndNoLongerOne() {
        RecallHandle longest = new RecallHandle("t".repeat(255), "b".repeat(255), Long.MAX_VALUE, "k".repeat(32_767));
        assertThat(RecallHandle.parse(longest.text())).isEqualTo(longest);
        RecallHandle longer = new RecallHandle("t".repeat(255), "b".repeat(255), Long.MAX_VALUE, "k".repeat(32_775));
        assertThat(RecallHandle.parse(longer.text())).isNull();
    }

    @Test
    void wrapsTheCounterWithoutTouchingTheTime() {
        UniqueId ids = new UniqueId(new byte[16], 1, 2, at("2026-01-01T00:00:00.001Z"), ZoneOffset.UTC);
        String first = ids.next();
        for (int i = 0; i < 0xFFFF; i++) {
            ids.next();
        }
        assertThat(ids.next()).isEqualTo(first).endsWith("000000010000");
    }
}
