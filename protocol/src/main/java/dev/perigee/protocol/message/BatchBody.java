package dev.perigee.protocol.message;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.property.PropertyText;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The body of a batch send: for each message int32 size, magic, CRC, flag, body length, body, int16 properties length,
 * properties. Checked as a whole before the first entry is given out. A cursor; it borrows the buffer.
 */
@OwnedBy("one thread at a time")
public final class BatchBody {
    private static final int FLAG_AT = 12;
    private static final int BODY_LENGTH_AT = 16;
    private static final int BODY_AT = 20;
    private static final int FIXED_BYTES = BODY_AT + Short.BYTES;

    private final ByteBuffer buffer;
    private final int start;
    private final int end;
    private final int count;
    private int entry;
    private int next;

    private BatchBody(ByteBuffer buffer, int count) {
        this.buffer = buffer;
        this.start = buffer.position();
        this.end = buffer.limit();
        this.count = count;
        this.next = start;
    }

    /**
     * Checks all entries between position and limit.
     *
     * @throws MalformedMessageException when the lengths do not fit together or there is no entry
     */
    public static BatchBody of(ByteBuffer buffer) throws MalformedMessageException {
        int count = 0;
        int at = buffer.position();
        while (at < buffer.limit()) {
            at += checkEntry(buffer, at, count);
            count++;
        }
        if (count == 0) {
            throw new MalformedMessageException("the batch has no message");
        }
        return new BatchBody(buffer, count);
    }

    /** How many messages there are. */
    public int count() {
        return count;
    }

    /** Goes back before the first entry. */
    public void rewind() {
        next = start;
    }

    /** Moves to the next entry; false at the end. */
    public boolean next() {
        if (next >= end) {
            return false;
        }
        entry = next;
        next += buffer.getInt(entry);
        return true;
    }

    /** The user's own number of the current entry. */
    public int flag() {
        return buffer.getInt(entry + FLAG_AT);
    }

    /** The length of the body of the current entry in bytes. */
    public int bodyLength() {
        return buffer.getInt(entry + BODY_LENGTH_AT);
    }

    /** The body of the current entry as a new view of the buffer. */
    public ByteBuffer body() {
        return buffer.slice(entry + BODY_AT, bodyLength());
    }

    /** The properties of the current entry, copied. */
    public PropertyText properties() {
        int lengthAt = entry + BODY_AT + bodyLength();
        byte[] utf8 = new byte[buffer.getShort(lengthAt)];
        buffer.get(lengthAt + Short.BYTES, utf8);
        return PropertyText.ofUtf8(utf8);
    }

    /** Encodes messages as a batch body. */
    public static byte[] encode(List<Message> messages) {
        List<PropertyText> properties =
                messages.stream().map(m -> PropertyText.of(m.properties())).toList();
        int size = 0;
        for (int i = 0; i < messages.size(); i++) {
            size += FIXED_BYTES
                    + messages.get(i).body().length
                    + properties.get(i).sizeBytes();
        }
        ByteBuffer out = ByteBuffer.allocate(size);
        for (int i = 0; i < messages.size(); i++) {
            encodeEntry(out, messages.get(i), properties.get(i));
        }
        return out.array();
    }

    private static void encodeEntry(ByteBuffer out, Message message, PropertyText properties) {
        byte[] body = message.body();
        out.putInt(FIXED_BYTES + body.length + properties.sizeBytes());
        out.putInt(0); // magic
        out.putInt(0); // CRC: the broker computes it
        out.putInt(message.flag());
        out.putInt(body.length);
        out.put(body);
        out.putShort((short) properties.sizeBytes());
        out.put(properties.toByteArray());
    }

    private static int checkEntry(ByteBuffer buffer, int at, int index) throws MalformedMessageException {
        int available = buffer.limit() - at;
        int size = available < FIXED_BYTES ? 0 : buffer.getInt(at);
        if (size < FIXED_BYTES || size > available) {
            throw broken(index, "size " + size + " with " + available + " bytes left");
        }
        int bodyLength = buffer.getInt(at + BODY_LENGTH_AT);
        if (bodyLength < 0 || bodyLength > size - FIXED_BYTES) {
            throw broken(index, "body of " + bodyLength + " bytes in an entry of " + size);
        }
        int propertiesLength = buffer.getShort(at + BODY_AT + bodyLength);
        if (propertiesLength != size - FIXED_BYTES - bodyLength) {
            throw broken(index, "properties of " + propertiesLength + " bytes in an entry of " + size);
        }
        return size;
    }

    private static MalformedMessageException broken(int index, String reason) {
        return new MalformedMessageException("batch entry " + index + ": " + reason);
    }
}
