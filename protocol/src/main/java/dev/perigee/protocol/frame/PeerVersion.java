package dev.perigee.protocol.frame;

/**
 * The release numbers peers put into the {@code version} field of a header. Releases are two apart (a snapshot lies in
 * between), minor releases of 4.x and 5.x twenty apart.
 */
public final class PeerVersion {
    /** From here on an offset reset can be pushed to a consumer. */
    public static final int V3_0_7_SNAPSHOT = 28;
    /** From here on a broker registers with a full registration body. */
    public static final int V3_0_11 = 37;
    /** From here on a consumer can be asked for its running info. */
    public static final int V3_1_8_SNAPSHOT = 62;
    /** From here on the field maxReconsumeTimes of a send counts. */
    public static final int V3_4_9 = 121;

    public static final int V4_0_0 = 213;
    public static final int V4_9_3 = 399;
    /** From here on route answers are standard JSON. */
    public static final int V4_9_4 = 401;

    public static final int V4_9_8 = 409;
    /** From here on a compressed registration carries the mapping section. */
    public static final int V5_0_0 = 413;
    /** Peers newer than this understand the answer GO_AWAY. */
    public static final int V5_3_1 = 475;

    public static final int V5_5_0 = 513;
    /** Everything above stands for "newer than known". */
    public static final int HIGHEST = 612;

    /** What this implementation says of itself: it speaks the protocol of this release. */
    public static final int OURS = V5_5_0;

    private static final int PER_MINOR = 20;
    private static final int PER_PATCH = 2;

    private PeerVersion() {}

    /** The release in the form {@code V5_5_0}; older ones than 4.0.0 and newer ones than known as {@code V<number>}. */
    public static String describe(int version) {
        if (version < V4_0_0 || version > HIGHEST) {
            return "V" + version;
        }
        boolean five = version >= V5_0_0 - 1;
        int base = version - (five ? V5_0_0 : V4_0_0);
        int release = base + 1;
        String text = "V" + (five ? 5 : 4) + "_" + release / PER_MINOR + "_" + release % PER_MINOR / PER_PATCH;
        return base % PER_PATCH == 0 ? text : text + "_SNAPSHOT";
    }
}
