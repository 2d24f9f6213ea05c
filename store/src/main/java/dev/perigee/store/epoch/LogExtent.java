package dev.perigee.store.epoch;

import dev.perigee.loop.Immutable;

/**
 * What a log holds, as of one moment.
 *
 * @param epochs of the bytes between start and end, and of no others
 * @param startOffset its first byte
 * @param endOffset where it ends (exclusive), confirmed or not
 */
@Immutable
public record LogExtent(EpochTable epochs, long startOffset, long endOffset) {}
