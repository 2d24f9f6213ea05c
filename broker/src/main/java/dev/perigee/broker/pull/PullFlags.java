package dev.perigee.broker.pull;

import dev.perigee.broker.check.Refusal;
import dev.perigee.protocol.rpc.ResponseCode;
import org.jspecify.annotations.Nullable;

/** The bits of a pull's sysFlag (broker-client §2.1). */
final class PullFlags {
    private static final int COMMIT = 1;
    private static final int SUSPEND = 2;
    private static final int SUBSCRIPTION = 4;
    private static final int LITE_PULL = 16;

    /** Bit 8, the class filter of releases long gone, and everything above 16 cannot be honoured. */
    private static final int SUPPORTED = COMMIT | SUSPEND | SUBSCRIPTION | LITE_PULL;

    private PullFlags() {}

    /** Null when every bit can be honoured. */
    static @Nullable Refusal refuse(int sysFlag) {
        return (sysFlag & ~SUPPORTED) == 0
                ? null
                : new Refusal(
                        ResponseCode.INVALID_PARAMETER,
                        "sysFlag " + sysFlag + " has unsupported bits " + (sysFlag & ~SUPPORTED) + ", supported are "
                                + SUPPORTED + " (commit 1, suspend 2, subscription 4, lite pull 16)");
    }

    /** The request carries an offset to commit. */
    static boolean commits(int sysFlag) {
        return (sysFlag & COMMIT) != 0;
    }

    /** The request may wait for a message. */
    static boolean maySuspend(int sysFlag) {
        return (sysFlag & SUSPEND) != 0;
    }

    /** The header carries the subscription. */
    static boolean hasSubscription(int sysFlag) {
        return (sysFlag & SUBSCRIPTION) != 0;
    }
}
