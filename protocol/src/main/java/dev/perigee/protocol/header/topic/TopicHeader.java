package dev.perigee.protocol.header.topic;

/**
 * Header of the requests about one topic: 202, 215, 217, 300.
 */
public record TopicHeader(String topic) {}
