package dev.perigee.protocol.header.group;

/**
 * Header of the requests about one group: 343, 352.
 */
public record GroupHeader(String group) {}
