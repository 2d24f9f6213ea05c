package dev.perigee.store.receive;

import dev.perigee.loop.Immutable;

/**
 * What the sender said of itself beside the bytes.
 *
 * @param session the connection they came over; nothing of one session counts for another (R5)
 * @param epoch the number of the epoch the sender appends or confirms in
 * @param confirmOffset how far the sender's log was confirmed; may lie beyond what was received
 */
@Immutable
public record SenderState(long session, int epoch, long confirmOffset) {}
