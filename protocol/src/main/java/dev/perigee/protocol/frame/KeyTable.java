package dev.perigee.protocol.frame;

import com.alibaba.fastjson2.util.Fnv;
import dev.perigee.loop.Immutable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The field names of one header type, numbered from 0 in the order given. Lookup works on the bytes of a binary
 * header and on the name hashes of the JSON reader, so no name becomes a string.
 */
@Immutable
public final class KeyTable {
    /** The index of a name that is not in the table. */
    public static final int UNKNOWN = -1;

    private static final int SLOTS_PER_NAME = 4;

    private final List<String> names;
    private final byte[][] keys;
    private final int[] slots;
    private final long[] hashes;
    private final int[] hashSlots;

    private KeyTable(List<String> names) {
        this.names = List.copyOf(names);
        this.keys = new byte[names.size()][];
        this.slots = new int[Integer.highestOneBit(Math.max(1, names.size() * SLOTS_PER_NAME)) * 2];
        this.hashes = new long[names.size()];
        this.hashSlots = new int[slots.length];
        for (int i = 0; i < names.size(); i++) {
            insert(names.get(i).getBytes(StandardCharsets.UTF_8), i);
        }
    }

    /**
     * The table of these names, numbered from 0.
     *
     * @throws IllegalArgumentException when a name comes twice, or two names have the same hash
     */
    public static KeyTable of(String... names) {
        return new KeyTable(List.of(names));
    }

    /** As {@link #of(String...)}. */
    public static KeyTable of(List<String> names) {
        return new KeyTable(names);
    }

    /** The index of the name with these UTF-8 bytes, or {@link #UNKNOWN}. */
    public int indexOf(byte[] bytes, int from, int to) {
        int mask = slots.length - 1;
        for (int slot = hash(bytes, from, to) & mask; slots[slot] != 0; slot = (slot + 1) & mask) {
            byte[] key = keys[slots[slot] - 1];
            if (Arrays.equals(key, 0, key.length, bytes, from, to)) {
                return slots[slot] - 1;
            }
        }
        return UNKNOWN;
    }

    /** The index of the name with this hash of the JSON reader ({@code Fnv.hashCode64}), or {@link #UNKNOWN}. */
    public int indexOf(long nameHash) {
        int mask = hashSlots.length - 1;
        for (int slot = hashSlot(nameHash); hashSlots[slot] != 0; slot = (slot + 1) & mask) {
            if (hashes[hashSlots[slot] - 1] == nameHash) {
                return hashSlots[slot] - 1;
            }
        }
        return UNKNOWN;
    }

    /** The index of this name, or {@link #UNKNOWN}. Makes a temporary array: not for the path of a request. */
    public int indexOf(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return indexOf(bytes, 0, bytes.length);
    }

    /**
     * The name with this index.
     *
     * @throws IndexOutOfBoundsException when there is none
     */
    public String name(int index) {
        return names.get(index);
    }

    /** How many names there are. */
    public int size() {
        return names.size();
    }

    private void insert(byte[] key, int index) {
        if (indexOf(key, 0, key.length) != UNKNOWN) {
            throw new IllegalArgumentException("field name twice: " + names.get(index));
        }
        keys[index] = key;
        int mask = slots.length - 1;
        int slot = hash(key, 0, key.length) & mask;
        while (slots[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        slots[slot] = index + 1;
        insertHash(Fnv.hashCode64(names.get(index)), index);
    }

    private void insertHash(long nameHash, int index) {
        if (indexOf(nameHash) != UNKNOWN) {
            throw new IllegalArgumentException("field names collide: " + names.get(index));
        }
        hashes[index] = nameHash;
        int slot = hashSlot(nameHash);
        while (hashSlots[slot] != 0) {
            slot = (slot + 1) & (hashSlots.length - 1);
        }
        hashSlots[slot] = index + 1;
    }

    private int hashSlot(long nameHash) {
        long mixed = nameHash * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 40) & (hashSlots.length - 1);
    }

    /** Length, first, middle and last byte tell the names of one header type apart almost always. */
    private static int hash(byte[] bytes, int from, int to) {
        if (from == to) {
            return 0;
        }
        int mixed = bytes[from] + 7 * bytes[to - 1] + 31 * bytes[(from + to) >>> 1 < to ? (from + to) >>> 1 : from];
        int hash = (mixed + 131 * (to - from)) * 0x9E3779B9;
        return hash >>> 20;
    }
}
