package dev.perigee.store.view;

import dev.perigee.loop.OwnedBy;
import org.jspecify.annotations.Nullable;

/**
 * Turns the topic bytes of frames into one shared object per name without allocating. Holds at most {@value
 * #MAX_TOPICS} names; beyond that it starts anew.
 */
@OwnedBy("its LogEntry")
final class TopicInterner {
    static final int MAX_TOPICS = 1 << 16;
    private static final int FIRST_SLOTS = 256;

    private @Nullable LogTopic[] slots = new @Nullable LogTopic[FIRST_SLOTS];
    private int size;

    LogTopic intern(byte[] source, int from, int length) {
        int hash = LogTopic.hash(source, from, from + length, 0);
        int mask = slots.length - 1;
        int at = spread(hash) & mask;
        for (LogTopic known = slots[at]; known != null; known = slots[at]) {
            if (known.byteHash() == hash && known.isAt(source, from, length)) {
                return known;
            }
            at = (at + 1) & mask;
        }
        return add(LogTopic.copyOf(source, from, length));
    }

    private LogTopic add(LogTopic topic) {
        if (size >= MAX_TOPICS) {
            slots = new @Nullable LogTopic[FIRST_SLOTS];
            size = 0;
        } else if (size * 2 >= slots.length) {
            grow();
        }
        insert(slots, topic);
        size++;
        return topic;
    }

    private void grow() {
        @Nullable LogTopic[] larger = new @Nullable LogTopic[slots.length * 2];
        for (LogTopic topic : slots) {
            if (topic != null) {
                insert(larger, topic);
            }
        }
        slots = larger;
    }

    private static void insert(@Nullable LogTopic[] slots, LogTopic topic) {
        int mask = slots.length - 1;
        int at = spread(topic.byteHash()) & mask;
        while (slots[at] != null) {
            at = (at + 1) & mask;
        }
        slots[at] = topic;
    }

    private static int spread(int hash) {
        int mixed = hash * 0x9E3779B9;
        return mixed ^ (mixed >>> 16);
    }
}
