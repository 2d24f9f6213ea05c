package dev.perigee.store.log;

import dev.perigee.loop.Immutable;

/**
 * Where a segment lies in the log.
 *
 * @param startOffset its first byte
 * @param endOffset the byte after its last one (exclusive), whether written yet or not
 */
@Immutable
public record SegmentRange(long startOffset, long endOffset) {}
