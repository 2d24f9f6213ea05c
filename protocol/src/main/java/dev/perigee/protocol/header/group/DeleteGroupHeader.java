package dev.perigee.protocol.header.group;

import dev.perigee.protocol.header.DefaultValue;

/**
 * Header of DELETE_SUBSCRIPTIONGROUP (207).
 */
public record DeleteGroupHeader(
        String groupName, @DefaultValue("false") boolean cleanOffset) {}
