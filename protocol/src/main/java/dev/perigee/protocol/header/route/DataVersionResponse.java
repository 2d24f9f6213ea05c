package dev.perigee.protocol.header.route;

/**
 * Answer header of QUERY_DATA_VERSION (322).
 */
public record DataVersionResponse(boolean changed) {}
