package dev.perigee.protocol.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.perigee.protocol.TestVectors;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameVectorsTest {
    private static final byte[] NO_BODY = {};

    @ParameterizedTest
    @ValueSource(strings = {"01-request-frame-json", "02-request-frame-binary"})
    void readsARequestOfAStockClient(String vector) throws Exception {
        RemotingCommand command = RemotingCommand.decode(TestVectors.bytes(vector));
        assertThat(command.head().code()).isEqualTo(105);
        assertThat(command.head().language()).isEqualTo(Language.JAVA);
        assertThat(command.head().version()).isEqualTo(513);
        assertThat(command.head().opaque()).isEqualTo(42);
        assertThat(command.head().flag()).isZero();
        assertThat(command.head().remark()).isNull();
        assertThat(command.extFields())
                .containsOnly(entry("topic", "DemoTopic"), entry("acceptStandardJsonOnly", "true"));
        assertThat(command.body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"02-request-frame-binary", "03-send-message-v2-binary"})
    void writesABinaryFrameByteForByteAsTheStockClient(String vector) throws Exception {
        byte[] frame = TestVectors.bytes(vector);
        assertThat(RemotingCommand.decode(frame).encode()).isEqualTo(frame);
    }

    @ParameterizedTest
    @ValueSource(strings = {"01-request-frame-json", "03-send-message-v2-json", "08-pull-response-frame"})
    void writesAJsonFrameThatSaysTheSame(String vector) throws Exception {
        RemotingCommand stock = RemotingCommand.decode(TestVectors.bytes(vector));
        RemotingCommand ours = RemotingCommand.decode(stock.encode());
        assertThat(ours.head()).isEqualTo(stock.head());
        assertThat(ours.extFields()).isEqualTo(stock.extFields());
        assertThat(ours.body()).isEqualTo(stock.body());
    }

    @Test
    void readsASendWithPropertiesFromBothSerializations() throws Exception {
        RemotingCommand json = RemotingCommand.decode(TestVectors.bytes("03-send-message-v2-json"));
        RemotingCommand binary = RemotingCommand.decode(TestVectors.bytes("03-send-message-v2-binary"));
        assertThat(json.extFields()).isEqualTo(binary.extFields());
        assertThat(json.body()).isEqualTo(binary.body()).asString().isEqualTo("hello");
        assertThat(json.extFields())
                .containsEntry("a", "demo_producer")
                .containsEntry("e", "2")
                .hasEntrySatisfying("i", value -> assertThat(value).contains("TAGS\u0001TagA\u0002"));
    }

    @Test
    void readsAPullResponse() throws Exception {
        RemotingCommand command = RemotingCommand.decode(TestVectors.bytes("08-pull-response-frame"));
        assertThat(command.head().code()).isZero();
        assertThat(command.head().flag()).isEqualTo(CommandHead.RESPONSE);
        assertThat(command.head().opaque()).isEqualTo(77);
        assertThat(command.head().remark()).isEqualTo("FOUND");
        assertThat(command.body()).hasSize(555);
        assertThat(command.extFields())
                .containsEntry("nextBeginOffset", "3")
                .containsEntry("suggestWhichBrokerId", "0");
    }

    @Test
    void writesTheSortedMembersStockPeersWrite() throws Exception {
        CommandHead head = CommandHead.response(16, 7, "no \"right\"", HeaderSerialization.JSON);
        HeaderBuffer out = new HeaderBuffer();
        FrameCodec.encodeFrameHead(out, head, sink -> sink.number("n", -5), 3);
        String text = new String(out.toByteArray(), 8, out.length() - 8, java.nio.charset.StandardCharsets.UTF_8);
        assertThat(text)
                .isEqualTo("{\"code\":16,\"extFields\":{\"n\":\"-5\"},\"flag\":1,\"language\":\"JAVA\",\"opaque\":7,"
                        + "\"remark\":\"no \\\"right\\\"\",\"version\":513}");
        RemotingCommand empty = new RemotingCommand(head, Map.of(), NO_BODY);
        assertThat(RemotingCommand.decode(empty.encode()).extFields()).isEmpty();
    }
}
