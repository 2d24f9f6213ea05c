package dev.perigee.store.log;

/**
 * Where the log loop and recovery find things in a stored frame without parsing it.
 *
 * <pre>
 * 0      4      8         12       16    20            28               36       40        48
 * | size | magic | body crc | queue | flag | queue offset | physical offset | sysFlag | born ms | born host ...
 * </pre>
 */
public final class FrameLayout {
    /** Size and magic: what a frame and a blank share. */
    public static final int HEAD_BYTES = 8;

    /** The smallest stored frame: version 1, IPv4, nothing variable. */
    public static final int MIN_BYTES = 91;

    public static final int MAGIC = 4;
    public static final int BLANK_MAGIC = 0xCBD43194;
    private static final int MAGIC_V1 = 0xDAA320A7;
    private static final int MAGIC_V2 = 0xDAA320AB;

    private FrameLayout() {}

    static boolean isFrameMagic(int magic) {
        return magic == MAGIC_V1 || magic == MAGIC_V2;
    }
}
