package dev.perigee.store.view;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.topic.SystemTopic;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A topic's name as it stands in frames; interned, so that equal names met by one loop are one object. */
@Immutable
public final class LogTopic {
    private static final int HASH_PRIME = 31;

    private final String name;
    private final byte[] utf8;
    private final int hash;
    private final boolean facts;
    private final boolean system;

    private LogTopic(byte[] utf8) {
        this.utf8 = utf8;
        this.name = new String(utf8, StandardCharsets.UTF_8);
        this.hash = hash(utf8, 0, utf8.length, 0);
        this.facts = name.equals(SystemTopic.FACTS);
        this.system = SystemTopic.isSystem(name);
    }

    static LogTopic copyOf(byte[] source, int from, int size) {
        return new LogTopic(Arrays.copyOfRange(source, from, from + size));
    }

    /** The topic of this name; not interned. */
    public static LogTopic of(String name) {
        return new LogTopic(name.getBytes(StandardCharsets.UTF_8));
    }

    /** The name as text. */
    public String name() {
        return name;
    }

    /** The length of the name in UTF-8. */
    public int sizeBytes() {
        return utf8.length;
    }

    /** Whether entries of this topic are facts. */
    boolean isFacts() {
        return facts;
    }

    /** Whether it is one of the broker's own topics, whose entries duties may act upon. */
    boolean isSystem() {
        return system;
    }

    /** {@link #hash(byte[], int, int, int)} of the name's bytes, from 0. */
    public int byteHash() {
        return hash;
    }

    boolean isAt(byte[] source, int from, int size) {
        return Arrays.equals(utf8, 0, utf8.length, source, from, from + size);
    }

    /** Folds bytes into a hash: the same over two runs in turn as over both as one. */
    public static int hash(byte[] source, int from, int to, int seed) {
        int hash = seed;
        for (int i = from; i < to; i++) {
            hash = hash * HASH_PRIME + source[i];
        }
        return hash;
    }

    @Override
    public String toString() {
        return name;
    }
}
