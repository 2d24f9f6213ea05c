package dev.perigee.protocol.header.offset;

/**
 * Answer header that holds one queue offset.
 */
public record OffsetResponse(long offset) {}
