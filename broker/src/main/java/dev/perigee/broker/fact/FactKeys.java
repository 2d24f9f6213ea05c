package dev.perigee.broker.fact;

/** The keys by which facts overwrite each other. */
public final class FactKeys {
    private FactKeys() {}

    /** The key of everything that is known about a topic. */
    public static String topic(String topic) {
        return "topic:" + topic;
    }

    /** The key of everything that is known about a consumer group. */
    public static String group(String group) {
        return "group:" + group;
    }
}
