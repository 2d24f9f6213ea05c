package dev.perigee.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A vote file that is read otherwise than it was written would let a node vote twice. */
final class VoteTest {
    private static final Vote VOTE = new Vote(7, Optional.of("n1"));
    private static final String BEFORE_CHECKSUM = "50455249564f5431" + "00000007" + "00000002" + "6e31";

    @Test
    void bytesAreAsDrawn() {
        byte[] bytes = bytesOf(VOTE);

        assertThat(HexFormat.of().formatHex(bytes)).startsWith(BEFORE_CHECKSUM).hasSize(BEFORE_CHECKSUM.length() + 8);
    }

    @Test
    void whatIsWrittenIsRead() {
        assertThat(Vote.decode(VOTE.encode())).isEqualTo(VOTE);
        assertThat(Vote.decode(Vote.NONE.encode())).isEqualTo(Vote.NONE);
        assertThat(Vote.decode(new Vote(Integer.MAX_VALUE, Optional.of("ü".repeat(63))).encode()))
                .isEqualTo(new Vote(Integer.MAX_VALUE, Optional.of("ü".repeat(63))));
    }

    @Test
    void anyChangedBitIsRefused() {
        byte[] whole = bytesOf(VOTE);
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] damaged = whole.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatThrownBy(() -> Vote.decode(ByteBuffer.wrap(damaged)))
                    .as("bit %d", bit)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("vote");
        }
    }

    @Test
    void anyOtherLengthIsRefused() {
        byte[] whole = bytesOf(VOTE);
        for (int length = 0; length < whole.length; length++) {
            ByteBuffer torn = ByteBuffer.wrap(whole, 0, length);
            assertThatThrownBy(() -> Vote.decode(torn)).as("%d bytes", length).hasMessageContaining("vote");
        }
        assertThatThrownBy(() -> Vote.decode(ByteBuffer.allocate(4_096))).hasMessageContaining("vote");
    }

    private static byte[] bytesOf(Vote vote) {
        ByteBuffer encoded = vote.encode();
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return bytes;
    }
}
