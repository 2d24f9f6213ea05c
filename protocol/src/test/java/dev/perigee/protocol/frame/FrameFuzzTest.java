package dev.perigee.protocol.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.perigee.protocol.TestVectors;
import dev.perigee.protocol.rpc.Rpcs;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameFuzzTest {
    private static final int ROUNDS = 5_000;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "01-request-frame-json",
                "02-request-frame-binary",
                "03-send-message-v2-json",
                "03-send-message-v2-binary",
                "08-pull-response-frame"
            })
    void answersDamagedFramesOnlyWithDeclaredExceptions(String vector) {
        byte[] original = TestVectors.bytes(vector);
        int malformed = 0;
        for (int seed = 0; seed < ROUNDS; seed++) {
            byte[] frame = damage(original, new Random(seed));
            try {
                FrameHeader header = header(frame);
                RemotingCommand.toMap(header.fields());
                Rpcs.SEND_MESSAGE_V2.request().decode(header.fields());
                Rpcs.PULL_MESSAGE.response().decode(header.fields());
                Rpcs.GET_ROUTEINFO_BY_TOPIC.request().decode(header.fields());
            } catch (MalformedFrameException e) {
                malformed++;
            } catch (BadFieldException e) {
                assertThat(e).hasMessageContaining("header field");
            } catch (RuntimeException | Error e) {
                fail("seed " + seed, e);
            }
        }
        assertThat(malformed).isPositive();
    }

    private static FrameHeader header(byte[] frame) throws MalformedFrameException {
        if (frame.length < FrameCodec.PREFIX_BYTES) {
            throw new MalformedFrameException("short");
        }
        int typeAndLength = dev.perigee.protocol.scan.BigEndian.getInt(frame, 4);
        int headerLength = Math.min(FrameCodec.headerLengthOf(typeAndLength), frame.length - FrameCodec.PREFIX_BYTES);
        return FrameCodec.decodeHeader(
                FrameCodec.serializationOf(typeAndLength), frame, FrameCodec.PREFIX_BYTES, headerLength);
    }

    private static byte[] damage(byte[] original, Random random) {
        byte[] frame = original.clone();
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(frame.length);
            switch (random.nextInt(3)) {
                case 0 -> frame[at] = (byte) random.nextInt(256);
                case 1 -> frame[at] ^= (byte) (1 << random.nextInt(8));
                default -> frame = java.util.Arrays.copyOf(frame, Math.max(1, at));
            }
        }
        return frame;
    }
}
