package dev.perigee.protocol.header.replica;

/**
 * Header of REPLICA_RANGE (20010): asks for what is stored at one place, to mend a log that is damaged there. Needs no hello: who asks
 * may have no log that could be opened.
 *
 * @param logId the name of the log, hex digits
 * @param offset where a unit begins
 */
public record RangeHeader(String logId, long offset) {}
