package dev.perigee.protocol.fact;

/**
 * A tail of the log may be lost: queues without a frame or a stated end in it may have had messages all the same, and
 * begin here instead of at 0. Queues of topics deleted later begin at 0 again.
 *
 * @param offset the queue offset
 */
public record QueueFloor(long offset) implements Fact {
    static final String KIND = "QUEUE_FLOOR";

    @Override
    public String kind() {
        return KIND;
    }
}
