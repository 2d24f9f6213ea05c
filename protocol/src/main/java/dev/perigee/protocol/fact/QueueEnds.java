package dev.perigee.protocol.fact;

import java.util.Map;

/**
 * The next offset of queues of a topic, told again before the last frame of a queue leaves the log.
 *
 * @param topic the topic
 * @param ends queue to its next offset
 */
public record QueueEnds(String topic, Map<Integer, Long> ends) implements Fact {
    static final String KIND = "QUEUE_ENDS";

    public QueueEnds {
        ends = ends == null ? Map.of() : ends;
    }

    @Override
    public String kind() {
        return KIND;
    }
}
