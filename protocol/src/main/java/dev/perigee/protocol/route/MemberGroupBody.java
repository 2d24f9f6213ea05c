package dev.perigee.protocol.route;

import org.jspecify.annotations.Nullable;

/**
 * Body of GET_BROKER_MEMBER_GROUP (901).
 */
public record MemberGroupBody(@Nullable MemberGroup brokerMemberGroup) {}
