package dev.perigee.protocol.stats;

/**
 * How far a group is in one queue.
 *
 * @param brokerOffset end of the queue
 * @param consumerOffset committed
 * @param pullOffset last pulled
 * @param lastTimestamp store time of the last consumed message, milliseconds
 */
public record QueueProgress(long brokerOffset, long consumerOffset, long pullOffset, long lastTimestamp) {}
