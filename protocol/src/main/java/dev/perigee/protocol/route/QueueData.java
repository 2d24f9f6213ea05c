package dev.perigee.protocol.route;

/**
 * The queues of a topic on one broker.
 */
public record QueueData(String brokerName, int readQueueNums, int writeQueueNums, int perm, int topicSysFlag) {}
