package dev.perigee.protocol.header.group;

import org.jspecify.annotations.Nullable;

/**
 * Header of UPDATE_AND_GET_GROUP_FORBIDDEN (353).
 */
public record GroupForbiddenHeader(
        String group, String topic, @Nullable Boolean readable) {}
