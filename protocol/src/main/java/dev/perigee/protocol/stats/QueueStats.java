package dev.perigee.protocol.stats;

/**
 * First and last of one queue.
 *
 * @param lastUpdateTimestamp milliseconds, 0 for an empty queue
 */
public record QueueStats(long minOffset, long maxOffset, long lastUpdateTimestamp) {}
