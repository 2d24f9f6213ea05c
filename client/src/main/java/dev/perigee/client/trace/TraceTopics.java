package dev.perigee.client.trace;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicName;
import java.util.Map;

/**
 * Which messages are traced: none of a trace topic, whoever's it is, because each note would be worth another one.
 *
 * @param own where this client's notes go
 */
@Immutable
record TraceTopics(String own) {
    /** Of a cloud's own trace topics, one for each region. */
    private static final String CLOUD_PREFIX = SystemTopic.SYSTEM_PREFIX + "TRACE_DATA_";

    private static final String NOT_TRACED = "false";

    boolean isTrace(String topic) {
        return topic.equals(own) || topic.equals(SystemTopic.TRACE) || topic.startsWith(CLOUD_PREFIX);
    }

    /** Whether a stored message is traced: its broker says in its properties when not. */
    boolean isTraced(String topic, Map<String, String> properties) {
        return !isTrace(topic) && !NOT_TRACED.equals(properties.get(PropertyKey.TRACE_ON));
    }

    /** The group of the producer that carries the notes of a group, as stock clients name it. */
    static String carrierOf(String group, String role) {
        String prefix = "_INNER_TRACE_PRODUCER-";
        String suffix = "-" + role + "-0";
        int room = GroupName.MAX_LENGTH - prefix.length() - suffix.length();
        return prefix + (group.length() > room ? group.substring(0, room) : group) + suffix;
    }

    /** @throws IllegalArgumentException when notes cannot be sent to this topic, saying why */
    static void check(String topic) {
        String problem = TopicName.problem(topic);
        if (problem != null || SystemTopic.isForbiddenToSend(topic)) {
            throw new IllegalArgumentException("trace topic '" + topic + "' cannot be used"
                    + (problem == null ? ": a broker keeps it for itself" : ": " + problem));
        }
    }
}
