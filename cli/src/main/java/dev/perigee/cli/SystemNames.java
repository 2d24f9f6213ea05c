package dev.perigee.cli;

/** Topics that no user made. */
final class SystemNames {
    private static final String RETRY = "%RETRY%";
    private static final String DEAD_LETTERS = "%DLQ%";
    private static final String INTERNAL = "rmq_sys_";

    private SystemNames() {}

    /** Whether the name is one of a retry, dead-letter or internal topic. */
    static boolean isInternal(String topic) {
        return topic.startsWith(RETRY) || topic.startsWith(DEAD_LETTERS) || topic.startsWith(INTERNAL);
    }
}
