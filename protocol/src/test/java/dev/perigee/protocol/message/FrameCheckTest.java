package dev.perigee.protocol.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.TestVectors;
import dev.perigee.protocol.property.PropertyText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameCheckTest {
    private static final int EPOCH = 0xCAFE0001;

    private static ByteBuffer stamped(Random random) {
        byte[] body = new byte[random.nextInt(200)];
        random.nextBytes(body);
        boolean v6 = random.nextBoolean();
        FrameDraft draft = new FrameDraft()
                .topic("t".repeat(1 + random.nextInt(200)).getBytes(StandardCharsets.UTF_8))
                .queueId(random.nextInt(8))
                .bornTimestampMs(random.nextLong())
                .bornHost(new byte[v6 ? HostBytes.V6_BYTES : HostBytes.V4_BYTES])
                .storeHost(new byte[random.nextBoolean() ? HostBytes.V6_BYTES : HostBytes.V4_BYTES])
                .body(ByteBuffer.wrap(body))
                .properties(PropertyText.of(random.nextBoolean() ? "" : "TAGS\u0001tag" + random.nextInt(100)));
        ByteBuffer out = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(out);
        out.flip();
        MessageFrame.patchQueueOffset(out, 0, random.nextLong());
        MessageFrame.patchPhysicalOffset(out, 0, random.nextLong());
        MessageFrame.patchStoreTimestamp(out, 0, random.nextLong());
        FrameStamp.write(out, 0, out.limit(), EPOCH, random.nextBoolean());
        return out;
    }

    @Test
    void findsAStampedFrameSoundAndReadsItsStamp() {
        for (int seed = 0; seed < 500; seed++) {
            ByteBuffer frame = stamped(new Random(seed));
            assertThat(FrameCheck.of(frame, 0, frame.limit(), true))
                    .as("seed %s", seed)
                    .isEqualTo(FrameCheck.SOUND);
            MessageFrame read = new MessageFrame().wrap(frame, 0);
            assertThat(read.isStamped()).isTrue();
            assertThat(read.epoch()).isEqualTo(EPOCH);
            assertThat(read.property("__STAMP#")).hasSize(17).startsWith("cafe0001");
            assertThat(MessageDecoder.decode(read, "b").properties()).doesNotContainKey("__STAMP#");
        }
    }

    @Test
    void tellsWhetherAUnitContinues() {
        ByteBuffer frame = stamped(new Random(1));
        FrameStamp.write(frame, 0, frame.limit(), 7, true);
        assertThat(new MessageFrame().wrap(frame, 0).unitContinues()).isTrue();
        FrameStamp.write(frame, 0, frame.limit(), 7, false);
        assertThat(new MessageFrame().wrap(frame, 0).unitContinues()).isFalse();
        assertThat(FrameCheck.of(frame, 0, frame.limit(), true)).isEqualTo(FrameCheck.SOUND);
    }

    @Test
    void looksAtLengthsAloneWhereNoChecksumIsAskedFor() {
        ByteBuffer frame = stamped(new Random(3));
        int inBody = MessageFrame.bodyLengthAt(frame.getInt(MessageFrame.SYS_FLAG_AT)) + Integer.BYTES;
        frame.put(inBody, (byte) ~frame.get(inBody));
        assertThat(FrameCheck.of(frame, 0, frame.limit(), false)).isEqualTo(FrameCheck.SOUND);
        assertThat(FrameCheck.of(frame, 0, frame.limit(), true)).isEqualTo(FrameCheck.BAD_BODY);
        frame.putInt(inBody - Integer.BYTES, frame.getInt(inBody - Integer.BYTES) + 1);
        assertThat(FrameCheck.of(frame, 0, frame.limit(), false)).isEqualTo(FrameCheck.BAD_LENGTH);
    }

    @Test
    void noticesEveryFlippedBit() {
        ByteBuffer frame = stamped(new Random(3));
        for (int at = 0; at < frame.limit(); at++) {
            byte original = frame.get(at);
            for (int bit = 0; bit < 8; bit++) {
                frame.put(at, (byte) (original ^ 1 << bit));
                FrameCheck check = FrameCheck.of(frame, 0, frame.limit(), true);
                assertThat(check).as("byte %s bit %s", at, bit).isNotEqualTo(FrameCheck.SOUND);
            }
            frame.put(at, original);
        }
    }

    @Test
    void noticesATearAtEveryByte() {
        ByteBuffer whole = stamped(new Random(4));
        for (int kept = 0; kept < whole.limit(); kept++) {
            assertThat(FrameCheck.of(whole, 0, kept, true).isSound()).isFalse();
            ByteBuffer zeroed = ByteBuffer.allocate(whole.limit());
            zeroed.put(0, whole, 0, kept);
            assertThat(FrameCheck.of(zeroed, 0, zeroed.limit(), true))
                    .as("kept %s", kept)
                    .isNotEqualTo(FrameCheck.SOUND);
        }
    }

    @Test
    void neverThrowsForAnyBytes() {
        byte[] stock = TestVectors.bytes("05-stored-v1-ipv4");
        for (int seed = 0; seed < 50_000; seed++) {
            Random random = new Random(seed);
            ByteBuffer buffer = ByteBuffer.wrap(stock.clone());
            for (int i = 0; i < 1 + random.nextInt(3); i++) {
                buffer.put(random.nextInt(stock.length), (byte) random.nextInt());
            }
            buffer.limit(random.nextInt(stock.length + 1));
            FrameCheck check = FrameCheck.of(buffer, 0, buffer.limit(), true);
            assertThat(check).isNotNull();
            try {
                MessageDecoder.decodeAll(buffer, "b");
            } catch (MalformedMessageException e) {
                assertThat(e).hasMessageContaining("no message at byte");
            }
        }
    }

    @Test
    void tellsZeroesFromGarbage() {
        assertThat(FrameCheck.of(ByteBuffer.allocate(100), 0, 100, true)).isEqualTo(FrameCheck.ABSENT);
        assertThat(FrameCheck.of(ByteBuffer.allocate(100).putInt(4, 7), 0, 100, true))
                .isEqualTo(FrameCheck.BAD_MAGIC);
        assertThat(FrameCheck.of(ByteBuffer.allocate(100), 0, 7, true)).isEqualTo(FrameCheck.CUT_OFF);
    }

    @Test
    void readsTheTagHashOfAnyTextAsJavaDoes() {
        for (String tag : new String[] {"TagA", "标签", "é", "x".repeat(1000)}) {
            FrameDraft draft =
                    new FrameDraft().topic(new byte[] {'t'}).properties(PropertyText.of("TAGS\u0001" + tag + "\u0002"));
            ByteBuffer out = ByteBuffer.allocate(draft.sizeBytes());
            draft.writeTo(out);
            assertThat(new MessageFrame().wrap(out, 0).tagHash()).isEqualTo(tag.hashCode());
        }
    }

    @Test
    void countsTheStampAgainstTheLimitOfProperties() {
        int room = dev.perigee.protocol.property.MessageProperties.MAX_BYTES - FrameStamp.BYTES;
        String value = "v".repeat(room - 3);
        FrameDraft fits =
                new FrameDraft().topic(new byte[] {'t'}).properties(PropertyText.of("k\u0001" + value + "\u0002"));
        ByteBuffer out = ByteBuffer.allocate(fits.sizeBytes());
        fits.writeTo(out);
        assertThat(FrameCheck.of(out, 0, out.limit(), true).isSound()).isFalse();
        FrameStamp.write(out, 0, out.limit(), 1, false);
        assertThat(FrameCheck.of(out, 0, out.limit(), true)).isEqualTo(FrameCheck.SOUND);

        FrameDraft tooLong =
                new FrameDraft().topic(new byte[] {'t'}).properties(PropertyText.of("k\u0001" + value + "v\u0002"));
        assertThat(tooLong.storedPropertiesBytes()).isGreaterThan(Short.MAX_VALUE);
        org.assertj.core.api.Assertions.assertThatThrownBy(
                        () -> tooLong.writeTo(ByteBuffer.allocate(tooLong.sizeBytes())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("32767");
    }
}
