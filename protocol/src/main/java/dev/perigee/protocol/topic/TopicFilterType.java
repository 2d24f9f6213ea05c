package dev.perigee.protocol.topic;

/** How many tags a message of a topic may have. */
public enum TopicFilterType {
    SINGLE_TAG,
    MULTI_TAG
}
