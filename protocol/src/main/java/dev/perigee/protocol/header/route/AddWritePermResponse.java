package dev.perigee.protocol.header.route;

/**
 * Answer header of ADD_WRITE_PERM_OF_BROKER (327).
 */
public record AddWritePermResponse(int addTopicCount) {}
