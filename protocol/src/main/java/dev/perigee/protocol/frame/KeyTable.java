package dev.perigee.protocol.frame;

import com.alibaba.fastjson2.util.Fnv;
import dev.perigee.loop.Immutable;
import java.util.List;

/**
 * The field names of one header type, numbered from 0 in the order given. Lookup is by the 64-bit name hash that the JSON
 * reader computes anyway while it passes over a name, so no name becomes a string.
 */
@Immutable
public final class KeyTable {
    /** The index of a name that is not in the table. */
    public static final int UNKNOWN = -1;

    private final List<String> names;
    private final long[] hashes;
    private final int[] indexes;

    private KeyTable(List<String> names) {
        this.names = List.copyOf(names);
        int capacity = Integer.highestOneBit(Math.max(4, names.size() * 4));
        this.hashes = new long[capacity];
        this.indexes = new int[capacity];
        for (int i = 0; i < names.size(); i++) {
            insert(Fnv.hashCode64(names.get(i)), i);
        }
    }

    public static KeyTable of(String... names) {
        return new KeyTable(List.of(names));
    }

    public static KeyTable of(List<String> names) {
        return new KeyTable(names);
    }

    /** The index of the name with this hash ({@code Fnv.hashCode64}), or {@link #UNKNOWN}. */
    public int indexOf(long nameHash) {
        int mask = hashes.length - 1;
        for (int slot = slotOf(nameHash); indexes[slot] != 0; slot = (slot + 1) & mask) {
            if (hashes[slot] == nameHash) {
                return indexes[slot] - 1;
            }
        }
        return UNKNOWN;
    }

    public int indexOf(String name) {
        return indexOf(Fnv.hashCode64(name));
    }

    public String name(int index) {
        return names.get(index);
    }

    public int size() {
        return names.size();
    }

    private void insert(long nameHash, int index) {
        int mask = hashes.length - 1;
        int slot = slotOf(nameHash);
        while (indexes[slot] != 0) {
            if (hashes[slot] == nameHash) {
                throw new IllegalArgumentException("field names collide: " + names.get(index));
            }
            slot = (slot + 1) & mask;
        }
        hashes[slot] = nameHash;
        indexes[slot] = index + 1;
    }

    private int slotOf(long nameHash) {
        long mixed = nameHash * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 40) & (hashes.length - 1);
    }
}
