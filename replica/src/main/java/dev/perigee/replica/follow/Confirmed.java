package dev.perigee.replica.follow;

import dev.perigee.loop.Immutable;

/**
 * What a replica held and was told to be confirmed, and whose word that was about (R19).
 *
 * @param offset everything below it
 * @param epoch the number of the epoch of the byte before it; 0 when it is not known
 * @param epochId the id of that epoch
 */
@Immutable
public record Confirmed(long offset, int epoch, long epochId) {
    /** Nothing was told. */
    public static final Confirmed NOTHING = new Confirmed(0, 0, 0);
}
