package dev.perigee.protocol.message;

import dev.perigee.loop.OwnedBy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Gives the same string for the same topic bytes, most of the time: a table of fixed size in which a newer topic replaces
 * an older one of the same slot. Keep one per thread.
 */
@OwnedBy("one thread at a time")
public final class TopicInterner {
    private static final int SLOTS = 4096;

    private final byte[] @Nullable [] keys = new byte[SLOTS] @Nullable [];
    private final @Nullable String[] topics = new @Nullable String[SLOTS];

    String intern(ByteBuffer buffer, int at, int length) {
        int hash = length;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + buffer.get(at + i);
        }
        int slot = (hash ^ hash >>> 15) & (SLOTS - 1);
        byte[] key = keys[slot];
        String topic = topics[slot];
        if (key != null && topic != null && isSame(key, buffer, at, length)) {
            return topic;
        }
        byte[] utf8 = new byte[length];
        buffer.get(at, utf8);
        String made = new String(utf8, StandardCharsets.UTF_8);
        keys[slot] = utf8;
        topics[slot] = made;
        return made;
    }

    private static boolean isSame(byte[] key, ByteBuffer buffer, int at, int length) {
        if (key.length != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (key[i] != buffer.get(at + i)) {
                return false;
            }
        }
        return true;
    }
}
