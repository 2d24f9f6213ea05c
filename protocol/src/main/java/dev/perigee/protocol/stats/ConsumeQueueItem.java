package dev.perigee.protocol.stats;

import org.jspecify.annotations.Nullable;

/**
 * One entry of a consume queue, as shown to operators.
 */
public record ConsumeQueueItem(
        long physicOffset,
        int physicSize,
        long tagsCode,
        @Nullable String extendDataJson,
        @Nullable String bitMap,
        boolean eval,
        @Nullable String msg) {}
