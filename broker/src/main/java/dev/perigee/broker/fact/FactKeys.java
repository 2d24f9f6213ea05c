package dev.perigee.broker.fact;

/** The keys by which facts overwrite each other. */
public final class FactKeys {
    /** The key of offsets that are on their way. */
    public static final String OFFSETS = "offsets";

    private static final String TOPIC = "topic:";
    private static final String GROUP = "group:";

    private FactKeys() {}

    /** Whether a fact of this key changes offsets: commits, and what comes or goes with its group or topic. */
    public static boolean isOfOffsets(String key) {
        return key.equals(OFFSETS) || key.startsWith(TOPIC) || key.startsWith(GROUP);
    }

    /** The key of everything that is known about a topic. */
    public static String topic(String topic) {
        return TOPIC + topic;
    }

    /** The key of everything that is known about a consumer group. */
    public static String group(String group) {
        return GROUP + group;
    }
}
