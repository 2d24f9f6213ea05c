package dev.perigee.client.producer;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.property.PropertyKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * Messages encoded one behind the other as the body of a batch (message-format §5), written on the caller's thread without
 * objects in between:
 *
 * <pre>
 * total size 4 | magic 4 (0) | body crc 4 (0) | flag 4 | body length 4 | body | properties length 2 | properties
 * </pre>
 */
@OwnedBy("one thread at a time")
final class BatchBuffer {
    /** Bytes of an entry besides body and properties. */
    static final int OVERHEAD_BYTES = 22;

    private static final int FLAG_AT = 12;
    private static final int BODY_LENGTH_AT = 16;
    private static final int BODY_AT = 20;
    private static final int MAX_UTF8_PER_CHAR = 3;
    private static final byte NAME_END = 1;
    private static final byte PAIR_END = 2;

    private byte[] bytes;
    private int size;
    private int count;

    BatchBuffer(int initialBytes) {
        this.bytes = new byte[initialBytes];
    }

    int sizeBytes() {
        return size;
    }

    int count() {
        return count;
    }

    /** No less than what {@link #append} will write for this message. */
    static int maxEncodedBytes(Message message, String uniqueId) {
        int chars = PropertyKey.UNIQ_KEY.length() + uniqueId.length() + 2;
        for (Map.Entry<String, String> property : message.properties().entrySet()) {
            chars += property.getKey().length() + property.getValue().length() + 2;
        }
        return OVERHEAD_BYTES + message.body().length + chars * MAX_UTF8_PER_CHAR;
    }

    /** Appends one message with its unique id, and gives the bytes written. */
    int append(Message message, String uniqueId) {
        ensureRoom(maxEncodedBytes(message, uniqueId));
        int start = size;
        byte[] body = message.body();
        Arrays.fill(bytes, start, start + FLAG_AT, (byte) 0);
        putInt(start + FLAG_AT, message.flag());
        putInt(start + BODY_LENGTH_AT, body.length);
        System.arraycopy(body, 0, bytes, start + BODY_AT, body.length);
        int propertiesStart = start + BODY_AT + body.length + Short.BYTES;
        size = propertiesStart;
        putProperties(message, uniqueId);
        putShort(propertiesStart - Short.BYTES, size - propertiesStart);
        putInt(start, size - start);
        count++;
        return size - start;
    }

    /** The properties of one message alone, encoded. */
    static byte[] properties(Message message, String uniqueId) {
        BatchBuffer alone = new BatchBuffer(maxEncodedBytes(message, uniqueId) - message.body().length);
        alone.putProperties(message, uniqueId);
        return alone.toBytes();
    }

    /** A copy of what was written; the array itself when it is full to the last byte. */
    byte[] toBytes() {
        return size == bytes.length ? bytes : Arrays.copyOf(bytes, size);
    }

    private void putProperties(Message message, String uniqueId) {
        for (Map.Entry<String, String> property : message.properties().entrySet()) {
            if (!property.getKey().equals(PropertyKey.UNIQ_KEY)) {
                putProperty(property.getKey(), property.getValue());
            }
        }
        putProperty(PropertyKey.UNIQ_KEY, uniqueId);
    }

    private void putProperty(String name, String value) {
        putText(name);
        bytes[size++] = NAME_END;
        putText(value);
        bytes[size++] = PAIR_END;
    }

    /** Room was made by {@link #ensureRoom}. Nearly all names and values are ASCII, which needs no encoder. */
    private void putText(String text) {
        int length = text.length();
        int at = size;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
                System.arraycopy(encoded, 0, bytes, size, encoded.length);
                size += encoded.length;
                return;
            }
            bytes[at++] = (byte) c;
        }
        size = at;
    }

    private void ensureRoom(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
        }
    }

    private void putInt(int at, int value) {
        bytes[at] = (byte) (value >>> 24);
        bytes[at + 1] = (byte) (value >>> 16);
        bytes[at + 2] = (byte) (value >>> 8);
        bytes[at + 3] = (byte) value;
    }

    private void putShort(int at, int value) {
        bytes[at] = (byte) (value >>> 8);
        bytes[at + 1] = (byte) value;
    }
}
