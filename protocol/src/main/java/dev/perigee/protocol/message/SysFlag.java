package dev.perigee.protocol.message;

/** The bits of a message's sysFlag. */
public final class SysFlag {
    public static final int COMPRESSED = 0x1;
    public static final int MULTI_TAGS = 0x2;
    public static final int TRANSACTION_PREPARED = 0x4;
    public static final int TRANSACTION_COMMIT = 0x8;
    public static final int TRANSACTION_ROLLBACK = 0xC;
    /** The two bits of the transaction state. */
    public static final int TRANSACTION_MASK = 0xC;

    public static final int BORN_HOST_V6 = 0x10;
    public static final int STORE_HOST_V6 = 0x20;
    public static final int NEED_UNWRAP = 0x40;
    public static final int INNER_BATCH = 0x80;
    /** The bits of the compression type, see {@link CompressionType}. */
    public static final int COMPRESSION_MASK = 0x700;

    /** All bits with a meaning. */
    public static final int KNOWN = COMPRESSED
            | MULTI_TAGS
            | TRANSACTION_MASK
            | BORN_HOST_V6
            | STORE_HOST_V6
            | NEED_UNWRAP
            | INNER_BATCH
            | COMPRESSION_MASK;

    private SysFlag() {}

    /** Whether a bit is set; of several bits, whether any is. */
    public static boolean has(int sysFlag, int bit) {
        return (sysFlag & bit) != 0;
    }

    /** One of 0, {@link #TRANSACTION_PREPARED}, {@link #TRANSACTION_COMMIT}, {@link #TRANSACTION_ROLLBACK}. */
    public static int transaction(int sysFlag) {
        return sysFlag & TRANSACTION_MASK;
    }

    /** The flag with the given transaction state. */
    public static int withTransaction(int sysFlag, int state) {
        return (sysFlag & ~TRANSACTION_MASK) | state;
    }
}
