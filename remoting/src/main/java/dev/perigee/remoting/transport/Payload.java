package dev.perigee.remoting.transport;

import java.nio.ByteBuffer;

/**
 * The body of an outgoing frame: one or more byte ranges that are lent until they are written. {@link #release} is called
 * exactly once, from any thread, after the bytes went out or when the frame is dropped.
 */
public interface Payload {
    /** The size of all ranges together. */
    int sizeBytes();

    /** How many ranges there are. */
    int bufferCount();

    /** The range with this index, its bytes between position and limit. Asked for once; the position may be moved. */
    ByteBuffer buffer(int index);

    /** Gives the ranges back. Called once; the ranges must not be touched afterwards. */
    void release();

    /** The whole array as a body; the caller no longer changes it. */
    static Payload of(byte[] bytes) {
        return new BytesPayload(ByteBuffer.wrap(bytes));
    }

    /** The bytes between position and limit as a body; the caller no longer changes them. */
    static Payload of(ByteBuffer bytes) {
        return new BytesPayload(bytes.duplicate());
    }
}
