package dev.perigee.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.CommandHead;
import dev.perigee.protocol.frame.FrameCodec;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.frame.Language;
import dev.perigee.protocol.frame.RemotingCommand;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.ForkHeader;
import dev.perigee.protocol.header.replica.HeldHeader;
import dev.perigee.protocol.header.replica.HelloAnswer;
import dev.perigee.protocol.header.replica.HelloHeader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The frames of docs/replication.md, byte for byte. */
class ReplicaHeadersTest {
    private static final HelloHeader HELLO =
            new HelloHeader("c", "b", 1, "a1", "ff", 3, "e3", 0, 4096, 2048, 1, 1, -7, 9, 8388608, true);
    private static final String HELLO_FIELDS =
            "\"clusterName\":\"c\",\"brokerName\":\"b\",\"brokerId\":\"1\",\"nodeId\":\"a1\","
                    + "\"logId\":\"ff\",\"lastEpoch\":\"3\",\"lastEpochId\":\"e3\",\"startOffset\":\"0\",\"endOffset\":\"4096\","
                    + "\"confirmOffset\":\"2048\",\"format\":\"1\",\"featureLevel\":\"1\",\"session\":\"-7\",\"run\":\"9\","
                    + "\"windowBytes\":\"8388608\",\"restoring\":\"true\"";
    private static final HelloAnswer HELLO_ANSWER =
            new HelloAnswer("c", "b", 0, "a2", "ff", 4, "e4", 1024, 8192, 4096, 1, 1, 65536);
    private static final String HELLO_ANSWER_FIELDS =
            "\"clusterName\":\"c\",\"brokerName\":\"b\",\"brokerId\":\"0\",\"nodeId\":\"a2\",\"logId\":\"ff\",\"epoch\":\"4\","
                    + "\"epochId\":\"e4\",\"startOffset\":\"1024\",\"endOffset\":\"8192\",\"confirmOffset\":\"4096\","
                    + "\"format\":\"1\",\"featureLevel\":\"1\",\"segmentSizeBytes\":\"65536\"";

    private static <H extends Record> Arguments frame(int code, HeaderCodec<H> codec, H header, String fields) {
        return Arguments.of(code, codec.writer(header), fields);
    }

    static Stream<Arguments> frames() {
        return Stream.of(
                frame(20_001, Rpcs.REPLICA_HELLO.request(), HELLO, HELLO_FIELDS),
                frame(20_001, Rpcs.REPLICA_HELLO.response(), HELLO_ANSWER, HELLO_ANSWER_FIELDS),
                frame(20_002, Rpcs.REPLICA_FORK.request(), new ForkHeader(-7, 3), "\"session\":\"-7\",\"epoch\":\"3\""),
                frame(
                        20_002,
                        Rpcs.REPLICA_FORK.response(),
                        new ForkAnswer(2, "e2", 1L << 40),
                        "\"epoch\":\"2\",\"epochId\":\"e2\",\"endOffset\":\"1099511627776\""),
                frame(
                        20_003,
                        Rpcs.REPLICA_FETCHED.request(),
                        new FetchedHeader(-7, 4, 3, 4096, 2048),
                        "\"session\":\"-7\",\"senderEpoch\":\"4\",\"epochBefore\":\"3\",\"offset\":\"4096\","
                                + "\"confirmOffset\":\"2048\""),
                frame(
                        20_004,
                        Rpcs.REPLICA_HELD.request(),
                        new HeldHeader(-7, 4, 8192),
                        "\"session\":\"-7\",\"epoch\":\"4\",\"endOffset\":\"8192\""),
                frame(
                        20_004,
                        Rpcs.REPLICA_HELD.request(),
                        new HeldHeader(-7, 4, 8192, true),
                        "\"session\":\"-7\",\"epoch\":\"4\",\"endOffset\":\"8192\",\"leaving\":\"true\""),
                frame(
                        20_006,
                        Rpcs.REPLICA_TAIL.request(),
                        new HeldHeader(-7, 4, 8192),
                        "\"session\":\"-7\",\"epoch\":\"4\",\"endOffset\":\"8192\""));
    }

    @ParameterizedTest
    @MethodSource("frames")
    void standsOnTheWireAsTheManualSays(
            int code, java.util.function.Consumer<dev.perigee.protocol.frame.FieldSink> fields, String expected)
            throws Exception {
        byte[] body = {1, 2, 3};
        CommandHead head =
                new CommandHead(code, Language.JAVA, 500, 9, CommandHead.ONEWAY, null, HeaderSerialization.JSON);
        byte[] frame = RemotingCommand.of(head, fields, body).encode();
        String header = "{\"code\":" + code + ",\"extFields\":{" + expected
                + "},\"flag\":2,\"language\":\"JAVA\",\"opaque\":9,\"version\":500}";
        int headerBytes = header.length();
        ByteBuffer wanted = ByteBuffer.allocate(FrameCodec.PREFIX_BYTES + headerBytes + body.length);
        wanted.putInt(FrameCodec.LENGTH_BYTES + headerBytes + body.length).putInt(headerBytes);
        wanted.put(header.getBytes(StandardCharsets.US_ASCII)).put(body);
        assertThat(new String(frame, StandardCharsets.ISO_8859_1))
                .isEqualTo(new String(wanted.array(), StandardCharsets.ISO_8859_1));
    }

    private static Map<String, String> parsed(String fields) {
        Map<String, String> map = new HashMap<>();
        for (String field : fields.replace("\"", "").split(",")) {
            map.put(field.substring(0, field.indexOf(':')), field.substring(field.indexOf(':') + 1));
        }
        return map;
    }

    private static <H> H decode(HeaderCodec<H> codec, Map<String, String> fields) throws BadFieldException {
        CommandHead head = CommandHead.request(1, 1, false, HeaderSerialization.JSON);
        return codec.decode(new RemotingCommand(head, fields, new byte[0]).fields());
    }

    static Stream<Arguments> codecs() {
        return Stream.of(
                Arguments.of(Rpcs.REPLICA_HELLO.request(), HELLO_FIELDS),
                Arguments.of(Rpcs.REPLICA_HELLO.response(), HELLO_ANSWER_FIELDS),
                Arguments.of(Rpcs.REPLICA_FORK.request(), "session:1,epoch:3"),
                Arguments.of(Rpcs.REPLICA_FORK.response(), "epoch:2,epochId:e2,endOffset:5"),
                Arguments.of(
                        Rpcs.REPLICA_FETCHED.request(),
                        "session:1,senderEpoch:4,epochBefore:3,offset:4096,confirmOffset:2048"),
                Arguments.of(Rpcs.REPLICA_HELD.request(), "session:1,epoch:4,endOffset:8192"));
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void namesTheFieldThatIsMissing(HeaderCodec<?> codec, String fields) throws Exception {
        assertThat(decode(codec, parsed(fields))).isNotNull();
        for (String field : List.copyOf(parsed(fields).keySet())) {
            Map<String, String> less = parsed(fields);
            less.remove(field);
            assertThatThrownBy(() -> decode(codec, less))
                    .isInstanceOf(BadFieldException.class)
                    .hasMessageContaining(field);
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void namesTheFieldThatIsNoNumber(HeaderCodec<?> codec, String fields) {
        List<String> texts =
                List.of("clusterName", "brokerName", "nodeId", "logId", "lastEpochId", "epochId", "restoring");
        for (String field : List.copyOf(parsed(fields).keySet())) {
            if (!texts.contains(field)) {
                for (String bad : List.of("", "x", "1.5", "99999999999999999999")) {
                    Map<String, String> wrong = parsed(fields);
                    wrong.put(field, bad);
                    assertThatThrownBy(() -> decode(codec, wrong))
                            .as("%s=%s", field, bad)
                            .isInstanceOf(BadFieldException.class)
                            .hasMessageContaining(field);
                }
            }
        }
    }

    @Test
    void passesOverFieldsOfLaterReleases() throws Exception {
        Map<String, String> more = parsed(HELLO_FIELDS);
        more.put("later", "1");
        assertThat(decode(Rpcs.REPLICA_HELLO.request(), more)).isEqualTo(HELLO);
    }
}
