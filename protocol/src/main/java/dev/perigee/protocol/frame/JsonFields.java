package dev.perigee.protocol.frame;

import com.alibaba.fastjson2.JSONReader;
import dev.perigee.loop.OwnedBy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The custom header of a JSON frame as it was met: the hash of each name, where it stands, and the value as text. Kept in
 * arrays, because a map would need a string for every name and a node for every field.
 */
@OwnedBy("the thread that decodes the frame")
final class JsonFields {
    /** More fields are refused, so that a header of nothing but fields cannot multiply its memory. */
    static final int MAX_FIELDS = 1024;

    private static final int INITIAL_FIELDS = 16;

    private static final int MAX_BRACKETS = 1024;

    private final byte[] bytes;
    private final int end;
    private long[] nameHashes = new long[INITIAL_FIELDS];
    private int[] namesAt = new int[INITIAL_FIELDS];
    private @Nullable String[] values = new @Nullable String[INITIAL_FIELDS];
    private int count;

    /** Names are looked up again in the bytes before the end. */
    JsonFields(byte[] bytes, int end) {
        this.bytes = bytes;
        this.end = end;
    }

    /** Reads the object that comes next. Fields whose value is null or nested are left out. */
    void read(JSONReader in) throws MalformedFrameException {
        count = 0;
        in.nextIfObjectStart();
        while (!in.nextIfObjectEnd()) {
            int nameAt = in.getOffset() - 1;
            long nameHash = in.readFieldNameHashCode();
            if (in.isObject() || in.isArray()) {
                skipNested(in);
            } else if (!in.nextIfNull()) {
                add(nameHash, nameAt, in.readString());
            }
        }
    }

    /**
     * Passes over the nested value that comes next. The reader does so by recursion, and no peer nests anything but the
     * custom header, so the brackets left in the header are counted first.
     */
    void skipNested(JSONReader in) throws MalformedFrameException {
        int brackets = 0;
        for (int at = in.getOffset() - 1; at < end; at++) {
            if (bytes[at] == '{' || bytes[at] == '[') {
                brackets++;
            }
        }
        if (brackets > MAX_BRACKETS) {
            throw new MalformedFrameException("header holds more than " + MAX_BRACKETS + " nested values");
        }
        in.skipValue();
    }

    private void add(long nameHash, int nameAt, String value) throws MalformedFrameException {
        if (count == MAX_FIELDS) {
            throw new MalformedFrameException("header has more than " + MAX_FIELDS + " fields");
        }
        if (count == values.length) {
            nameHashes = Arrays.copyOf(nameHashes, count * 2);
            namesAt = Arrays.copyOf(namesAt, count * 2);
            values = Arrays.copyOf(values, count * 2);
        }
        nameHashes[count] = nameHash;
        namesAt[count] = nameAt;
        values[count] = value;
        count++;
    }

    int count() {
        return count;
    }

    long nameHash(int index) {
        return nameHashes[index];
    }

    /** The name as text; a slow path for errors and maps. */
    String name(int index) {
        int from = namesAt[index];
        try (JSONReader in = JSONReader.of(bytes, from, end - from, StandardCharsets.UTF_8)) {
            return in.readString();
        }
    }

    String value(int index) {
        String value = values[index];
        return value == null ? "" : value;
    }
}
