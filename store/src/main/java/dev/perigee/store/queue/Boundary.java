package dev.perigee.store.queue;

/** Which end of the messages with one store time a search by time means. */
public enum Boundary {
    /** The first message stored at or after the time; behind the last one: the queue's maximum offset. */
    LOWER,
    /** The last message stored at or before the time; before the first one: the queue's minimum offset. */
    UPPER
}
