package dev.perigee.protocol.header.offset;

/**
 * Answer header of GET_EARLIEST_MSG_STORETIME (32).
 *
 * @param timestamp milliseconds; −1 for an empty queue
 */
public record StoreTimeResponse(long timestamp) {}
