package dev.perigee.protocol.header.group;

import org.jspecify.annotations.Nullable;

/**
 * Answer header of GET_ALL_SUBSCRIPTIONGROUP_CONFIG (201).
 */
public record AllGroupConfigResponse(@Nullable Integer totalGroupNum) {}
