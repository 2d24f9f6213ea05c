package dev.perigee.protocol.fact;

/**
 * A topic and its queues are gone; a later topic of this name starts at offset 0.
 *
 * @param topic its name
 */
public record TopicDeleted(String topic) implements Fact {
    static final String KIND = "TOPIC_DELETED";

    @Override
    public String kind() {
        return KIND;
    }
}
