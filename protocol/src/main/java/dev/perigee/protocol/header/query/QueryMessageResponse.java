package dev.perigee.protocol.header.query;

/**
 * Answer header of QUERY_MESSAGE (12).
 */
public record QueryMessageResponse(long indexLastUpdateTimestamp, long indexLastUpdatePhyoffset) {}
