package dev.perigee.store.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The 20 bytes of one entry, big-endian (message-format §6).
 *
 * <pre>
 *  0        8        12       20
 *  | offset | size   | tag    |
 *  | in log | (int)  | hash   |
 * </pre>
 */
final class QueueEntry {
    static final int SIZE_BYTES = 20;
    static final int SIZE_AT = 8;
    static final int TAG_AT = 12;
    /** Size field of a place in a file that was never written: a gap, damage, or a queue that went on elsewhere. */
    static final int NOT_WRITTEN = 0;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private QueueEntry() {}

    static void write(byte[] target, int at, long physicalOffset, int sizeBytes, long tagHash) {
        LONG.set(target, at, physicalOffset);
        INT.set(target, at + SIZE_AT, sizeBytes);
        LONG.set(target, at + TAG_AT, tagHash);
    }

    static long physicalOffset(byte[] source, int at) {
        return (long) LONG.get(source, at);
    }

    static int sizeBytes(byte[] source, int at) {
        return (int) INT.get(source, at + SIZE_AT);
    }

    static long tagHash(byte[] source, int at) {
        return (long) LONG.get(source, at + TAG_AT);
    }
}
