package dev.perigee.protocol.message;

import org.jspecify.annotations.Nullable;

/** How the body of a message is compressed: three bits of its sysFlag. */
public enum CompressionType {
    /** LZ4 frame format. */
    LZ4(0x100),
    ZSTD(0x200),
    /** RFC 1950; also meant by old clients, which set no type. */
    ZLIB(0x300);

    private final int flag;

    CompressionType(int flag) {
        this.flag = flag;
    }

    /** The bits to set beside {@link SysFlag#COMPRESSED}. */
    public int flag() {
        return flag;
    }

    /** The type of a body with this flag; null when the bits name none. Look at {@link SysFlag#COMPRESSED} first. */
    public static @Nullable CompressionType of(int sysFlag) {
        return switch (sysFlag & SysFlag.COMPRESSION_MASK) {
            case 0, 0x300 -> ZLIB;
            case 0x100 -> LZ4;
            case 0x200 -> ZSTD;
            default -> null;
        };
    }
}
