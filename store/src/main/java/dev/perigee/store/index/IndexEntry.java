package dev.perigee.store.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The 20 bytes of one key of one frame, big-endian.
 *
 * <pre>
 * 0       4                 12               16      20
 * | hash  | offset in log   | seconds since  | entry |
 * |       |                 | file's begin   | before|
 * </pre>
 *
 * <p>"Entry before" is the number of the next older entry in the same slot, 0 for none; entries are numbered from 1.
 */
final class IndexEntry {
    static final int SIZE_BYTES = 20;

    private static final int OFFSET_AT = 4;
    private static final int SECONDS_AT = 12;
    private static final int BEFORE_AT = 16;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private IndexEntry() {}

    static void write(byte[] target, int at, int hash, long physicalOffset, int seconds, int before) {
        INT.set(target, at, hash);
        LONG.set(target, at + OFFSET_AT, physicalOffset);
        INT.set(target, at + SECONDS_AT, seconds);
        INT.set(target, at + BEFORE_AT, before);
    }

    static int hash(byte[] source, int at) {
        return (int) INT.get(source, at);
    }

    static long physicalOffset(byte[] source, int at) {
        return (long) LONG.get(source, at + OFFSET_AT);
    }

    static int seconds(byte[] source, int at) {
        return (int) INT.get(source, at + SECONDS_AT);
    }

    static int before(byte[] source, int at) {
        return (int) INT.get(source, at + BEFORE_AT);
    }
}
