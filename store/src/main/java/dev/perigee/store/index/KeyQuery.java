package dev.perigee.store.index;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.PropertyScan;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Decides whether a frame is one asked for: topic and key text as they stand in it, so that equal hashes of different keys
 * answer nothing wrong (check K05).
 */
@OwnedBy("one query")
final class KeyQuery {
    private static final byte BLANK = ' ';

    private final String topic;
    private final byte[] key;
    private final long beginMs;
    private final long endMs;
    private boolean matched;

    KeyQuery(String topic, String key, long beginMs, long endMs) {
        this.topic = topic;
        this.key = key.getBytes(StandardCharsets.UTF_8);
        this.beginMs = beginMs;
        this.endMs = endMs;
    }

    void look(LogEntry entry) {
        long timeMs = entry.storeTimestampMs();
        matched = timeMs >= beginMs && timeMs <= endMs && topic.equals(entry.topic()) && hasKey(entry.properties());
    }

    /** Whether the last frame looked at is one; once. */
    boolean takeMatched() {
        boolean answer = matched;
        matched = false;
        return answer;
    }

    private boolean hasKey(PropertyScan properties) {
        byte[] bytes = properties.bytes();
        if (isKey(bytes, properties.uniqueKeyFrom(), properties.uniqueKeyTo())) {
            return true;
        }
        int from = properties.keysFrom();
        int end = properties.keysTo();
        while (from < end) {
            int to = endOfKey(bytes, from, end);
            if (isKey(bytes, from, to)) {
                return true;
            }
            from = to + 1;
        }
        return false;
    }

    private boolean isKey(byte[] bytes, int from, int to) {
        return to > from && Arrays.equals(key, 0, key.length, bytes, from, to);
    }

    /** The place of the next blank, or the end. */
    static int endOfKey(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && bytes[at] != BLANK) {
            at++;
        }
        return at;
    }
}
