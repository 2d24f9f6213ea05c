package dev.perigee.client.producer;

/** What an asynchronous send does when the producer's memory is full. */
public enum WhenFull {
    /**
     * Block the calling thread until memory is free, at most the send timeout. Inside callbacks of this producer, which
     * must never block, it fails at once.
     */
    BLOCK,
    /** Fail at once. */
    FAIL
}
