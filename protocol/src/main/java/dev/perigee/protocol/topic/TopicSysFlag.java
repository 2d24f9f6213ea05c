package dev.perigee.protocol.topic;

/** Bits of {@code topicSysFlag}. */
public final class TopicSysFlag {
    /** The topic belongs to one unit. */
    public static final int UNIT = 1;

    /** Somebody of a unit subscribes to the topic. */
    public static final int UNIT_SUBSCRIPTION = 2;

    private TopicSysFlag() {}

    /** The flags of the retry topic that is made for a request which says whether it comes from a unit. */
    public static int ofRetryTopic(boolean unitMode) {
        return unitMode ? UNIT_SUBSCRIPTION : 0;
    }
}
