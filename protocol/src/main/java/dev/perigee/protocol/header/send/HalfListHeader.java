package dev.perigee.protocol.header.send;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of LIST_HALF_MESSAGES (310001), which stock peers do not know.
 *
 * @param producerGroup only halves of this group; null for all
 * @param topic only halves that go to this topic; null for all
 * @param afterBirth only halves whose offset is above; −1 for all
 * @param maxNum most halves given, 1 to 1,000
 */
public record HalfListHeader(
        @OptionalField @Nullable String producerGroup,
        @OptionalField @Nullable String topic,
        long afterBirth,
        int maxNum) {}
