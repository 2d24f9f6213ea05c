package dev.perigee.protocol.header.route;

/**
 * Answer header of WIPE_WRITE_PERM_OF_BROKER (205).
 */
public record WipeWritePermResponse(int wipeTopicCount) {}
