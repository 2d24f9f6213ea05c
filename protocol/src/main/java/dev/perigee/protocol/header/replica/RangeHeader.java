package dev.perigee.protocol.header.replica;

/**
 * Header of REPLICA_RANGE (20010): asks for what is stored at one place, to mend a log that is damaged there. Needs no hello: who asks
 * may have no log that could be opened.
 *
 * @param logId the name of the log, hex digits
 * @param offset where a unit begins, below what was confirmed
 * @param confirmOffset what who asks was told to be confirmed: only who has that has the same bytes below it
 * @param epoch the number of the epoch of the byte before it
 * @param epochId the id of that epoch
 */
public record RangeHeader(String logId, long offset, long confirmOffset, int epoch, String epochId) {}
