package dev.perigee.protocol.header.pull;

import org.jspecify.annotations.Nullable;

/**
 * Answer header of a pull.
 *
 * @param forbiddenType only with NO_PERMISSION
 */
public record PullMessageResponse(
        long suggestWhichBrokerId,
        long nextBeginOffset,
        long minOffset,
        long maxOffset,
        @Nullable Long offsetDelta,
        @Nullable Integer topicSysFlag,
        @Nullable Integer groupSysFlag,
        @Nullable Integer forbiddenType) {}
