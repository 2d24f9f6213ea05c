package dev.perigee.protocol.header.replica;

/**
 * Header of the answer to REPLICA_RANGE; its body is whole units from the offset asked for.
 *
 * @param endOffset the byte after the last one of them (exclusive); behind a blank the next segment's first
 * @param confirmOffset how far the log may be seen there
 */
public record RangeAnswer(long endOffset, long confirmOffset) {}
