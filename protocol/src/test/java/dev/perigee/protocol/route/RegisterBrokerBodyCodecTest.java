package dev.perigee.protocol.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicConfigTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;

class RegisterBrokerBodyCodecTest {
    /** Vector 10 of the protocol description, inflated. */
    private static final String VECTOR =
            "000000387b22636f756e746572223a332c22737461746556657273696f6e223a302c2274696d65"
                    + "7374616d70223a313736303030303030303030307d000000020000001a5442573130322038203820372053494e474c455f54414720"
                    + "7b7d0000001d44656d6f546f7069632034203420362053494e474c455f544147207b7d000000025b5d00000000";

    private static byte[] deflate(byte[] plain) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(bytes)) {
            out.write(plain);
        }
        return bytes.toByteArray();
    }

    private static byte[] withLine(String line) throws IOException {
        String version = "{\"counter\":1,\"stateVersion\":0,\"timestamp\":2}";
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        for (String piece : List.of(version, "", line, "[]")) {
            byte[] bytes = piece.isEmpty() ? new byte[0] : piece.getBytes(StandardCharsets.UTF_8);
            plain.writeBytes(new byte[] {0, 0, 0, (byte) (piece.isEmpty() ? 1 : bytes.length)});
            plain.writeBytes(bytes);
        }
        return deflate(plain.toByteArray());
    }

    @Test
    void readsWhatAStockBrokerSends() throws Exception {
        RegisterBrokerBody body =
                RegisterBrokerBodyCodec.decode(deflate(HexFormat.of().parseHex(VECTOR)));

        TopicConfigTable table = body.topicConfigSerializeWrapper();
        assertThat(table.dataVersion()).isEqualTo(new DataVersion(0, 1_760_000_000_000L, 3));
        assertThat(table.topicConfigTable())
                .containsEntry("DemoTopic", TopicConfig.of("DemoTopic", 4, 6))
                .containsEntry("TBW102", TopicConfig.of("TBW102", 8, 7))
                .hasSize(2);
    }

    @Test
    void writesWhatAStockBrokerSends() throws Exception {
        Map<String, TopicConfig> topics = new LinkedHashMap<>();
        topics.put("TBW102", TopicConfig.of("TBW102", 8, 7));
        topics.put("DemoTopic", TopicConfig.of("DemoTopic", 4, 6));
        DataVersion version = new DataVersion(0, 1_760_000_000_000L, 3);

        byte[] encoded =
                RegisterBrokerBodyCodec.encode(new RegisterBrokerBody(TopicConfigTable.of(topics, version), List.of()));

        byte[] inflated =
                new java.util.zip.InflaterInputStream(new java.io.ByteArrayInputStream(encoded)).readAllBytes();
        assertThat(HexFormat.of().formatHex(inflated)).isEqualTo(VECTOR);
    }

    @Test
    void readsTheFiveWordsOfAnOlderBroker() throws Exception {
        RegisterBrokerBody body = RegisterBrokerBodyCodec.decode(withLine("T 2 3 6 MULTI_TAG"));

        assertThat(body.topicConfigSerializeWrapper().topicConfigTable().get("T"))
                .satisfies(topic -> {
                    assertThat(topic.readQueueNums()).isEqualTo(2);
                    assertThat(topic.writeQueueNums()).isEqualTo(3);
                    assertThat(topic.attributes()).isEmpty();
                });
    }

    @Test
    void readsAttributes() throws Exception {
        RegisterBrokerBody body =
                RegisterBrokerBodyCodec.decode(withLine("T 2 3 6 SINGLE_TAG {\"message.type\":\"FIFO\"}"));

        assertThat(body.topicConfigSerializeWrapper().topicConfigTable())
                .hasEntrySatisfying("T", topic -> assertThat(topic.attributes()).containsEntry("message.type", "FIFO"));
    }

    @Test
    void namesWhatItCannotRead() {
        assertThatThrownBy(() -> RegisterBrokerBodyCodec.decode(withLine("T 2 x 6 SINGLE_TAG")))
                .isInstanceOf(BadBodyException.class)
                .hasMessageContaining("T 2 x 6");
        assertThatThrownBy(() -> RegisterBrokerBodyCodec.decode(withLine("T 2")))
                .isInstanceOf(BadBodyException.class)
                .hasMessageContaining("2 words");
        assertThatThrownBy(() -> RegisterBrokerBodyCodec.decode(new byte[] {1, 2, 3}))
                .isInstanceOf(BadBodyException.class);
        assertThatThrownBy(() -> RegisterBrokerBodyCodec.decode(deflate(new byte[] {0x7f, 0, 0, 0})))
                .isInstanceOf(BadBodyException.class);
        assertThatThrownBy(() -> RegisterBrokerBodyCodec.decode(
                        deflate(new byte[RegisterBrokerBodyCodec.MAX_INFLATED_BYTES + 1])))
                .isInstanceOf(BadBodyException.class)
                .hasMessageContaining("inflates beyond");
    }
}
