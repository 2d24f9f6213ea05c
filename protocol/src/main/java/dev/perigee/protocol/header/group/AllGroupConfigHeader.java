package dev.perigee.protocol.header.group;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of GET_ALL_SUBSCRIPTIONGROUP_CONFIG (201); all null before 5.4.
 */
public record AllGroupConfigHeader(
        @Nullable Integer groupSeq,
        @OptionalField @Nullable String dataVersion,
        @Nullable Integer maxGroupNum) {}
