package dev.perigee.store.frame;

import java.nio.ByteBuffer;

/**
 * Where the log loop and recovery find things in a stored frame without parsing all of it.
 *
 * <pre>
 * 0      4       8          12         16     20             28                36        40        48
 * | size | magic | body crc | queue id | flag | queue offset | physical offset | sysFlag | born ms | born host 8|20 ...
 * ... | store ms 8 | store host 8|20 | reconsume 4 | prepared 8 | body size 4 | body | topic size 1|2 | topic | properties size 2 | properties |
 * </pre>
 */
public final class FrameLayout {
    /** Size and magic: what a frame and a blank share. */
    public static final int HEAD_BYTES = 8;

    /** The smallest stored frame: version 1, IPv4, nothing variable. */
    public static final int MIN_BYTES = 91;

    /** No frame is larger: a damaged size must not make a reader allocate without bound. */
    public static final int MAX_BYTES = 64 << 20;

    public static final int MAGIC = 4;
    public static final int BLANK_MAGIC = 0xCBD43194;
    static final int MAGIC_V1 = 0xDAA320A7;
    static final int MAGIC_V2 = 0xDAA320AB;
    static final int BODY_CRC = 8;
    static final int QUEUE_OFFSET = 20;
    static final int PHYSICAL_OFFSET = 28;
    private static final int SYS_FLAG = 36;
    private static final int BORN_HOST = 48;
    private static final int BORN_HOST_IPV6 = 0x10;
    private static final int STORE_HOST_IPV6 = 0x20;
    private static final int IPV4_HOST_BYTES = 8;
    private static final int IPV6_HOST_BYTES = 20;
    private static final int AFTER_STORE_HOST_BYTES = 12; // reconsume times, prepared transaction offset

    private FrameLayout() {}

    /** Whether a stored frame of either version begins with this magic. */
    public static boolean isFrameMagic(int magic) {
        return magic == MAGIC_V1 || magic == MAGIC_V2;
    }

    /** Where the store timestamp of the frame at a position lies; the frame must be plausible. */
    public static int storeTimestamp(ByteBuffer buffer, int position) {
        int sysFlag = buffer.getInt(position + SYS_FLAG);
        return position + BORN_HOST + ((sysFlag & BORN_HOST_IPV6) != 0 ? IPV6_HOST_BYTES : IPV4_HOST_BYTES);
    }

    /** Where the size of its body lies; the body follows. */
    static int bodySize(ByteBuffer buffer, int position) {
        int sysFlag = buffer.getInt(position + SYS_FLAG);
        return storeTimestamp(buffer, position)
                + Long.BYTES
                + ((sysFlag & STORE_HOST_IPV6) != 0 ? IPV6_HOST_BYTES : IPV4_HOST_BYTES)
                + AFTER_STORE_HOST_BYTES;
    }
}
