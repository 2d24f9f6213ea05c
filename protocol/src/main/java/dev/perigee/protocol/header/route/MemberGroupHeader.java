package dev.perigee.protocol.header.route;

/**
 * Header of GET_BROKER_MEMBER_GROUP (901).
 */
public record MemberGroupHeader(String clusterName, String brokerName) {}
