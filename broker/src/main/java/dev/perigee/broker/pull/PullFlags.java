package dev.perigee.broker.pull;

/** The bits of a pull's sysFlag (broker-client §2.1). */
final class PullFlags {
    private static final int COMMIT = 1;
    private static final int SUSPEND = 2;
    private static final int SUBSCRIPTION = 4;

    private PullFlags() {}

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
