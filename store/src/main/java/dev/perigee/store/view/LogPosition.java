package dev.perigee.store.view;

import dev.perigee.loop.Immutable;

/**
 * A place in the log that can be told apart from the same offset of another log or another history (R16).
 *
 * @param logId the random name of the log
 * @param epoch the epoch of the last frame below the offset; 0 where no byte of the log lies there
 * @param offset the byte after that frame (exclusive)
 */
@Immutable
public record LogPosition(long logId, int epoch, long offset) {}
