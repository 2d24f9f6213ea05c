package dev.perigee.broker.filter;

import dev.perigee.loop.ThreadSafe;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Values by text, up to a number and a size. A hit takes no lock. When there is no room, a hand goes round and drops the first value
 * that was not asked for since it last came by.
 */
@ThreadSafe
final class ClockCache<V> {
    private static final class Entry<V> {
        private final String key;
        private final V value;
        private final long sizeBytes;
        private volatile boolean used;

        Entry(String key, V value, long sizeBytes) {
            this.key = key;
            this.value = value;
            this.sizeBytes = sizeBytes;
        }
    }

    private final int maxEntries;
    private final long maxBytes;
    private final ConcurrentHashMap<String, Entry<V>> entries = new ConcurrentHashMap<>();
    /** In the order of the hand. Guarded by this, with {@link #bytes}: entries come rarely, and a loop of its own would be no simpler. */
    private final ArrayDeque<Entry<V>> hand = new ArrayDeque<>();

    private long bytes;

    ClockCache(int maxEntries, long maxBytes) {
        this.maxEntries = maxEntries;
        this.maxBytes = maxBytes;
    }

    /** The value of this text; null when it is not here. */
    @Nullable
    V get(String key) {
        Entry<V> entry = entries.get(key);
        if (entry == null) {
            return null;
        }
        if (!entry.used) {
            entry.used = true; // written once per round of the hand, not at every hit
        }
        return entry.value;
    }

    /** Keeps a value, unless it is larger than all there is room for, or another thread has brought it meanwhile. */
    synchronized void put(String key, V value, long sizeBytes) { // guards hand and bytes
        if (sizeBytes > maxBytes || entries.containsKey(key)) {
            return;
        }
        while (hand.size() >= maxEntries || bytes + sizeBytes > maxBytes) {
            dropOne();
        }
        Entry<V> entry = new Entry<>(key, value, sizeBytes);
        entries.put(key, entry);
        hand.addLast(entry);
        bytes += sizeBytes;
    }

    private void dropOne() {
        Entry<V> next = hand.removeFirst();
        if (next.used) {
            next.used = false;
            hand.addLast(next);
        } else {
            entries.remove(next.key);
            bytes -= next.sizeBytes;
        }
    }

    int size() {
        return entries.size();
    }

    synchronized long sizeBytes() { // guards bytes
        return bytes;
    }
}
