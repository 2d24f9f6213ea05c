package dev.perigee.protocol.header.topic;

/**
 * Header of GET_TOPICS_BY_CLUSTER (224).
 */
public record ClusterHeader(String cluster) {}
