package dev.perigee.protocol.header.pull;

/** Bits of the sysFlag of a pull. */
public final class PullSysFlag {
    /** The field commitOffset is valid and to be stored. */
    public static final int COMMIT_OFFSET = 1;
    /** The pull may wait for messages. */
    public static final int SUSPEND = 2;
    /** The subscription is in the header. */
    public static final int SUBSCRIPTION = 4;
    /** Filter classes; gone. */
    public static final int CLASS_FILTER = 8;
    /** A pull of a lite consumer. */
    public static final int LITE_PULL = 16;

    private PullSysFlag() {}

    /** Whether a bit of this class is set. */
    public static boolean has(int sysFlag, int bit) {
        return (sysFlag & bit) != 0;
    }
}
