package dev.perigee.replica.feed;

import dev.perigee.protocol.header.replica.FetchedHeader;

/**
 * One frame down, ready to be sent.
 *
 * @param header what it says
 * @param bytes the bytes of the log in it, whose new owner is the caller; empty for a heartbeat
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record FeedFrame(FetchedHeader header, byte[] bytes) {}
