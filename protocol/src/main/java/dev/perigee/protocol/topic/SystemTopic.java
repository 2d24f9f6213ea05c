package dev.perigee.protocol.topic;

import java.util.Set;

/** The topics brokers use for themselves. */
public final class SystemTopic {
    /** The template of automatically created topics. */
    public static final String AUTO_CREATE = "TBW102";

    /** Where messages wait that name a delay level, retries among them; a queue for each level. */
    public static final String SCHEDULE = "SCHEDULE_TOPIC_XXXX";

    public static final String BENCHMARK = "BenchmarkTest";
    public static final String HALF = "RMQ_SYS_TRANS_HALF_TOPIC";
    public static final String HALF_OP = "RMQ_SYS_TRANS_OP_HALF_TOPIC";
    public static final String TRACE = "RMQ_SYS_TRACE_TOPIC";
    public static final String TRANSACTION_CHECK_MAX = "TRANS_CHECK_MAX_TIME_TOPIC";
    public static final String SELF_TEST = "SELF_TEST_TOPIC";
    public static final String OFFSET_MOVED = "OFFSET_MOVED_EVENT";
    public static final String CHECKPOINT = "CHECKPOINT_TOPIC";
    /** Where messages wait that name a time; one queue. */
    public static final String TIMER = "rmq_sys_wheel_timer";
    /** Where a broker keeps its facts: one queue, not readable nor writable by clients. */
    public static final String FACTS = "rmq_sys_perigee_facts";

    public static final String SYSTEM_PREFIX = "rmq_sys_";
    private static final String REPLY_SUFFIX = "_REPLY_TOPIC";

    private static final Set<String> NAMES = Set.of(
            AUTO_CREATE,
            SCHEDULE,
            BENCHMARK,
            HALF,
            HALF_OP,
            TRACE,
            TRANSACTION_CHECK_MAX,
            SELF_TEST,
            OFFSET_MOVED,
            CHECKPOINT);
    private static final Set<String> NOT_TO_SEND =
            Set.of(SCHEDULE, TIMER, HALF, HALF_OP, TRANSACTION_CHECK_MAX, SELF_TEST, OFFSET_MOVED, FACTS);

    private static final Set<String> HIDDEN = Set.of(SCHEDULE, HALF, HALF_OP, TIMER, FACTS);

    private SystemTopic() {}

    /** Whether this is a system topic of every broker; cluster, broker and reply topics are known only to the broker. */
    public static boolean isSystem(String topic) {
        return NAMES.contains(topic) || topic.startsWith(SYSTEM_PREFIX);
    }

    /** Those that every broker has under the same name, without the ones known by {@link #SYSTEM_PREFIX}. */
    public static Set<String> names() {
        return NAMES;
    }

    /** Whether messages of this topic wait for their time. */
    public static boolean isWaiting(String topic) {
        return topic.equals(SCHEDULE) || topic.equals(TIMER);
    }

    /** Whether clients may not send to this topic. */
    public static boolean isForbiddenToSend(String topic) {
        return NOT_TO_SEND.contains(topic);
    }

    /** Those whose messages are not given to consumers: they wait for something, or are the broker's own. */
    public static Set<String> hidden() {
        return HIDDEN;
    }

    /** The topic replies travel through. */
    public static String reply(String cluster) {
        return cluster + REPLY_SUFFIX;
    }
}
