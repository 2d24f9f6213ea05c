package dev.perigee.client.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.protocol.message.CompressionType;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class BodyCodecTest {
    private static final FailureSite SITE = new FailureSite("10.0.0.1:10911", "T", 2, 1_234);

    private final BodyCodec codec = new BodyCodec(100_000);

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void inflatesWhatItCompressed(CompressionType type) throws Exception {
        byte[] body = new byte[50_000];
        new Random(3).nextBytes(body);
        Arrays.fill(body, 10_000, 40_000, (byte) 'x');
        byte[] compressed = codec.compress(type, body, 5, SITE);
        assertThat(compressed.length).isLessThan(body.length);
        assertThat(codec.inflate(type, compressed, SITE)).isEqualTo(body);
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void refusesABodyThatInflatesBeyondTheLimit(CompressionType type) throws Exception {
        byte[] bomb = codec.compress(type, new byte[1_000_000], 9, SITE);
        assertThatThrownBy(() -> codec.inflate(type, bomb, SITE))
                .isInstanceOf(MalformedAnswerException.class)
                .hasMessageContaining("100000 bytes")
                .hasMessageContaining(SITE.toString());
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void refusesBytesThatAreNotOfTheType(CompressionType type) {
        assertThatThrownBy(() -> codec.inflate(
                        type, "plain text, for sure".getBytes(java.nio.charset.StandardCharsets.US_ASCII), SITE))
                .isInstanceOf(MalformedAnswerException.class);
    }
}
