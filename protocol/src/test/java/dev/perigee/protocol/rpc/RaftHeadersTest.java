package dev.perigee.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.CommandHead;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.frame.FrameCodec;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.frame.Language;
import dev.perigee.protocol.frame.RemotingCommand;
import dev.perigee.protocol.header.raft.RaftHelloAnswer;
import dev.perigee.protocol.header.raft.RaftHelloHeader;
import dev.perigee.protocol.header.raft.RaftLeadHeader;
import dev.perigee.protocol.header.raft.RaftLedHeader;
import dev.perigee.protocol.header.raft.RaftPeerAnswer;
import dev.perigee.protocol.header.raft.RaftPeerHeader;
import dev.perigee.protocol.header.raft.RaftTransferHeader;
import dev.perigee.protocol.header.raft.RaftVoteHeader;
import dev.perigee.protocol.header.raft.RaftVotedHeader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The frames of a group in docs/replication.md, byte for byte. */
class RaftHeadersTest {
    private static final String PAIR = "\"group\":\"g\",\"from\":\"n0\",\"to\":\"n1\",\"term\":\"3\"";

    private record Frame(
            int code, @Nullable Consumer<FieldSink> written, HeaderCodec<?> codec, Record header, String fields) {
        private static <H extends Record> Frame of(int code, HeaderCodec<H> codec, H header, String fields) {
            return new Frame(code, codec.writer(header), codec, header, fields);
        }
    }

    static Stream<Arguments> frames() {
        return Stream.of(
                        Frame.of(
                                20_011,
                                Rpcs.RAFT_VOTE.request(),
                                new RaftVoteHeader("g", "n0", "n1", 3, "PRE", "SILENCE", 2, 4096, "n0"),
                                PAIR
                                        + ",\"phase\":\"PRE\",\"reason\":\"SILENCE\",\"lastEpoch\":\"2\",\"endOffset\":\"4096\",\"begins\":\"n0\""),
                        Frame.of(
                                20_012,
                                Rpcs.RAFT_VOTED.request(),
                                new RaftVotedHeader("g", "n0", "n1", 3, "REAL", true, "a1", false, 2, 4096, 1, 512),
                                PAIR
                                        + ",\"phase\":\"REAL\",\"granted\":\"true\",\"nodeId\":\"a1\",\"restoring\":\"false\","
                                        + "\"lastEpoch\":\"2\",\"endOffset\":\"4096\",\"askedEpoch\":\"1\",\"askedOffset\":\"512\""),
                        Frame.of(
                                20_013,
                                Rpcs.RAFT_LEAD.request(),
                                new RaftLeadHeader("g", "n0", "n1", 3, -7, 77, "h:1"),
                                PAIR + ",\"session\":\"-7\",\"saidMs\":\"77\",\"address\":\"h:1\""),
                        Frame.of(
                                20_014,
                                Rpcs.RAFT_LED.request(),
                                new RaftLedHeader("g", "n0", "n1", 3, -7, 8192, 77, "a1"),
                                PAIR
                                        + ",\"session\":\"-7\",\"heldOffset\":\"8192\",\"saidMs\":\"77\",\"nodeId\":\"a1\""),
                        Frame.of(
                                20_015, Rpcs.RAFT_TRANSFER.request(), new RaftTransferHeader("g", "n0", "n1", 3), PAIR),
                        Frame.of(
                                20_016,
                                Rpcs.RAFT_HELLO.request(),
                                new RaftHelloHeader(
                                        "g", "n0", "n1", 3, -7, 9, "a1", true, "ff", 2, "e2", 4096, 1, 1, 8388608),
                                PAIR
                                        + ",\"session\":\"-7\",\"run\":\"9\",\"nodeId\":\"a1\",\"restoring\":\"true\",\"logId\":\"ff\","
                                        + "\"lastEpoch\":\"2\",\"lastEpochId\":\"e2\",\"endOffset\":\"4096\",\"format\":\"1\","
                                        + "\"featureLevel\":\"1\",\"windowBytes\":\"8388608\""),
                        Frame.of(
                                20_016,
                                Rpcs.RAFT_HELLO.response(),
                                new RaftHelloAnswer(3, true, "ff", 1024, 8192, 1, 1),
                                "\"term\":\"3\",\"lastResort\":\"true\",\"logId\":\"ff\",\"startOffset\":\"1024\","
                                        + "\"endOffset\":\"8192\",\"format\":\"1\",\"featureLevel\":\"1\""),
                        Frame.of(
                                20_019,
                                Rpcs.RAFT_PEER.request(),
                                new RaftPeerHeader("g", "n0", "a1", 9),
                                "\"group\":\"g\",\"from\":\"n0\",\"nodeId\":\"a1\",\"run\":\"9\""),
                        Frame.of(
                                20_019,
                                Rpcs.RAFT_PEER.response(),
                                new RaftPeerAnswer("c", "b", "g", "n1", "a2", 8, 1, 1, true, "ff", "a1", "-"),
                                "\"cluster\":\"c\",\"broker\":\"b\",\"group\":\"g\",\"self\":\"n1\",\"nodeId\":\"a2\","
                                        + "\"run\":\"8\",\"format\":\"1\",\"featureLevel\":\"1\",\"leads\":\"true\",\"logId\":\"ff\","
                                        + "\"memberNodeId\":\"a1\",\"other\":\"-\""))
                .map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("frames")
    void standsOnTheWireAsTheManualSays(Frame frame) throws Exception {
        CommandHead head = new CommandHead(
                frame.code(), Language.JAVA, 500, 9, CommandHead.ONEWAY, null, HeaderSerialization.JSON);
        byte[] bytes = RemotingCommand.of(head, frame.written(), new byte[0]).encode();
        String header = "{\"code\":" + frame.code() + ",\"extFields\":{" + frame.fields()
                + "},\"flag\":2,\"language\":\"JAVA\",\"opaque\":9,\"version\":500}";
        ByteBuffer wanted = ByteBuffer.allocate(FrameCodec.PREFIX_BYTES + header.length());
        wanted.putInt(FrameCodec.LENGTH_BYTES + header.length()).putInt(header.length());
        wanted.put(header.getBytes(StandardCharsets.US_ASCII));
        assertThat(new String(bytes, StandardCharsets.ISO_8859_1))
                .isEqualTo(new String(wanted.array(), StandardCharsets.ISO_8859_1));
    }

    @ParameterizedTest
    @MethodSource("frames")
    void isReadAsItWasWrittenAndNamesTheFieldThatIsMissing(Frame frame) throws Exception {
        Map<String, String> fields = new HashMap<>();
        for (String field : frame.fields().replace("\"", "").split(",")) {
            fields.put(field.substring(0, field.indexOf(':')), field.substring(field.indexOf(':') + 1));
        }
        assertThat(decode(frame.codec(), fields)).isEqualTo(frame.header());
        for (String field : List.copyOf(fields.keySet())) {
            Map<String, String> less = new HashMap<>(fields);
            less.remove(field);
            assertThatThrownBy(() -> decode(frame.codec(), less))
                    .isInstanceOf(BadFieldException.class)
                    .hasMessageContaining(field);
        }
    }

    private static Object decode(HeaderCodec<?> codec, Map<String, String> fields) throws BadFieldException {
        CommandHead head = CommandHead.request(1, 1, false, HeaderSerialization.JSON);
        return codec.decode(new RemotingCommand(head, fields, new byte[0]).fields());
    }
}
