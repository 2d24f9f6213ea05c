package dev.perigee.cli.session;

/** What the process says when it ends. Part of the interface: scripts rely on it. */
public final class ExitCode {
    /** Done. */
    public static final int OK = 0;

    /** The server refused, or the operation failed. */
    public static final int FAILED = 1;

    /** The command line or a configuration file is wrong. */
    public static final int USAGE = 2;

    /** Nobody answered at the address, or not in time. */
    public static final int UNREACHABLE = 3;

    /** The topic, group, broker or message that was named does not exist. */
    public static final int NOT_FOUND = 4;

    /** The log could not be written any more, so the broker stopped. */
    public static final int LOG_FAILED = 5;

    private ExitCode() {}
}
