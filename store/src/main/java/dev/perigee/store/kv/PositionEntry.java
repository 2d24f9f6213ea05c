package dev.perigee.store.kv;

import dev.perigee.store.view.LogPosition;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The entry in which a store keeps the position it has reached, among the view's own, so that one batch writes both.
 *
 * <pre>
 * key   'p'
 * value 0        8       12       20
 *       | log id | epoch | offset |      big endian
 * </pre>
 */
final class PositionEntry {
    static final byte[] KEY = {'p'};
    static final int VALUE_BYTES = 20;
    private static final int EPOCH_AT = 8;
    private static final int OFFSET_AT = 12;

    private PositionEntry() {}

    static byte[] encode(LogPosition position) {
        return ByteBuffer.allocate(VALUE_BYTES)
                .putLong(position.logId())
                .putInt(position.epoch())
                .putLong(position.offset())
                .array();
    }

    static LogPosition decode(byte[] value) throws IOException {
        if (value.length != VALUE_BYTES) {
            throw new IOException(
                    "the position of a view's store has " + value.length + " bytes instead of " + VALUE_BYTES);
        }
        ByteBuffer bytes = ByteBuffer.wrap(value);
        return new LogPosition(bytes.getLong(0), bytes.getInt(EPOCH_AT), bytes.getLong(OFFSET_AT));
    }
}
