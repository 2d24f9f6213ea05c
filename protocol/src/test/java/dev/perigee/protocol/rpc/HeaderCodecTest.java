package dev.perigee.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.TestVectors;
import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.CommandHead;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.frame.RemotingCommand;
import dev.perigee.protocol.header.offset.BoundaryType;
import dev.perigee.protocol.header.offset.SearchOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.property.PropertyText;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderCodecTest {
    private static final byte[] NO_BODY = {};

    private static <H extends Record> H decode(HeaderCodec<H> codec, Map<String, String> fields)
            throws BadFieldException {
        CommandHead head = CommandHead.request(1, 1, false, HeaderSerialization.JSON);
        return codec.decode(new RemotingCommand(head, fields, NO_BODY).fields());
    }

    private static <H extends Record> H roundTrip(HeaderCodec<H> codec, H header, HeaderSerialization serialization)
            throws Exception {
        CommandHead head = CommandHead.request(1, 1, false, serialization);
        byte[] frame = RemotingCommand.of(head, codec.writer(header), NO_BODY).encode();
        return codec.decode(RemotingCommand.decode(frame).fields());
    }

    @Test
    void renamedFieldsKeepTheirDefaultsApartFromTheirNames() throws Exception {
        assertThat(decode(Rpcs.HEART_BEAT.response(), Map.of()).heartbeatV2()).isFalse();
        assertThat(decode(Rpcs.HEART_BEAT.response(), Map.of()).subscriptionChanged())
                .isTrue();
        assertThat(decode(Rpcs.HEART_BEAT.response(), Map.of("IS_SUPPORT_HEART_BEAT_V2", "true"))
                        .heartbeatV2())
                .isTrue();
        Map<String, String> query =
                Map.of("topic", "T", "key", "k", "maxNum", "1", "beginTimestamp", "0", "endTimestamp", "1");
        assertThat(decode(Rpcs.QUERY_MESSAGE.request(), query).uniqueKey()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"03-send-message-v2-json", "03-send-message-v2-binary"})
    void readsTheSendOfAStockClient(String vector) throws Exception {
        RemotingCommand command = RemotingCommand.decode(TestVectors.bytes(vector));
        SendMessageHeader header = Rpcs.SEND_MESSAGE_V2.request().decode(command.fields());
        assertThat(header)
                .isEqualTo(new SendMessageHeader(
                        "demo_producer",
                        "DemoTopic",
                        "TBW102",
                        4,
                        2,
                        0,
                        1_760_000_000_000L,
                        0,
                        header.properties(),
                        0,
                        false,
                        -1,
                        false,
                        "broker-a"));
        PropertyText properties = header.properties();
        assertThat(properties == null ? Map.of() : properties.toMap())
                .containsEntry("KEYS", "order-1 order-2")
                .containsEntry("color", "blue")
                .hasSize(5);
    }

    @Test
    void writesTheSendByteForByteAsTheStockClient() throws Exception {
        byte[] frame = TestVectors.bytes("03-send-message-v2-binary");
        RemotingCommand command = RemotingCommand.decode(frame);
        SendMessageHeader header = Rpcs.SEND_MESSAGE_V2.request().decode(command.fields());
        byte[] written = RemotingCommand.of(
                        command.head(), Rpcs.SEND_MESSAGE_V2.request().writer(header), command.body())
                .encode();
        assertThat(written).isEqualTo(frame);
    }

    @ParameterizedTest
    @EnumSource
    void sharesTheSendHeaderBetweenLongAndShortNames(HeaderSerialization serialization) throws Exception {
        SendMessageHeader header = new SendMessageHeader(
                "g",
                "t",
                "TBW102",
                4,
                -1,
                3,
                Long.MAX_VALUE,
                Integer.MIN_VALUE,
                PropertyText.of("a\u0001b\u0002"),
                2,
                true,
                16,
                true,
                null);
        assertThat(roundTrip(Rpcs.SEND_MESSAGE.request(), header, serialization))
                .isEqualTo(header);
        assertThat(roundTrip(Rpcs.SEND_MESSAGE_V2.request(), header, serialization))
                .isEqualTo(header);
    }

    @Test
    void namesTheMissingFieldOfASend() {
        Map<String, String> fields = new HashMap<>(Map.of("a", "g", "b", "t", "c", "x", "d", "4"));
        fields.putAll(Map.of("f", "0", "g", "1", "h", "0"));
        assertThatThrownBy(() -> decode(Rpcs.SEND_MESSAGE_V2.request(), fields))
                .isInstanceOf(BadFieldException.class)
                .hasMessage("header field 'e' is missing");
        fields.put("e", "x1");
        assertThatThrownBy(() -> decode(Rpcs.SEND_MESSAGE_V2.request(), fields)).hasMessageContaining("'x1'");
    }

    @ParameterizedTest
    @EnumSource
    void writesOnlyRegionAndTraceForARefusedSend(HeaderSerialization serialization) throws Exception {
        SendMessageResponse refused = new SendMessageResponse(null, 0, 0, null, null, null, "DefaultRegion", "true");
        HeaderCodec<SendMessageResponse> codec = Rpcs.SEND_MESSAGE_V2.response();
        assertThat(RemotingCommand.toMap(codec.writer(refused)))
                .containsExactly(Map.entry("MSG_REGION", "DefaultRegion"), Map.entry("TRACE_ON", "true"));
        assertThat(roundTrip(codec, refused, serialization)).isEqualTo(refused);
        SendMessageResponse stored = new SendMessageResponse("0A", 3, 9, "tx", null, null, "r", "false");
        assertThat(roundTrip(codec, stored, serialization)).isEqualTo(stored);
    }

    @ParameterizedTest
    @EnumSource
    void keepsAPullThroughARoundTrip(HeaderSerialization serialization) throws Exception {
        PullMessageHeader header =
                new PullMessageHeader("g", "t", 1, 2, 32, 7, 3, 15000, "*", 4, "TAG", 262144, 0, null, "broker-a");
        assertThat(roundTrip(Rpcs.PULL_MESSAGE.request(), header, serialization))
                .isEqualTo(header);
    }

    @Test
    void readsTheAnswerOfAStockPull() throws Exception {
        RemotingCommand command = RemotingCommand.decode(TestVectors.bytes("08-pull-response-frame"));
        var header = Rpcs.PULL_MESSAGE.response().decode(command.fields());
        assertThat(header.nextBeginOffset()).isEqualTo(3);
        assertThat(header.maxOffset()).isEqualTo(3);
        assertThat(header.topicSysFlag()).isZero();
        assertThat(header.offsetDelta()).isNull();
    }

    @Test
    void takesDefaultsAndNullsForAbsentFields() throws Exception {
        SearchOffsetHeader header = decode(
                Rpcs.SEARCH_OFFSET_BY_TIMESTAMP.request(), Map.of("topic", "t", "queueId", "0", "timestamp", "5"));
        assertThat(header.boundaryType()).isEqualTo(BoundaryType.LOWER);
        assertThat(decode(
                                Rpcs.SEARCH_OFFSET_BY_TIMESTAMP.request(),
                                Map.of("topic", "t", "queueId", "0", "timestamp", "5", "boundaryType", "upper"))
                        .boundaryType())
                .isEqualTo(BoundaryType.UPPER);
        assertThat(decode(
                                Rpcs.SEARCH_OFFSET_BY_TIMESTAMP.request(),
                                Map.of("topic", "t", "queueId", "0", "timestamp", "5", "boundaryType", "middle"))
                        .boundaryType())
                .isEqualTo(BoundaryType.LOWER);
        assertThat(decode(Rpcs.GET_MAX_OFFSET.request(), Map.of("topic", "t", "queueId", "0"))
                        .committed())
                .isTrue();
        assertThat(decode(Rpcs.GET_KV_CONFIG.response(), Map.of()).value()).isNull();
    }

    @Test
    void namesTheMissingFieldOfAnyRecord() {
        assertThatThrownBy(() -> decode(Rpcs.GET_MAX_OFFSET.request(), Map.of("queueId", "0")))
                .hasMessage("header field 'topic' is missing");
        assertThatThrownBy(() -> decode(Rpcs.GET_MAX_OFFSET.request(), Map.of("topic", "t")))
                .hasMessage("header field 'queueId' is missing");
    }

    @Test
    void usesTheWireNamesOfKeys() {
        var codec = Rpcs.UNREGISTER_CLIENT.request();
        assertThat(RemotingCommand.toMap(
                        codec.writer(new dev.perigee.protocol.header.client.UnregisterClientHeader("id", null, "g"))))
                .containsExactly(Map.entry("clientID", "id"), Map.entry("consumerGroup", "g"));
    }

    @Test
    void knowsTheNamesOfCodes() {
        assertThat(Rpcs.HEART_BEAT).hasToString("HEART_BEAT(34)");
        assertThat(CodeNames.request(4711)).isEqualTo("REQUEST_4711");
        assertThat(CodeNames.response(ResponseCode.TOPIC_NOT_EXIST)).isEqualTo("TOPIC_NOT_EXIST");
    }

    @Test
    void preparingReadsTheRecordsOfBothHeadersNow() {
        HeaderCodec<NoHeader> sound = RecordHeaderCodec.of(NoHeader.class);
        HeaderCodec<Hidden> hidden = RecordHeaderCodec.of(Hidden.class);

        new Rpc<>(1, "sound", sound, sound).prepare();
        assertThatThrownBy(new Rpc<>(1, "of a hidden request", hidden, sound)::prepare)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Hidden");
        assertThatThrownBy(new Rpc<>(1, "of a hidden response", sound, hidden)::prepare)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Hidden");
    }

    /** No header: not public. */
    record Hidden(int number) {}
}
