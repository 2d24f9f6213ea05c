package dev.perigee.store.index;

import dev.perigee.store.view.LogTopic;
import java.nio.charset.StandardCharsets;

/** The hash of {@code topic#key}, over the bytes as they stand in the frame. */
final class KeyHash {
    private static final byte[] BETWEEN = {'#'};
    private static final int MIX_1 = 0x85EBCA6B;
    private static final int MIX_2 = 0xC2B2AE35;

    private KeyHash() {}

    static int of(LogTopic topic, byte[] source, int from, int to) {
        int hash = LogTopic.hash(BETWEEN, 0, BETWEEN.length, topic.byteHash());
        return mix(LogTopic.hash(source, from, to, hash));
    }

    static int of(String topic, String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        return of(LogTopic.of(topic), bytes, 0, bytes.length);
    }

    /** Spreads what differs in any bit over the low bits that choose a slot. */
    private static int mix(int hash) {
        int mixed = (hash ^ hash >>> 16) * MIX_1;
        mixed = (mixed ^ mixed >>> 13) * MIX_2;
        return mixed ^ mixed >>> 16;
    }
}
