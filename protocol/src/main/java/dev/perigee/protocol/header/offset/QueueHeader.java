package dev.perigee.protocol.header.offset;

/**
 * Header of the requests about one queue: GET_MIN_OFFSET (31), GET_EARLIEST_MSG_STORETIME (32).
 */
public record QueueHeader(String topic, int queueId) {}
