package dev.perigee.protocol.header.group;

/**
 * Header of QUERY_CONSUME_TIME_SPAN (303).
 */
public record ConsumeTimeSpanHeader(String topic, String group) {}
