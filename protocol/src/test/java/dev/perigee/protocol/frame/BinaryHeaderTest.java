package dev.perigee.protocol.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BinaryHeaderTest {
    private static ByteBuffer head(int code, int remarkLength, int extra) {
        ByteBuffer header = ByteBuffer.allocate(17 + extra);
        header.putShort((short) code)
                .put((byte) 0)
                .putShort((short) 513)
                .putInt(1)
                .putInt(0)
                .putInt(remarkLength);
        return header;
    }

    private static FrameHeader decode(ByteBuffer header) throws MalformedFrameException {
        byte[] bytes = new byte[header.capacity()];
        header.get(0, bytes);
        return FrameCodec.decodeHeader(HeaderSerialization.BINARY, bytes, 0, bytes.length);
    }

    @ParameterizedTest
    @CsvSource({"200050,200050", "200056,200056", "200079,200079", "200151,200151", "310,310", "3441,3441", "3544,3544"
    })
    void readsTruncatedCodesAsWhatTheyStandFor(int written, int read) throws Exception {
        assertThat(decode(head(written, 0, 4)).code()).isEqualTo(read);
    }

    @Test
    void readsAnUnknownLanguageAsOther() throws Exception {
        ByteBuffer header = head(34, 0, 4);
        header.put(2, (byte) 77);
        assertThat(decode(header).language()).isEqualTo(Language.OTHER);
        header.put(2, (byte) -1);
        assertThat(decode(header).language()).isEqualTo(Language.OTHER);
    }

    @Test
    void passesOverEmptyKeysAndValues() throws Exception {
        ByteBuffer header = head(34, 0, 4 + 6 + 7 + 8);
        header.putInt(6 + 7 + 8);
        header.putShort((short) 0).putInt(0);
        header.putShort((short) 1).put((byte) 'a').putInt(0);
        header.putShort((short) 1).put((byte) 'b').putInt(1).put((byte) '1');
        assertThat(RemotingCommand.toMap(decode(header).fields())).containsExactly(Map.entry("b", "1"));
    }

    @Test
    void keepsRemarkAndFieldsThroughARoundTrip() throws Exception {
        CommandHead head = new CommandHead(
                1, Language.RUST, 513, -1, CommandHead.RESPONSE, "warum ä€", HeaderSerialization.BINARY);
        RemotingCommand command = new RemotingCommand(head, Map.of("k", "w€"), new byte[] {1});
        RemotingCommand read = RemotingCommand.decode(command.encode());
        assertThat(read.head()).isEqualTo(head);
        assertThat(read.extFields()).isEqualTo(command.extFields());
        assertThat(read.body()).isEqualTo(command.body());
    }

    @Test
    void refusesLengthsThatDoNotFit() {
        assertThatThrownBy(() -> decode(head(1, 0, 0))).hasMessageContaining("too short");
        assertThatThrownBy(() -> decode(head(1, 5, 4))).hasMessageContaining("remark of 5");
        assertThatThrownBy(() -> decode(head(1, -1, 4))).hasMessageContaining("remark of -1");
        assertThatThrownBy(() -> decode(head(1, 0, 4).putInt(9))).hasMessageContaining("map of 9");
        assertThatThrownBy(() -> decode(head(1, 0, 6).putInt(2).putShort((short) 40)))
                .hasMessageContaining("field name of 40");
        assertThatThrownBy(() -> decode(head(1, 0, 5).putInt(1))).hasMessageContaining("cut off");
        assertThatThrownBy(() -> decode(head(1, 0, 11)
                        .putInt(7)
                        .putShort((short) 1)
                        .put((byte) 'a')
                        .putInt(1 << 30)))
                .hasMessageContaining("field value of");
    }
}
