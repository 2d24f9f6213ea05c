package dev.perigee.bench.jmh;

import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.property.PropertyText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** The message all benchmarks use: 1 KiB of noise, a tag, one key and a unique key, as a client sends it. */
public final class SampleFrames {
    /** The topic of all frames. */
    public static final String TOPIC = "bench";

    private static final int BODY_BYTES = 1024;
    private static final int SEED = 7;

    private SampleFrames() {}

    static byte[] body() {
        byte[] body = new byte[BODY_BYTES];
        new Random(SEED).nextBytes(body);
        return body;
    }

    /** The parts of message {@code number}, which its two keys name. */
    public static FrameDraft draft(int number) {
        String properties = "UNIQ_KEY\u0001" + String.format("7F0000010DC418B4AAC2157F%08X", number)
                + "\u0002KEYS\u0001order-" + number + "\u0002TAGS\u0001TagA\u0002WAIT\u0001true\u0002";
        return new FrameDraft()
                .topic(TOPIC.getBytes(StandardCharsets.UTF_8))
                .bornTimestampMs(1_790_000_000_000L)
                .body(ByteBuffer.wrap(body()))
                .properties(PropertyText.of(properties));
    }
}
