package dev.perigee.protocol.topic;

/** The permission bits of a topic or broker. */
public final class Permission {
    /** Topics made automatically take the others from this one. */
    public static final int INHERIT = 1;

    public static final int WRITE = 2;
    public static final int READ = 4;
    /** Legacy. */
    public static final int PRIORITY = 8;

    private static final int MAX = READ | WRITE | INHERIT;

    private Permission() {}

    /** Whether messages may be consumed. */
    public static boolean isReadable(int perm) {
        return (perm & READ) != 0;
    }

    /** Whether messages may be sent. */
    public static boolean isWritable(int perm) {
        return (perm & WRITE) != 0;
    }

    /** Whether topics made automatically take the other bits from this one. */
    public static boolean isInherited(int perm) {
        return (perm & INHERIT) != 0;
    }

    /** Whether the number is a permission: 0 to 7. */
    public static boolean isValid(int perm) {
        return perm >= 0 && perm <= MAX;
    }

    /** The text form, for instance {@code RW-}. */
    public static String text(int perm) {
        return (isReadable(perm) ? "R" : "-") + (isWritable(perm) ? "W" : "-") + (isInherited(perm) ? "X" : "-");
    }
}
